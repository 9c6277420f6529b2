-- name: lock_streams$
-- The streams of one tenant are opened one at a time, so that two processes do not both take the last place.
select pg_advisory_xact_lock(hashtext('live_stream'), :tenant_no::integer);

-- name: streams_of_tenant$
-- A process that died renews nothing.
select count(*) from live_stream where tenant_no = :tenant_no::integer and seen_at > now() - interval '1 minute';

-- name: room_for_streams^
-- Both counts beside both limits; a limit is null where there is none.
select count(*) as streams_of_tenant, count(*) filter (where token_id = :token_id::uuid) as streams_of_token,
       tenant_limit(:tenant_no::integer, 'streams') as streams,
       tenant_limit(:tenant_no::integer, 'streams_per_token') as streams_per_token
from live_stream where tenant_no = :tenant_no::integer and seen_at > now() - interval '1 minute';

-- name: open_stream!
-- Counts from now on.
insert into live_stream (id, process, tenant_no, token_id)
values (:id::uuid, :process::uuid, :tenant_no::integer, :token_id::uuid);

-- name: close_stream!
-- The place is free at once.
delete from live_stream where id = :id::uuid;

-- name: renew_streams!
-- One statement: living rows of the process are renewed; its other rows, and those of processes that died, go.
with gone as (
  delete from live_stream
  where process = :process::uuid and id <> all(:streams::uuid[]) or seen_at < now() - interval '5 minutes'
)
update live_stream set seen_at = now() where process = :process::uuid and id = any(:streams::uuid[]);
