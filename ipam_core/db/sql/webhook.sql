-- name: webhook_view^
-- A webhook may hear of all tenants, so the join is outer; the secret is never read here.
select webhook.no, webhook.id, tenant.id as tenant_id, webhook.url, webhook.description, webhook.events,
       webhook.enabled, webhook.disabled_reason, shown.previous_secret_until, webhook.created_at, webhook.updated_at
from webhook left join tenant on tenant.no = webhook.tenant_no
cross join lateral (
  select case when webhook.previous_secret_until > now() then webhook.previous_secret_until end as previous_secret_until
) as shown;

-- name: stored_secret$
-- A change that does not name the secret keeps it, sealed as it is.
select secret from webhook where no = :no::integer;

-- name: stored_secrets^
-- The one in use makes way for another, or what made way for it stays.
select secret, previous_secret, previous_secret_until from webhook where no = :no::integer;

-- name: stored_by_tenant$
-- Whether a tenant's token wrote the address last.
select by_tenant from webhook where no = :no::integer;

-- name: delivery_view^
-- A delivery belongs to a webhook or a notification, and so to the tenant of that.
select webhook_delivery.no, webhook_delivery.id, webhook.id as webhook_id, notification.id as notification_id,
       coalesce(webhook_delivery.message_id, webhook_delivery.id::text) as message_id, webhook_delivery.event,
       webhook_delivery.state, webhook_delivery.attempts, webhook_delivery.response_status,
       webhook_delivery.latency_ms, webhook_delivery.response, webhook_delivery.last_error, webhook_delivery.next_attempt_at, webhook_delivery.delivered_at,
       webhook_delivery.payload, webhook_delivery.created_at, webhook_delivery.updated_at
from webhook_delivery
left join webhook on webhook.no = webhook_delivery.webhook_no
left join notification on notification.no = webhook_delivery.notification_no
left join tenant on tenant.no = coalesce(webhook.tenant_no, notification.tenant_no);

-- name: urls
-- Of the webhooks and notifications that deliveries name.
select id, url from webhook where id = any(:ids::uuid[])
union all
select id, coalesce(url, 'mailto:' || array_to_string(recipients, ',')) from notification where id = any(:ids::uuid[]);

-- name: post_delivery!
-- The worker that sends all others sends it too.
insert into webhook_delivery (id, webhook_no, event, payload)
values (:id::uuid, :webhook_no::integer, :event::text, :payload::jsonb);

-- name: latest_tests^
-- Of a webhook or a notification: how many there were within the period, at most so many, and in how many seconds the
-- first of these is older. `since`: an id of before; it leads to what is young.
select count(*) as count, ceil(extract(epoch from min(created_at) + :period::interval - now()))::integer as seconds
from (
  select created_at from webhook_delivery
  where id >= :since::uuid and event = :event::text and created_at > now() - :period::interval
    and (webhook_no = :webhook_no::integer or notification_no = :notification_no::integer)
  order by id desc limit :at_most::integer
) as latest;

-- name: tell_senders!
-- A test and a redelivery are sent at once; what is in order with others waits for the next look.
select pg_notify('webhook_delivery', '');

-- name: redeliver!
-- The same message once more, at once, with all its attempts before it.
update webhook_delivery
set state = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = null, updated_at = now()
where no = :no::bigint;

-- name: hold_redeliveries^
-- Of a webhook or a notification. No other statement takes this lock, and it is taken before rows are.
select pg_advisory_xact_lock(hashtext('redeliver'), hashtext(:receiver::text));

-- name: latest_redeliveries^
-- As latest_tests. What changes a delivery in the audit trail is a redelivery.
select count(*) as count, ceil(extract(epoch from min(at) + :period::interval - now()))::integer as seconds
from (
  select change.at from change
  join webhook_delivery on webhook_delivery.id = case change.object_type when 'delivery' then change.object_id::uuid end
  left join webhook on webhook.no = webhook_delivery.webhook_no
  left join notification on notification.no = webhook_delivery.notification_no
  where change.at > now() - :period::interval and change.object_type = 'delivery' and change.action = 'updated'
    and coalesce(webhook.id, notification.id) = :receiver::uuid
  order by change.at desc limit :at_most::integer
) as latest;

-- name: is_enabled$
-- Asked before the delivery is locked; null means that there is no such delivery.
select coalesce(webhook.enabled, notification.enabled) from webhook_delivery
left join webhook on webhook.no = webhook_delivery.webhook_no
left join notification on notification.no = webhook_delivery.notification_no
where webhook_delivery.id = :id::uuid;

-- name: has_workers$
-- Whether somebody delivers: a worker that sent a heartbeat lately.
select exists (select from node where role = 'worker' and state in ('ready', 'degraded')
  and heartbeat_at >= now() - interval '30 s');
