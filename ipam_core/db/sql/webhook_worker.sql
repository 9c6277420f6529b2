-- What workers do for webhooks: from the stream of events to deliveries, and from those to endpoints.

-- name: lock_cursor^
-- One worker reads at a time; another one leaves it to that and comes back.
select position from worker_cursor where name = 'webhooks' for update skip locked;

-- name: begin_cursor$
-- Once in the life of a database: from then on events are delivered.
insert into worker_cursor (name, history, xid, position) values ('webhooks', '', '0', :position::text)
on conflict do nothing returning true;

-- name: peek_cursor$
-- Without a lock: a worker that finds nothing new behind it writes nothing.
select position from worker_cursor where name = 'webhooks';

-- name: set_cursor!
-- In the transaction that writes what was found.
update worker_cursor set position = :position::text, updated_at = now() where name = 'webhooks';

-- name: listeners
-- Who wants to hear of what. A webhook hears of what happens after it was made.
select no, tenant_no, events, created_at from webhook where enabled;

-- name: enqueue!
-- In the order of the stream, which is the order in which each endpoint gets them.
insert into webhook_delivery (id, webhook_no, message_id, event, payload, next_attempt_at)
select d.id, d.webhook_no, d.message_id, d.event, d.payload, clock_timestamp()
from rows from (jsonb_to_recordset(:rows::jsonb) as (id uuid, webhook_no integer, message_id text, event text,
  payload jsonb)) with ordinality as d
join webhook on webhook.no = d.webhook_no
order by d.ordinality;

-- name: tell_senders!
-- Every worker may send what was put there.
select pg_notify('webhook_delivery', '');

-- name: claim_endpoints
-- Endpoints for which something is due and whom no worker has; those that were served longest ago come first. One whose
-- worker dies is another's when the claim ends.
with due as (
  select no from webhook w
  where enabled and (claimed_until is null or claimed_until < now()) and (rests_until is null or rests_until <= now())
    and no <> all(:busy::integer[])
    and exists (select from webhook_delivery d
      where d.webhook_no = w.no and d.state in ('pending', 'failed') and d.next_attempt_at <= now())
  order by rests_until nulls first, no limit :at_most::integer for update skip locked
)
update webhook w set claimed_until = clock_timestamp() + make_interval(secs => :seconds::float8)
from due where w.no = due.no
returning w.no, w.id, w.tenant_no, w.url, w.secret, w.failures, w.claimed_until,
  case when w.previous_secret_until > now() then w.previous_secret end as previous_secret;

-- name: due
-- The next of an endpoint: first attempts in the order of the stream, and further ones when their time has come.
select no, id, coalesce(message_id, id::text) as message_id, event, payload, attempts from webhook_delivery
where webhook_no = :webhook_no::integer and state in ('pending', 'failed') and next_attempt_at <= now()
order by next_attempt_at, no limit :at_most::integer;

-- name: note!
-- What became of an attempt. One that was asked for again meanwhile is due as that says.
update webhook_delivery set state = :state::text, attempts = attempts + 1, response_status = :status::integer,
  latency_ms = :latency_ms::integer, response = :response::text, last_error = :error::text, updated_at = now(),
  next_attempt_at = case when :state::text = 'failed' then now() + make_interval(secs => :pause::float8) end,
  delivered_at = case when :state::text = 'delivered' then now() else delivered_at end
where no = :no::bigint;

-- name: release!
-- The worker is done with an endpoint for now; if its claim has ended another one may have it. Silence lets it rest.
update webhook set claimed_until = null, failures = :failures::integer,
  rests_until = now() + make_interval(secs => :rest::float8)
where no = :no::integer and claimed_until = :claimed_until::timestamptz;

-- name: disable
-- An endpoint that asked for nothing more, or for which too much waits.
update webhook set enabled = false, disabled_reason = :reason::text, updated_at = now()
where no = any(:numbers::integer[]) and enabled returning id, tenant_no;

-- name: overfull
-- Endpoints for which more waits than anybody will want.
select no from webhook w where enabled and (
  select count(*) from (
    select from webhook_delivery d where d.webhook_no = w.no and d.state in ('pending', 'failed')
    limit :at_most::integer + 1) as waiting) > :at_most::integer;

-- name: forget_done!
-- What was delivered or given up some time ago; some at a time.
delete from webhook_delivery where no in (
  select no from webhook_delivery
  where state = 'delivered' and updated_at < now() - make_interval(days => :delivered_days::integer)
    or state = 'dead' and updated_at < now() - make_interval(days => :dead_days::integer)
    or state in ('pending', 'failed') and created_at < now() - make_interval(days => :dead_days::integer)
  limit :at_most::integer for update skip locked);

-- name: waiting^
-- For metrics: what is not delivered, and for how long the oldest of it waits for its first attempt.
select count(*) filter (where state = 'pending') as pending, count(*) filter (where state = 'failed') as failed,
  coalesce(extract(epoch from now() - min(created_at) filter (where state = 'pending')), 0)::float8 as oldest
from webhook_delivery where state in ('pending', 'failed');

-- name: tell_silent_nodes$
-- Nodes whose last heartbeat is thirty seconds old, each once; one worker looks at a time. Two do no harm, because whoever
-- marks the node raises the event, and a heartbeat takes the mark away.
with elected as materialized (
  select pg_try_advisory_xact_lock(hashtext('ipam silent nodes')) as won
), silent as (
  update node set down_at = now() from elected
  where won and state <> 'stopped' and heartbeat_at < now() - interval '30 s' and down_at is null
  returning node.id, name, role, version, state, extract(epoch from now() - heartbeat_at)::integer as seconds
), told as (
  insert into event (id, type, data)
  select gen_random_uuid(), 'node.down', jsonb_build_object('node_id', id, 'name', name, 'role', role,
    'version', version, 'state', state, 'silent_seconds', seconds)
  from silent returning 1
)
select count(*) from told;
