-- What workers do for notifications; see webhook_worker.sql, which has the same of webhooks.

-- name: listeners
-- Who is notified of what, with the messages of the current windows by severity. A notification is about what happens
-- after it was made.
select n.no, n.tenant_no, n.events, n.severity, n.networks, n.zones, n.created_at, clock_timestamp() as now,
  (select coalesce(jsonb_object_agg(w.severity, jsonb_build_object('began_at', w.began_at, 'sent', w.sent, 'held', w.held)),
     '{}')
   from notification_window w where w.notification_no = n.no) as windows
from notification n where n.enabled;

-- name: set_windows!
-- In the transaction that writes the deliveries; the lock of the cursor lets one worker do it at a time.
insert into notification_window (notification_no, severity, began_at, sent, held)
select w.no, w.severity, w.began_at, w.sent, w.held
from jsonb_to_recordset(:windows::jsonb) as w (no integer, severity text, began_at timestamptz, sent integer, held jsonb)
where exists (select from notification where notification.no = w.no)
on conflict (notification_no, severity) do update set began_at = excluded.began_at, sent = excluded.sent, held = excluded.held;

-- name: claim_endpoints
-- As of webhooks, and with the same share of each tenant.
with waiting as materialized (
  select no, rests_until, tenant_no,
    row_number() over (partition by tenant_no order by rests_until nulls first, no)
      + (select count(*) from notification b
         where b.no = any(:busy::integer[]) and b.tenant_no is not distinct from w.tenant_no)
      as place
  from notification w
  where enabled and (claimed_until is null or claimed_until < now()) and (rests_until is null or rests_until <= now())
    and no <> all(:busy::integer[])
    and exists (select from webhook_delivery d
      where d.notification_no = w.no and d.state in ('pending', 'failed') and d.next_attempt_at <= now())
), due as (
  select w.no from notification w join waiting on waiting.no = w.no
  where (w.claimed_until is null or w.claimed_until < now()) and (waiting.place <= :of_tenant::integer or w.tenant_no is null)
  order by waiting.place, waiting.rests_until nulls first, w.no limit :at_most::integer for update of w skip locked
)
update notification w set claimed_until = clock_timestamp() + make_interval(secs => :seconds::float8)
from due where w.no = due.no
returning w.no, w.id, w.tenant_no, w.name, w.kind, w.url, w.topic, w.priority, w.recipients, w.failures, w.claimed_until,
  w.by_tenant,
  w.by_tenant or exists (select from tenant where tenant.no = w.tenant_no and not is_default) as of_tenant;

-- name: due
-- The next of each, as of webhooks.
select d.notification_no as receiver_no, d.no, d.id, d.message_id, d.payload, d.attempts
from unnest(:numbers::integer[]) as claimed (no)
cross join lateral (
  select notification_no, no, id, id::text as message_id, payload, attempts, next_attempt_at
  from webhook_delivery
  where notification_no = claimed.no and state in ('pending', 'failed') and next_attempt_at <= now()
  order by next_attempt_at, no limit :at_most::integer) as d
order by d.notification_no, d.next_attempt_at, d.no;

-- name: release!
-- The worker is done with them for now, as with webhooks.
update notification w set claimed_until = null, failures = r.failures, rests_until = now() + make_interval(secs => r.rest)
from jsonb_to_recordset(:releases::jsonb) as r (no integer, claimed_until timestamptz, failures integer, rest float8)
where w.no = r.no and w.claimed_until = r.claimed_until;

-- name: disable
-- A target that asked for nothing more.
update notification set enabled = false, disabled_reason = :reason::text, updated_at = now()
where no = any(:numbers::integer[]) and enabled returning id, tenant_no;
