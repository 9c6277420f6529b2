-- Notifications.

-- name: notification_view^
-- A notification may be about all tenants, so the join is outer.
select notification.no, notification.id, tenant.id as tenant_id, notification.name, notification.kind,
       notification.description, notification.enabled, notification.disabled_reason, notification.url,
       notification.topic, notification.priority, notification.recipients, notification.events, notification.severity,
       notification.networks, notification.zones, notification.created_at, notification.updated_at
from notification left join tenant on tenant.no = notification.tenant_no;

-- name: stored_by_tenant$
-- Whether a tenant's token wrote the target last.
select by_tenant from notification where no = :no::integer;

-- name: post_delivery!
-- The worker that sends all others sends it too.
insert into webhook_delivery (id, notification_no, event, payload)
values (:id::uuid, :notification_no::integer, :event::text, :payload::jsonb);

-- name: tell_senders!
-- A test is sent at once.
select pg_notify('webhook_delivery', '');
