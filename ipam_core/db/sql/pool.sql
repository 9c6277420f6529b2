-- name: pool_view^
-- A pool may serve everybody, so the join to its class is outer.
select pool.no, pool.id, subnet.id as subnet_id, pool.name, pool.start_ip, pool.end_ip,
       pool.prefix, pool.delegated_length, pool.excluded_prefix,
       client_class.id as class_id, pool.allocation, pool.tags, pool.custom,
       array(select jsonb_build_object('ip', host(used.address), 'used_by', used.kind, 'leased', used.leased)
             from addresses_in_pool(pool.subnet_no, pool.start_ip, pool.end_ip, pool.prefix, pool.delegated_length) as used
             order by used.address) as in_use, pool.created_at, pool.updated_at
from pool
join subnet on subnet.no = pool.subnet_no
join tenant on tenant.no = subnet.tenant_no
left join client_class on client_class.no = pool.class_no;
