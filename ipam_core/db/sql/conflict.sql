-- name: tenant_name_unique^
-- One query a constraint, under its name: the object that a refused row (never the row `no` itself) met.
select 'tenant' as type, id, name from tenant where name = :name::text and no <> :no::integer;

-- name: prefix_overlap^
-- Several may overlap; the lowest is named.
select 'prefix' as type, id, cidr from prefix
where tenant_no = :tenant_no::integer and cidr && :cidr::cidr and no <> :no::integer order by cidr limit 1;

-- name: subnet_overlap^
-- Several may overlap; the lowest is named.
select 'subnet' as type, id, cidr, name from subnet
where tenant_no = :tenant_no::integer and cidr && :cidr::cidr and no <> :no::integer order by cidr limit 1;

-- name: pool_overlap^
-- Ranges overlap where each begins before the other ends; the first is named.
select 'pool' as type, id, start_ip, end_ip, name from pool
where subnet_no = :subnet_no::integer and start_ip <= :end_ip::inet and end_ip >= :start_ip::inet
  and no <> :no::integer order by start_ip limit 1;

-- name: pool_prefix_overlap^
-- Prefixes overlap where one lies in the other.
select 'pool' as type, id, prefix, name from pool
where subnet_no = :subnet_no::integer and prefix && :prefix::cidr and no <> :no::integer order by prefix limit 1;

-- name: subnet_delegation_overlap^
-- See functions/delegation.sql. Pools and reserved prefixes of other subnets; the lowest is named.
select * from delegations_in_the_way('subnet', :tenant_no::integer, :no::integer, :cidr::cidr, :no::integer)
order by network limit 1;

-- name: pool_delegation_overlap^
-- Subnets, other pools, and prefixes that other subnets reserve; a subnet is named before what stands in it.
select found.* from subnet cross join lateral delegations_in_the_way(
  'pool', subnet.tenant_no, subnet.no, :prefix::cidr, :no::integer) found
where subnet.no = :subnet_no::integer order by found.type desc, found.network limit 1;

-- name: reservation_delegation_overlap^
-- Other subnets, and what stands in them.
select found.* from subnet cross join lateral delegations_in_the_way(
  'reservation', subnet.tenant_no, subnet.no, :prefix::cidr, :no::integer) found
where subnet.no = :subnet_no::integer order by found.type desc, found.network limit 1;

-- name: exclude_overlap^
-- As pool_overlap, of the same subnet.
select 'exclude' as type, id, start_ip, end_ip from exclude
where subnet_no = :subnet_no::integer and start_ip <= :end_ip::inet and end_ip >= :start_ip::inet
  and no <> :no::integer order by start_ip limit 1;

-- name: client_class_name_unique^
-- Class names are unique in a tenant.
select 'client_class' as type, id, name from client_class
where tenant_no = :tenant_no::integer and name = :name::text and no <> :no::integer;

-- name: reservation_ip_unique^
-- An address has one reservation; the host name tells whose.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and ip = :ip::inet and no <> :no::integer;

-- name: reservation_mac_unique^
-- A client that two reservations recognise would have two addresses; so with the identifiers below.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and mac = :mac::macaddr and no <> :no::integer;

-- name: reservation_duid_unique^
-- As reservation_mac_unique, by the DUID.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and duid = :duid::bytea and no <> :no::integer;

-- name: reservation_client_id_unique^
-- As reservation_mac_unique, by the client identifier.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and client_id = :client_id::bytea and no <> :no::integer;

-- name: reservation_circuit_id_unique^
-- As reservation_mac_unique, by the relay's circuit.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and circuit_id = :circuit_id::bytea and no <> :no::integer;

-- name: reservation_remote_id_unique^
-- As reservation_mac_unique, by the relay's remote id.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and remote_id = :remote_id::bytea and no <> :no::integer;

-- name: reservation_subscriber_id_unique^
-- As reservation_mac_unique, by the relay's subscriber id.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :subnet_no::integer and subscriber_id = :subscriber_id::bytea and no <> :no::integer;

