-- name: limits
-- What tenants may have a second, where that is limited, and among how many live workers it is divided.
select tenant.no as tenant_no, each.per_second, greatest(count.workers, 1)::integer as workers
from tenant
cross join lateral (select tenant_limit(tenant.no, :limit::text) as per_second) as each
cross join (select count(*) as workers from node
  where role = 'worker' and state in ('ready', 'degraded') and heartbeat_at > now() - interval '30 s') as count
where each.per_second is not null;
