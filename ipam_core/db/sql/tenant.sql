-- name: tenant_view^
select tenant.no, tenant.id, tenant.name, tenant.description, tenant.is_default,
       tenant.created_at, tenant.updated_at
from tenant;
