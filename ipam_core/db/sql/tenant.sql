-- name: tenant_view^
select tenant.no, tenant.id, tenant.name, tenant.description, tenant.is_default,
       tenant.created_at, tenant.updated_at
from tenant;

-- name: forget_revoked_tokens!
-- They hold on to the tenant by a foreign key only; the change rows keep what is to be known of them.
delete from token where tenant_no = :no::integer and revoked_at is not null;
