-- name: note_requests!
-- What a process has taken since it told last, under the database's clock, because the hosts' may differ.
insert into request_count (policy, client, process, span, requests)
select told.policy, told.client, :process::uuid, floor(extract(epoch from now()) / 2)::bigint, told.requests
from unnest(:policies::text[], :clients::text[], :requests::integer[]) told (policy, client, requests)
where told.requests > 0
on conflict (policy, client, process, span) do update
set requests = request_count.requests + excluded.requests;

-- name: requests_elsewhere
-- What the other processes have taken of these clients in the last minute, and for how many seconds the oldest counts.
select told.policy, told.client, sum(found.requests)::integer as requests,
       (min(found.span) * 2 + 62 - extract(epoch from now()))::float8 as seconds
from unnest(:policies::text[], :clients::text[]) told (policy, client)
join request_count found on found.policy = told.policy and found.client = told.client
where found.process <> :process::uuid
  and found.span > floor(extract(epoch from now()) / 2)::bigint - 30
group by told.policy, told.client;

-- name: forget_requests!
-- Every process tidies; none waits for another that is at it.
delete from request_count where ctid = any (array(
  select ctid from request_count where span < floor(extract(epoch from now()) / 2)::bigint - 31
  for update skip locked));
