-- name: prefix_view^
-- The tenant gives its public id, and lists filter by it.
select prefix.no, prefix.id, tenant.id as tenant_id, prefix.cidr, prefix.description, prefix.tags, prefix.custom,
       prefix.created_at, prefix.updated_at
from prefix join tenant on tenant.no = prefix.tenant_no;

-- name: subnets_outside^
-- The subnets that a new CIDR of the prefix would leave outside.
select count(*) as subnets from subnet where prefix_no = :no::integer and not cidr <<= :cidr::cidr;
