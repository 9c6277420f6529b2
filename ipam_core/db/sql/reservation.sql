-- name: reservation_view^
-- The subnet gives its public id; it and the tenant are joined because lists filter by them. One without a subnet holds in
-- all of its tenant, whose id it gives.
select reservation.no, reservation.id, subnet.id as subnet_id,
       case when subnet.no is null then tenant.id end as tenant_id, reservation.ip, reservation.prefix,
       reservation.excluded_prefix,
       reservation.mac, reservation.duid, reservation.client_id, reservation.circuit_id, reservation.remote_id,
       reservation.subscriber_id, reservation.hostname, reservation.aliases, reservation.alias_records, client_class.id as class_id, reservation.description,
       reservation.tags, reservation.custom, reservation.created_at, reservation.updated_at
from reservation
left join subnet on subnet.no = reservation.subnet_no
join tenant on tenant.no = coalesce(reservation.tenant_no, subnet.tenant_no)
left join client_class on client_class.no = reservation.class_no;

-- name: find_holder^
-- A reservation is named before a lease of the same address.
select type, id, ip, hostname from holder_of(:tenant_no::integer, :subnet_no::integer, :ip::inet) as holder
order by type = 'reservation' desc
limit 1;

-- name: locate^
-- Of one that holds in all of its tenant.
select tenant_no from reservation
where id = :id::uuid and tenant_no is not null and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: cidr_of$
-- By which network a reservation is judged before its subnet is held; the function looks whether it is still so.
select cidr from subnet where id = :id::uuid;

-- name: reserve^
-- See the function: one round trip, one transaction.
select in_subnet, given_ip, made_at, require_room(in_subnet, 'reservation') from reserve(
  $1::uuid, $2::integer, $3::cidr, $4::inet, $5::inet, $6::uuid, $7::inet, $8::macaddr, $9::bytea, $10::bytea,
  $11::bytea, $12::text, $13::text, $14::jsonb, $15::uuid, $16::text, $17::inet, $18::text, $19::bigint);
