-- name: trusted_relay_view^
-- A relay may be trusted for all tenants, so the join is outer.
select trusted_relay.no, trusted_relay.id, tenant.id as tenant_id, trusted_relay.cidr,
       trusted_relay.description, trusted_relay.created_at, trusted_relay.updated_at
from trusted_relay left join tenant on tenant.no = trusted_relay.tenant_no;
