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
insert into webhook_delivery (id, webhook_no, notification_no, message_id, event, payload, next_attempt_at)
select d.id, d.webhook_no, d.notification_no, m.message_id, m.event, m.payload, clock_timestamp()
from rows from (jsonb_to_recordset(:messages::jsonb) as (message_id text, event text, payload jsonb, deliveries jsonb))
  with ordinality as m
cross join lateral jsonb_to_recordset(m.deliveries) as d (id uuid, webhook_no integer, notification_no integer)
where exists (select from webhook where webhook.no = d.webhook_no)
  or exists (select from notification where notification.no = d.notification_no)
order by m.ordinality;

-- name: tell_senders!
-- Every worker may send what was put there.
select pg_notify('webhook_delivery', '');

-- name: claim_endpoints
-- Endpoints for which something is due and whom no worker has; those that were served longest ago come first, and each
-- tenant's share is `of_tenant` at once. One whose worker dies is another's when the claim ends.
with waiting as materialized (
  select no, rests_until, tenant_no,
    row_number() over (partition by tenant_no order by rests_until nulls first, no)
      + (select count(*) from webhook b where b.no = any(:busy::integer[]) and b.tenant_no is not distinct from w.tenant_no)
      as place
  from webhook w
  where enabled and (claimed_until is null or claimed_until < now()) and (rests_until is null or rests_until <= now())
    and no <> all(:busy::integer[])
    and exists (select from webhook_delivery d
      where d.webhook_no = w.no and d.state in ('pending', 'failed') and d.next_attempt_at <= now())
), due as (
  select w.no from webhook w join waiting on waiting.no = w.no
  where (w.claimed_until is null or w.claimed_until < now()) and (waiting.place <= :of_tenant::integer or w.tenant_no is null)
  order by waiting.place, waiting.rests_until nulls first, w.no limit :at_most::integer for update of w skip locked
)
update webhook w set claimed_until = clock_timestamp() + make_interval(secs => :seconds::float8)
from due where w.no = due.no
returning w.no, w.id, w.tenant_no, w.url, w.secret, w.failures, w.claimed_until,
  case when w.previous_secret_until > now() then w.previous_secret end as previous_secret,
  w.by_tenant or exists (select from tenant where tenant.no = w.tenant_no and not is_default) as of_tenant;

-- name: due
-- The next of each endpoint: first attempts in the order of the stream, and further ones when their time has come.
select d.webhook_no as receiver_no, d.no, d.id, d.message_id, d.payload, d.attempts
from unnest(:numbers::integer[]) as claimed (no)
cross join lateral (
  select webhook_no, no, id, coalesce(message_id, id::text) as message_id, payload, attempts, next_attempt_at
  from webhook_delivery
  where webhook_no = claimed.no and state in ('pending', 'failed') and next_attempt_at <= now()
  order by next_attempt_at, no limit :at_most::integer) as d
order by d.webhook_no, d.next_attempt_at, d.no;

-- name: note!
-- What became of attempts. A delivery that has other attempts by now was asked for again meanwhile, or is another worker's
-- whose claim came after ours, or this was written before the session was lost: what it says then holds.
update webhook_delivery d set state = n.state, attempts = d.attempts + 1, response_status = n.status,
  latency_ms = n.latency_ms, response = n.response, last_error = n.error, updated_at = now(),
  next_attempt_at = case when n.state = 'failed' then now() + make_interval(secs => n.pause) end,
  delivered_at = case when n.state = 'delivered' then now() else d.delivered_at end
from jsonb_to_recordset(:notes::jsonb) as n (no bigint, attempts integer, state text, status integer, latency_ms integer,
  response text, error text, pause float8)
where d.no = n.no and d.attempts = n.attempts;

-- name: release!
-- The worker is done with endpoints for now; one whose claim has ended may be another's. Silence lets it rest.
update webhook w set claimed_until = null, failures = r.failures, rests_until = now() + make_interval(secs => r.rest)
from jsonb_to_recordset(:releases::jsonb) as r (no integer, claimed_until timestamptz, failures integer, rest float8)
where w.no = r.no and w.claimed_until = r.claimed_until;

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
-- For metrics: what is not delivered, of webhooks and notifications, and for how long the oldest of it waits for its first
-- attempt.
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

-- name: retire_replaced!
-- A process that crashed and was started again within thirty seconds has found its name taken and has the next one. After a
-- minute, when its silence has been reported, the crashed one counts as stopped: one row for each that was started since.
with silent as (
  select no, role, regexp_replace(name, '#\d+$', '') as base, heartbeat_at,
    row_number() over (partition by role, regexp_replace(name, '#\d+$', '') order by heartbeat_at desc, no) as rank
  from node where state <> 'stopped' and heartbeat_at < now() - interval '60 s'
), replaced as (
  select silent.no from silent
  where silent.rank <= (
    select count(*) from node live
    where live.role = silent.role and regexp_replace(live.name, '#\d+$', '') = silent.base and live.state <> 'stopped'
      and live.heartbeat_at >= now() - interval '30 s' and live.started_at > silent.heartbeat_at)
)
update node set state = 'stopped', drain = false, detail = '', updated_at = now()
from replaced where node.no = replaced.no;
