-- depends: 0019.assign

-- What DHCPv6 writes of a lease beside what DHCPv4 does, and what access concentrators (leasequery) and people ask of
-- either: which device it is. Nullable columns cost a table of any size nothing, and rows that leave them out no octet.
--   preferred_lifetime: seconds, of IPv6. link_address: of the relay that chose the subnet (RFC 8415 section 9).
--   relay_id: the relay's DUID (RFC 5460, RFC 6925). relay_info: what the relays said, as it came.
--   vendor_class: option 60 or 16. parameter_list: option 55 or 6.
alter table lease
  add column preferred_lifetime integer,
  add column link_address inet,
  add column relay_id bytea,
  add column relay_info bytea,
  add column vendor_class bytea,
  add column parameter_list bytea;

-- A delegated prefix is routed by whoever reads the history: relay, circuit_id (interface id) and this say where to.
alter table lease_event add column link_address inet;

-- Of which identity association a lease is (RFC 8415 section 12); null for IPv4. ia_type: the option's code, 3 or 25.
create type lease_association as (
  ia_type smallint, prefix_length smallint, iaid bigint, preferred_lifetime integer, duid bytea, link_address inet);

-- What is told of the device with a grant; null where nothing is.
create type lease_device as (relay_id bytea, relay_info bytea, vendor_class bytea, parameter_list bytea);

-- One write as a DHCP server asks for it; lease_operation of 0010 is what servers of the version before still send.
-- Fields and their meaning are those of lease_operation, and behind them the two above: what IPv4 leaves out costs it
-- one field each.
create type lease_write as (
  tenant_no integer, address inet, subnet_no integer, place smallint, operation "char", lifetime integer, margin integer,
  age integer, version bigint, hw_type smallint, hw_address bytea, client_id bytea, client_key bytea, hostname text,
  relay inet, circuit_id bytea, remote_id bytea, association lease_association, device lease_device);
