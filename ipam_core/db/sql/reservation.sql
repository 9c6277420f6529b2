-- name: reservation_view^
select reservation.no, reservation.id, subnet.id as subnet_id, reservation.ip, reservation.prefix,
       reservation.mac, reservation.duid, reservation.client_id, reservation.circuit_id, reservation.hostname,
       reservation.description, reservation.created_at, reservation.updated_at
from reservation
join subnet on subnet.no = reservation.subnet_no
join tenant on tenant.no = subnet.tenant_no;

-- name: find_holder^
-- What else in the subnet holds an address, among the types that would be in the way. Writers to one subnet
-- follow one another, so what is not there now is not there at the COMMIT.
select type, id, ip, start_ip, end_ip, hostname from (
  select 'exclude' as type, id, null::inet as ip, start_ip, end_ip, null as hostname from exclude
  where subnet_no = :subnet_no::integer and :ip::inet between start_ip and end_ip
  union all
  select 'assignment', id, ip, null, null, hostname from assignment
  where subnet_no = :subnet_no::integer and ip = :ip::inet
  union all
  select 'reservation', id, ip, null, null, hostname from reservation
  where subnet_no = :subnet_no::integer and ip = :ip::inet
  union all
  select case state when 'a' then 'lease' else 'quarantine' end, null, address, null, null, hostname from lease
  where tenant_no = :tenant_no::integer and address = :ip::inet and state in ('a', 'd') and reuse_at > now()
  union all
  select 'gateway', null, gateway, null, null, null from subnet
  where no = :subnet_no::integer and gateway = :ip::inet
) as holder
where type = any(:types::text[])
limit 1;
