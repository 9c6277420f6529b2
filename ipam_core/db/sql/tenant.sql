-- name: tenant_view^
-- A tenant stands below nothing, so nothing is joined.
select tenant.no, tenant.id, tenant.name, tenant.description, tenant.dns_suffixes, tenant.is_default, tenant.limits,
       tenant_usage(tenant.no, tenant.is_default, tenant.limits) as usage, tenant.created_at, tenant.updated_at
from tenant;

-- name: forget_revoked_tokens!
-- They hold on to the tenant by a foreign key only; the change rows keep what is to be known of them.
delete from token where tenant_no = :no::integer and revoked_at is not null;

-- name: lock_tenant^
-- Its row is shared by whatever is made in it, at the end, so it is locked by the write itself; by the level all who
-- write tenants follow one another, and those who write what hangs on this one.
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), 0), pg_advisory_xact_lock(hashtext('tenant'), no) from tenant
  where id = :id::uuid and (:tenant_no::integer is null or no = :tenant_no::integer)
)
select no from level;
