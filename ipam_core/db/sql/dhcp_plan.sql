-- What the DHCP server reads of the plan. `numbers` null means everything; the server reads a plan in one
-- repeatable-read transaction, so that a subnet's fence and its children belong together.

-- name: read_plan_position()^
select pg_snapshot_xmin(pg_current_snapshot())::text as xmin;

-- name: read_changes(cursor, bound)
-- What changed since the cursor. The next reading begins at the bound, below which all is visible now: it reads again
-- what is visible above it.
select no, subnet_no, object_type, xid >= :bound::text::xid8 as is_above
from change where xid >= :cursor::text::xid8;

-- name: read_tenants()
select no, id, name, is_default from tenant;

-- name: read_classes()
select * from client_class order by tenant_no, priority, no;

-- name: read_relays()
select cidr, coalesce(tenant_no, 0) as tenant_no from trusted_relay where family(cidr) = 4;

-- name: read_definitions()
select * from option_definition where family = 4;

-- name: read_subnets(numbers)
select * from subnet
where family(cidr) = 4 and (:numbers::integer[] is null or no = any(:numbers::integer[]));

-- name: read_pools(numbers)
select * from pool
where family(start_ip) = 4 and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]))
order by start_ip;

-- name: read_excludes(numbers)
select subnet_no, start_ip, end_ip from exclude
where family(start_ip) = 4 and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]));

-- name: read_assignments(numbers)
select subnet_no, ip from assignment
where family(ip) = 4 and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]));

-- name: read_reservations(numbers)
select no, subnet_no, ip, mac::text as mac, client_id, circuit_id, hostname from reservation
where (ip is null or family(ip) = 4) and (:numbers::integer[] is null or subnet_no = any(:numbers::integer[]));

-- name: read_options(numbers)
-- Global and class options always; those below a subnet for the subnets asked for.
select o.tenant_no, coalesce(o.subnet_no, p.subnet_no, r.subnet_no) as subnet_no, o.pool_no, o.class_no,
  o.reservation_no, o.code, o.vendor_class, o.payload, o.always_send
from dhcp_option o left join pool p on p.no = o.pool_no left join reservation r on r.no = o.reservation_no
where o.family = 4 and (:numbers::integer[] is null or coalesce(o.subnet_no, p.subnet_no, r.subnet_no) is null
  or coalesce(o.subnet_no, p.subnet_no, r.subnet_no) = any(:numbers::integer[]));
