-- depends: 0009.events

-- One write as a DHCP server asks for it: an element of the array that the lease statements take. An array of rows costs
-- PostgreSQL a twentieth less than an array for each column, which it would put together row by row again.
--   place: which of the statement's subnets and fences it was decided under. operation: b bind, n renew, r release,
--   d decline, v revoke, x expire, q quarantine. lifetime, margin: seconds. age: of the packet, microseconds. version:
--   the one seen, or 0.
create type lease_operation as (
  tenant_no integer, address inet, subnet_no integer, place smallint, operation "char", lifetime integer, margin integer,
  age integer, version bigint, hw_type smallint, hw_address bytea, client_id bytea, client_key bytea, hostname text,
  relay inet, circuit_id bytea, remote_id bytea);
