-- What an explanation reads of the plan beside the server's own snapshot.

-- name: find_subnets(addresses, interfaces, tenant_no)
-- Every subnet that a packet with these addresses, or on this interface, could be for, and those that share its wire.
with entry as (
  select no, tenant_no, shared_network from subnet
  where family(cidr) = 4 and (:tenant_no::integer is null or tenant_no = :tenant_no)
    and (cidr >>= any(:addresses::inet[]) or relay_addresses && :addresses::inet[] or interface = any(:interfaces::text[]))
)
select no from entry
union
select s.no from subnet s join entry e on s.tenant_no = e.tenant_no and s.shared_network = e.shared_network
where family(s.cidr) = 4;

-- name: read_interfaces()
-- On which wires the DHCP servers that are alive hear clients.
select interfaces from node
where role = 'dhcp' and state <> 'stopped' and heartbeat_at >= now() - interval '30 s' and interfaces <> '{}'
order by name;

-- name: read_reservation(no)^
-- The engine knows a reservation by its number; people know it by its address and name.
select id, ip, hostname from reservation where no = :no::integer;

-- name: find_subnets6(link, interface_id, tenant_no)
-- The same for a relayed DHCPv6 message.
with entry as (
  select no, tenant_no, shared_network from subnet
  where family(cidr) = 6 and (:tenant_no::integer is null or tenant_no = :tenant_no)
    and (cidr >>= :link::inet or :link::inet = any(relay_addresses) or interface_id = :interface_id::bytea)
)
select no from entry
union
select s.no from subnet s join entry e on s.tenant_no = e.tenant_no and s.shared_network = e.shared_network
where family(s.cidr) = 6;

-- name: read_reservation6(no)^
-- As read_reservation, with the prefix that may be delegated.
select id, ip, prefix, excluded_prefix, hostname from reservation where no = :no::integer;
