-- name: assignment_view^
-- The subnet gives its public id; it and the tenant are joined because lists filter by them.
select assignment.no, assignment.id, subnet.id as subnet_id, assignment.ip, assignment.hostname, assignment.aliases, assignment.alias_records,
       assignment.description, assignment.tags, assignment.custom, assignment.created_at, assignment.updated_at
from assignment
join subnet on subnet.no = assignment.subnet_no
join tenant on tenant.no = subnet.tenant_no;

-- name: subnet_around^
-- In which subnet of a tenant (null: the default one) an address lies, and by which network it is judged before that is
-- held.
select id, cidr from subnet
where cidr >>= :ip::inet and tenant_no = coalesce(:tenant_no::integer, (select no from tenant where is_default));

-- name: assign^
-- See the function: one round trip, one transaction.
select in_subnet, made_at, require_room(in_subnet, 'assignment') from assign(
  $1::uuid, $2::integer, $3::cidr, $4::uuid, $5::inet, $6::text, $7::text, $8::jsonb, $9::uuid, $10::text, $11::inet,
  $12::text, $13::bigint);
