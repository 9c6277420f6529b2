-- name: lock_subnet^
-- Raising the fence is the first statement of every write below a subnet: servers decide again, writers queue.
update subnet set fence = fence + 1
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: lock_subnet_itself^
-- The prefix is held first, as the creation of a subnet does: subnets that would overlap follow one another.
with held as materialized (
  select prefix.no from prefix join subnet on subnet.prefix_no = prefix.no
  where subnet.id = :id::uuid for no key update of prefix
)
update subnet set fence = fence + 1, withdrawn_at = now() from held
where id = :id::uuid and held.no = subnet.prefix_no
  and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning subnet.no, id, tenant_no, prefix_no, cidr, gateway;

-- name: lock_subnet_of_child^
-- The same by an object of the subnet; a public id stands in one table only. What is written may be a withdrawal.
update subnet set fence = fence + 1, withdrawn_at = now() from {objects in subnets} as child
where child.id = :id::uuid and subnet.no = child.subnet_no and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning subnet.no, subnet.id, tenant_no, prefix_no, cidr, gateway;

-- name: find_tenant^
-- By id, or the default one for a request that names none.
select no, id from tenant
where case when :by_default::boolean then is_default else id = :id::uuid end;

-- name: hold_level$
-- What hangs on a tenant as such (0: on none) is written by one at a time.
select pg_advisory_xact_lock(hashtext('tenant'), :tenant_no::integer);

-- name: hold_prefix^
-- Its CIDR cannot change, and it cannot be deleted, while a subnet is being made inside it; one is made at a time.
select no, id, tenant_no, cidr from prefix
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for no key update;

-- name: share_client_class^
-- A share keeps the class from being deleted until the COMMIT, and lets others refer to it meanwhile.
select no, tenant_no from client_class
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for key share;

-- name: locate_option^
-- Where an option hangs: the subnet whose servers it concerns, if any, and its tenant.
select option.no, option.tenant_no,
       coalesce(option.subnet_no, pool.subnet_no, reservation.subnet_no) as subnet_no
from dhcp_option option
left join pool on pool.no = option.pool_no
left join reservation on reservation.no = option.reservation_no
where option.id = :id::uuid and (:tenant_no::integer is null or option.tenant_no = :tenant_no::integer);

-- name: lock_option^
-- After the fence, as all writers do; it answers the scope, which never changes.
select tenant_no, subnet_no, pool_no, class_no, reservation_no from dhcp_option
where no = :no::integer for update;

-- name: raise_fence^
-- For what stands below the subnet by way of a pool or a reservation: the servers decide again.
update subnet set fence = fence + 1 where no = :no::integer
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: lock_subnet_around^
-- The tenant's subnet in which an address lies; subnets of a tenant do not overlap.
update subnet set fence = fence + 1 where tenant_no = :tenant_no::integer and cidr >>= :ip::inet
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: share_dns_server^
-- A share keeps the server from being deleted until the COMMIT.
select no, id, address from dns_server where id = :id::uuid and tenant_no = :tenant_no::integer for key share;

-- name: lock_dns_zone_itself^
-- Writers to one zone through the API follow one another, for what one finds beside a name the next must find too.
select no, tenant_no, name from dns_zone
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for no key update;

-- name: lock_dns_zone_of_record^
-- The same by one of its records.
select dns_zone.no, dns_zone.tenant_no, dns_zone.name from dns_zone
join dns_record on dns_record.zone_no = dns_zone.no
where dns_record.id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for no key update of dns_zone;
