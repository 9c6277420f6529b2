-- name: pool_view^
-- A pool may serve everybody, so the join to its class is outer.
select pool.no, pool.id, subnet.id as subnet_id, pool.name, pool.start_ip, pool.end_ip,
       pool.prefix, pool.delegated_length, pool.excluded_prefix,
       client_class.id as class_id, pool.allocation, pool.created_at, pool.updated_at
from pool
join subnet on subnet.no = pool.subnet_no
join tenant on tenant.no = subnet.tenant_no
left join client_class on client_class.no = pool.class_no;

-- name: in_delegations_way(tenant_no, prefix, no)^
-- What of the tenant overlaps a prefix that is to be delegated, the pool `no` itself excepted. Two such prefixes lie in
-- pools of different subnets, and a subnet is no pool, so no constraint sees them: one at a time looks.
with alone as materialized (select pg_advisory_xact_lock(hashtext('ipam delegation'), :tenant_no::integer))
select found.* from alone cross join lateral (
  select 'subnet' as type, id, cidr as network, name from subnet
  where tenant_no = :tenant_no::integer and cidr && :prefix::cidr
  union all
  select 'pool', pool.id, pool.prefix, pool.name from pool join subnet on subnet.no = pool.subnet_no
  where subnet.tenant_no = :tenant_no::integer and pool.prefix && :prefix::cidr and pool.no <> :no::integer
) as found
order by type desc, network limit 1;

-- name: delegation_over(tenant_no, cidr)^
-- The delegation pool of the tenant that a new subnet of IPv6 would overlap.
with alone as materialized (select pg_advisory_xact_lock(hashtext('ipam delegation'), :tenant_no::integer))
select 'pool' as type, pool.id, pool.prefix, pool.name from alone, pool join subnet on subnet.no = pool.subnet_no
where subnet.tenant_no = :tenant_no::integer and pool.prefix && :cidr::cidr
order by pool.prefix limit 1;
