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
update subnet set fence = fence + 1, withdrawn_at = now() from (
  select subnet_no from pool where id = :id::uuid
  union all select subnet_no from exclude where id = :id::uuid
  union all select subnet_no from reservation where id = :id::uuid
  union all select subnet_no from assignment where id = :id::uuid
) as child
where subnet.no = child.subnet_no and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: find_tenant^
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
select no, tenant_no from client_class
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for key share;

-- name: lock_tenant^
-- Its row is shared by whatever is made in it, at the end, so it is locked by the write itself; by the level all who
-- write tenants follow one another, and those who write what hangs on this one.
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), 0), pg_advisory_xact_lock(hashtext('tenant'), no) from tenant
  where id = :id::uuid and (:tenant_no::integer is null or no = :tenant_no::integer)
)
select no, no as tenant_no from level;

-- name: lock_prefix^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), tenant_no) from prefix
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select prefix.no, prefix.tenant_no from prefix join level on level.no = prefix.no for update of prefix;

-- name: lock_client_class^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), tenant_no) from client_class
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select client_class.no, client_class.tenant_no from client_class join level on level.no = client_class.no for update of client_class;

-- name: lock_trusted_relay^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), 0) from trusted_relay
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select trusted_relay.no, trusted_relay.tenant_no from trusted_relay join level on level.no = trusted_relay.no
for update of trusted_relay;

-- name: lock_token^
select no, tenant_no from token
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer) for update;

-- name: locate_option^
-- Where an option hangs: the subnet whose servers it concerns, if any, and its tenant.
select option.no, option.tenant_no,
       coalesce(option.subnet_no, pool.subnet_no, reservation.subnet_no) as subnet_no
from dhcp_option option
left join pool on pool.no = option.pool_no
left join reservation on reservation.no = option.reservation_no
where option.id = :id::uuid and (:tenant_no::integer is null or option.tenant_no = :tenant_no::integer);

-- name: lock_option^
select tenant_no, subnet_no, pool_no, class_no, reservation_no from dhcp_option
where no = :no::integer for update;

-- name: raise_fence^
update subnet set fence = fence + 1 where no = :no::integer
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: lock_subnet_around^
-- The tenant's subnet in which an address lies; subnets of a tenant do not overlap.
update subnet set fence = fence + 1 where tenant_no = :tenant_no::integer and cidr >>= :ip::inet
returning no, id, tenant_no, prefix_no, cidr, gateway;

-- name: lock_option_definition^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), tenant_no) from option_definition
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select option_definition.no, option_definition.tenant_no from option_definition join level on level.no = option_definition.no for update of option_definition;

-- name: lock_dns_server^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), tenant_no) from dns_server
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select dns_server.no, dns_server.tenant_no from dns_server join level on level.no = dns_server.no for update of dns_server;

-- name: lock_dns_zone^
with level as materialized (
  select no, pg_advisory_xact_lock(hashtext('tenant'), tenant_no) from dns_zone
  where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
)
select dns_zone.no, dns_zone.tenant_no from dns_zone join level on level.no = dns_zone.no for update of dns_zone;

-- name: lock_webhook^
select no, tenant_no from webhook
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer) for update;

-- name: lock_webhook_delivery^
select delivery.no, webhook.tenant_no from webhook_delivery as delivery
join webhook on webhook.no = delivery.webhook_no
where delivery.id = :id::uuid and (:tenant_no::integer is null or webhook.tenant_no = :tenant_no::integer)
for update of delivery;

-- name: lock_ddns_update^
select no, tenant_no from ddns_update
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer) for update;

-- name: lock_node^
-- A server is no tenant's.
select no, null::integer as tenant_no from node
where id = :id::uuid and :tenant_no::integer is null for update;

-- name: share_dns_server^
-- A share keeps the server from being deleted until the COMMIT.
select no, id from dns_server where id = :id::uuid and tenant_no = :tenant_no::integer for key share;

-- name: lock_dns_zone_itself^
-- Writers to one zone follow one another, and each of them raises the serial.
update dns_zone set serial = serial % 4294967295 + 1
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning no, tenant_no, name;

-- name: lock_dns_zone_of_record^
update dns_zone set serial = serial % 4294967295 + 1 from dns_record
where dns_record.id = :id::uuid and dns_zone.no = dns_record.zone_no
  and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
returning dns_zone.no, dns_zone.tenant_no, dns_zone.name;
