-- What the DHCP server reads of the plan. `numbers` null means everything; the server reads a plan in one
-- repeatable-read transaction, so that a subnet's fence and its children belong together.

-- name: read_plan_position()^
-- Transactions of this database below this number have ended, so whatever they changed is in the plan read by the same
-- snapshot.
select {oldest running}::text as xmin;

-- name: read_changes(cursor, bound)
-- What changed since the cursor. The next reading begins at the bound, below which all is visible now: it reads again
-- what is visible above it. Of what is handed on to be sent (server/reconfigure.py), what it says. Numbers that have not
-- begun here are of the database that a backup was made of, and would be read each time.
select no, tenant_no, subnet_no, object_type, xid >= :bound::text::xid8 as is_above,
       case object_type when 'reconfiguration' then after end as after
from change where xid >= :cursor::text::xid8 and xid < pg_snapshot_xmax(pg_current_snapshot())
union all
select -no, null, subnet_no, 'address_in_use', xid >= :bound::text::xid8, null
from subnet_touch where xid >= :cursor::text::xid8 and xid < pg_snapshot_xmax(pg_current_snapshot());

-- name: read_tenants()
-- Names too: a relay chooses a virtual network (RFC 6607) by the name of its tenant. The key and the DUID are those of all of them.
select no, tenant.id, name, is_default, hash_key, server_duid.duid as server_duid
from tenant cross join cluster_key cross join server_duid;

-- name: read_classes()
-- In the order in which classes are tried for a client.
select * from client_class order by tenant_no, priority, no;

-- name: read_relays(family)
-- Tenant 0 stands for entries without a tenant, whose relays are the default tenant's.
select no, id, cidr, coalesce(tenant_no, 0) as tenant_no, sources, vss, client_vss
from trusted_relay where family(cidr) = :family;

-- name: read_definitions(family)
-- All tenants at once; each option is compiled by the definitions of its own.
select * from option_definition where family = :family;

-- name: read_subnets(family, numbers)
-- A server leaves out what is of the other family; after a change only the subnets concerned are read.
select * from subnet
where family(cidr) = :family and (:numbers::integer[] is null or no = any(:numbers::integer[]));

-- name: read_subnet_numbers(family)
-- A server that starts reads the plan some subnets at a time; these are all of them.
select no from subnet where family(cidr) = :family;

-- name: read_pools(family, numbers)
-- By address, which is the order in which the engine lays them out; prefixes to be delegated behind them.
select * from pool
where family(coalesce(start_ip, prefix)) = :family
  and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]))
order by start_ip, prefix;

-- name: read_excludes(family, numbers)
-- Ranges that are never offered, whatever pools hold them.
select subnet_no, start_ip, end_ip from exclude
where family(start_ip) = :family and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]));

-- name: read_assignments(family, numbers)
-- Addresses of hosts without DHCP: they are taken, whatever the lease table says.
select subnet_no, ip from assignment
where family(ip) = :family and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]));

-- name: read_in_use(numbers)
-- Addresses that their pools contain and do not give, because machines visibly use them.
select subnet_no, address, kind, is_seen, leased from addresses_in_pools(:numbers::integer[]) order by subnet_no, address;

-- name: copy_reservations
-- Through COPY in binary into the engine, because there may be millions; $1 is what `numbers` is elsewhere. Those of a
-- tenant, which hold in all of its subnets, are always read, and stand under minus its number.
select coalesce(subnet_no, -tenant_no), no, ip, mac, duid, client_id, circuit_id, remote_id, subscriber_id, hostname, class_no
from reservation
where (ip is null or family(ip) = 4)
  and ($1::integer[] is null or subnet_no = any($1::integer[]) or subnet_no is null);

-- name: read_reservations6(numbers)
-- Of DHCPv6: an address, a prefix, both or none, in subnets of IPv6; and those of tenants, as above.
select coalesce(r.subnet_no, -r.tenant_no) as subnet_no, r.no, r.ip, r.prefix, r.excluded_prefix, r.mac, r.duid, r.client_id, r.circuit_id, r.remote_id, r.subscriber_id,
  r.hostname, r.class_no
from reservation r left join subnet s on s.no = r.subnet_no
where r.subnet_no is null
  or family(s.cidr) = 6 and (:numbers::integer[] is null or r.subnet_no = any(:numbers::integer[]));

-- name: read_delegations6(numbers)
-- Leases over what the subnets delegate that are of another length: those of a pool from before it was cut otherwise, and
-- those in, around and beside which a prefix was reserved.
select p.subnet_no, held.* from pool p join subnet s on s.no = p.subnet_no
cross join lateral leases_over(s.tenant_no, p.prefix) held
where p.prefix is not null and (:numbers::integer[] is null or s.no = any(:numbers::integer[]))
  and held.prefix_length <> p.delegated_length
union
select r.subnet_no, held.* from reservation r join subnet s on s.no = r.subnet_no
cross join lateral leases_over(s.tenant_no, r.prefix) held
where r.prefix is not null and (:numbers::integer[] is null or s.no = any(:numbers::integer[]))
  and set_masklen(held.address, held.prefix_length) <> r.prefix::inet;

-- name: read_options(family, numbers)
-- Global and class options always; those below a subnet for the subnets asked for, each kind by its own index.
select o.tenant_no, null::integer as subnet_no, o.pool_no, o.class_no, o.reservation_no, o.code, o.vendor_class,
  o.payload, o.always_send, o.never_send
from dhcp_option o
where o.family = :family and o.subnet_no is null and o.pool_no is null and o.reservation_no is null
union all
select o.tenant_no, o.subnet_no, null, null, null, o.code, o.vendor_class, o.payload, o.always_send,
  o.never_send
from dhcp_option o
where o.family = :family and o.subnet_no is not null
  and (:numbers::integer[] is null or o.subnet_no = any(:numbers::integer[]))
union all
select o.tenant_no, p.subnet_no, o.pool_no, null, null, o.code, o.vendor_class, o.payload, o.always_send,
  o.never_send
from pool p join dhcp_option o on o.pool_no = p.no
where o.family = :family and (:numbers::integer[] is null or p.subnet_no = any(:numbers::integer[]))
union all
select o.tenant_no, coalesce(r.subnet_no, -r.tenant_no), null, null, o.reservation_no, o.code, o.vendor_class, o.payload, o.always_send,
  o.never_send
from reservation r join dhcp_option o on o.reservation_no = r.no
where o.family = :family
  and (:numbers::integer[] is null or r.subnet_no = any(:numbers::integer[]) or r.subnet_no is null);