-- name: reservation_prefix_overlap^
-- Several delegated prefixes may overlap; the lowest is named.
select 'reservation' as type, id, prefix, hostname from reservation
where subnet_no = :subnet_no::integer and prefix && :prefix::cidr and no <> :no::integer order by prefix limit 1;

-- name: reservation_tenant_mac_unique^
-- As reservation_mac_unique, by the hardware address, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and mac = :mac::macaddr and no <> :no::integer;

-- name: reservation_tenant_duid_unique^
-- As reservation_mac_unique, by the DUID, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and duid = :duid::bytea and no <> :no::integer;

-- name: reservation_tenant_client_id_unique^
-- As reservation_mac_unique, by the client identifier, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and client_id = :client_id::bytea and no <> :no::integer;

-- name: reservation_tenant_circuit_id_unique^
-- As reservation_mac_unique, by the circuit, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and circuit_id = :circuit_id::bytea and no <> :no::integer;

-- name: reservation_tenant_remote_id_unique^
-- As reservation_mac_unique, by the remote id, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and remote_id = :remote_id::bytea and no <> :no::integer;

-- name: reservation_tenant_subscriber_id_unique^
-- As reservation_mac_unique, by the subscriber id, among those that hold in all of the tenant.
select 'reservation' as type, id, ip, hostname from reservation
where tenant_no = :tenant_no::integer and subscriber_id = :subscriber_id::bytea and no <> :no::integer;

-- name: assignment_ip_unique^
-- An address is assigned to one host; its name tells whose.
select 'assignment' as type, id, ip, hostname from assignment
where subnet_no = :subnet_no::integer and ip = :ip::inet and no <> :no::integer;

-- name: dhcp_option_unique^
-- An option stands once at a scope; the columns that say nothing of the scope are null on both sides.
select 'option' as type, id, code from dhcp_option
where tenant_no = :tenant_no::integer and family = :family::smallint and code = :code::integer
  and vendor_class is not distinct from :vendor_class::text
  and subnet_no is not distinct from :subnet_no::integer and pool_no is not distinct from :pool_no::integer
  and class_no is not distinct from :class_no::integer
  and reservation_no is not distinct from :reservation_no::integer and no <> :no::integer;

-- name: trusted_relay_unique^
-- A network is trusted once; that of another tenant was looked for before.
select 'trusted_relay' as type, id, cidr from trusted_relay
where cidr = :cidr::cidr and tenant_no is not distinct from :tenant_no::integer and no <> :no::integer;

-- name: option_definition_code_unique^
-- A code means one thing in a space; the space of standard options has no name.
select 'option_definition' as type, id, code, name from option_definition
where tenant_no = :tenant_no::integer and family = :family::smallint and code = :code::integer
  and vendor_space is not distinct from :vendor_space::text and no <> :no::integer;

-- name: option_definition_name_unique^
-- Names are unique in the same space as codes: what an operator reads means one thing.
select 'option_definition' as type, id, code, name from option_definition
where tenant_no = :tenant_no::integer and family = :family::smallint and name = :name::text
  and vendor_space is not distinct from :vendor_space::text and no <> :no::integer;

-- name: dns_server_name_unique^
-- Server names are unique in a tenant.
select 'dns_server' as type, id, name from dns_server
where tenant_no = :tenant_no::integer and name = :name::text and no <> :no::integer;

-- name: notification_name_unique^
-- Notification names are unique in a tenant, and among those of all tenants.
select 'notification' as type, id, name from notification
where tenant_no is not distinct from :tenant_no::integer and name = :name::text and no <> :no::integer;

-- name: dns_zone_name_unique^
-- A tenant serves a zone once; another tenant may have one of that name.
select 'dns_zone' as type, id, name from dns_zone
where tenant_no = :tenant_no::integer and name = :name::text and no <> :no::integer;

-- name: dns_zone_enabled_unique^
-- Another tenant's, of which nothing is shown. Processes of a release without dns_tree.sql meet this constraint.
select null as type where false;

-- name: dns_record_unique^
-- The same name, type and data a second time would say nothing new.
select 'dns_record' as type, id, name, dns_record.type as record_type, data from dns_record
where zone_no = :zone_no::integer and name = :name::text and dns_record.type = :type::text
  and data = :data::text and no <> :no::integer;
