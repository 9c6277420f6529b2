-- name: hold_levels$
-- What hangs on tenants as such, a tenant at a time: the one in which things are made, those named, and those of what is
-- named; 0 is what hangs on none.
select array_agg(no) from (
  select no, pg_advisory_xact_lock(hashtext('tenant'), no) from (
    select coalesce(:tenant_no::integer, (select no from tenant where is_default)) as no
    union select 0 where :tenant_no::integer is null
    union select no from tenant where id = any(:ids::uuid[]) and (:tenant_no::integer is null or no = :tenant_no::integer)
    union select tenant_no from {objects in tenants} as object
    where id = any(:ids::uuid[]) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
    union select tenant_no from reservation
    where id = any(:ids::uuid[]) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
      and tenant_no is not null
    order by no
  ) as level
) as held;

-- name: hold_prefixes$
-- Those named, those of subnets that will be written, and those of tenants that go.
select count(*) from (
  select no from prefix where no in (
    select no from prefix where id = any(:ids::uuid[])
    union all select prefix_no from subnet where id = any(:rewritten::uuid[])
    union all select prefix.no from prefix join tenant on tenant.no = prefix.tenant_no
    where tenant.id = any(:emptied::uuid[])
  ) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for no key update
) as held;

-- name: lock_subnets
-- The subnets named, those of the objects named, those around addresses, and those of what is emptied: their fences are
-- raised in the order of their numbers. A row for each name.
with named as materialized (
  select id, no as subnet_no from subnet where id = any(:ids::uuid[])
  union all select id, subnet_no from {objects in subnets} as object where id = any(:ids::uuid[])
  union all
  select option.id, coalesce(option.subnet_no, pool.subnet_no, reservation.subnet_no) from dhcp_option as option
  left join pool on pool.no = option.pool_no left join reservation on reservation.no = option.reservation_no
  where option.id = any(:ids::uuid[])
  union all
  select null, subnet.no from unnest(:addresses::inet[]) as wanted (ip) join subnet on cidr >>= wanted.ip
  where tenant_no = coalesce(:tenant_no::integer, (select no from tenant where is_default))
  union all
  select null, subnet.no from subnet join prefix on prefix.no = subnet.prefix_no where prefix.id = any(:emptied::uuid[])
  union all
  select null, subnet.no from subnet join tenant on tenant.no = subnet.tenant_no where tenant.id = any(:emptied::uuid[])
), held as materialized (
  select no from subnet where no in (select subnet_no from named)
    and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for no key update
), raised as (
  update subnet set fence = fence + 1, withdrawn_at = case when :withdraws::boolean then now() else withdrawn_at end
  from held where subnet.no = held.no
  returning subnet.no, subnet.id, tenant_no, prefix_no, cidr, gateway
)
select named.id as named_id, raised.* from raised join named on named.subnet_no = raised.no where named.id is not null;

-- name: hold_classes$
-- Those named, and those of tenants that go; pools share theirs, so all are locked in one order.
select count(*) from (
  select no from client_class where no in (
    select no from client_class where id = any(:ids::uuid[])
    union all select client_class.no from client_class join tenant on tenant.no = client_class.tenant_no
    where tenant.id = any(:emptied::uuid[])
  ) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for update
) as held;

-- name: hold_options$
-- Those named; what a cascade deletes with its parent is locked through the parent.
select count(*) from (
  select no from dhcp_option where id = any(:ids::uuid[])
    and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for update
) as held;

-- name: hold_definitions$
-- See option_definition.sql.
select count(pg_advisory_xact_lock(hashtext('option_definition'), no)) from (
  select unnest(:tenants::integer[]) as no order by no
) as level;

-- name: hold_zones$
-- Those named, those of records named, whose writers hold them, and those of tenants that go.
select count(*) from (
  select no from dns_zone where no in (
    select no from dns_zone where id = any(:ids::uuid[])
    union all select zone_no from dns_record where id = any(:ids::uuid[])
    union all select dns_zone.no from dns_zone join tenant on tenant.no = dns_zone.tenant_no
    where tenant.id = any(:emptied::uuid[])
  ) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for update
) as held;

-- name: hold_servers$
-- Those named, and those of tenants that go; zones and subnets share theirs.
select count(*) from (
  select no from dns_server where no in (
    select no from dns_server where id = any(:ids::uuid[])
    union all select dns_server.no from dns_server join tenant on tenant.no = dns_server.tenant_no
    where tenant.id = any(:emptied::uuid[])
  ) and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for update
) as held;

-- name: hold_relays$
-- Those named; those of a tenant that goes have no other writer, because level 0 is held.
select count(*) from (
  select no from trusted_relay where id = any(:ids::uuid[])
    and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  order by no for update
) as held;

-- name: hold_tenants$
-- Last, because whatever is made in a tenant shares its row by a foreign key.
select count(*) from (
  select no from tenant where id = any(:ids::uuid[])
    and (:tenant_no::integer is null or no = :tenant_no::integer)
  order by no for update
) as held;
