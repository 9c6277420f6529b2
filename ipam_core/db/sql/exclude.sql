-- name: exclude_view^
-- The subnet gives its public id; it and the tenant are joined because lists filter by them.
select exclude.no, exclude.id, subnet.id as subnet_id, exclude.start_ip, exclude.end_ip, exclude.description,
       exclude.created_at, exclude.updated_at
from exclude
join subnet on subnet.no = exclude.subnet_no
join tenant on tenant.no = subnet.tenant_no;

-- name: reservations_in_range^
-- The lowest reservation that an exclude would cover, and how many there are.
select id, ip, count(*) over () as reservations
from reservation
where subnet_no = :subnet_no::integer and ip between :start_ip::inet and :end_ip::inet
order by ip
limit 1;
