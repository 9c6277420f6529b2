-- name: find_network^
-- Of a subnet that the actor may see.
select cidr, tenant_no from subnet
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: zones_by_name
-- Which of the zones that a subnet should have its tenant has.
select id, name from dns_zone where tenant_no = :tenant_no::integer and name = any(:names::text[]);
