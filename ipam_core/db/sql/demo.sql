-- name: is_planned$
-- Whether anybody has planned anything: the demonstration never mixes with somebody's plan.
select exists (select from prefix);

-- name: fill!
-- One small network that shows each kind of object, and the relay network that `ipam probe` speaks from.
with
  default_tenant as (select no from tenant where is_default),
  new_prefix as (
    insert into prefix (id, tenant_no, cidr, description)
    select (:ids::uuid[])[1], no, '10.64.0.0/16', 'Demonstration' from default_tenant
    returning no, tenant_no),
  new_subnet as (
    insert into subnet (id, tenant_no, prefix_no, cidr, name, gateway, relay_addresses)
    select (:ids::uuid[])[2], tenant_no, no, '10.64.0.0/16', 'demo', '10.64.0.1', '{127.0.0.1}' from new_prefix
    returning no, tenant_no),
  new_pool as (
    insert into pool (id, subnet_no, name, start_ip, end_ip)
    select (:ids::uuid[])[3], no, 'demo', '10.64.1.0', '10.64.255.254' from new_subnet),
  new_exclude as (
    insert into exclude (id, subnet_no, start_ip, end_ip, description)
    select (:ids::uuid[])[4], no, '10.64.1.0', '10.64.1.9', 'Held back from the pool' from new_subnet),
  new_reservation as (
    insert into reservation (id, subnet_no, ip, mac, hostname)
    select (:ids::uuid[])[5], no, '10.64.0.50', '02:00:00:00:00:01', 'printer' from new_subnet),
  new_relay as (
    insert into trusted_relay (id, cidr, description) values ((:ids::uuid[])[6], '127.0.0.0/8', 'Demonstration'))
insert into dhcp_option (id, tenant_no, subnet_no, code, payload)
select option.id, tenant_no, no, option.code, option.payload
from new_subnet, (values
  ((:ids::uuid[])[7], 6, '{"addresses": ["10.64.0.2", "10.64.0.3"]}'::jsonb),
  ((:ids::uuid[])[8], 15, '{"string": "demo.example"}'::jsonb),
  ((:ids::uuid[])[9], 42, '{"addresses": ["10.64.0.4"]}'::jsonb)) as option (id, code, payload);
