-- What servers and workers would have written at the site of site.yaml: leases with their history, how full it was, nodes,
-- and what wants a person.

with held (subnet, first, last, device) as (
  values ('10.20.0.0/23'::cidr, 32, 190, 'desk'), ('10.20.0.0/23', 256, 280, 'phone'),
    ('10.20.2.0/24', 20, 50, 'visitor'), ('10.30.0.0/24', 50, 71, 'machine')
), made as (
  insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
    reuse_at, client_key, hw_type, hw_address, hostname, relay)
  select tenant_no, no, host(cidr)::inet + number, 32, case when number % 37 = 5 then 'r' else 'a' end::"char",
    nextval('lease_version'), now() - number * interval '1 minute', now() - number % 60 * interval '1 minute',
    now() + '8 hours' - number % 60 * interval '1 minute', now() + '8 hours', '\x0101'::bytea || hardware, 1, hardware,
    device || '-' || number || '.example.net', host(gateway)::inet
  from held join subnet on cidr = subnet, generate_series(first, last) as number,
    lateral (select decode('02005e' || lpad(to_hex(no), 2, '0') || lpad(to_hex(number), 4, '0'), 'hex'))
      as nic (hardware)
  returning *
)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length, ia_type,
  kind, state, address, client_key, hw_type, hw_address, hostname, relay)
select granted_at, pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length, 0,
  'g', 'a', address, client_key, hw_type, hw_address, hostname, relay
from made;

insert into lease (tenant_no, subnet_no, address, prefix_length, ia_type, iaid, state, version, granted_at, renewed_at,
  expires_at, reuse_at, client_key, duid, hostname)
select tenant_no, no, host(cidr)::inet + 4096 + number, 128, 3, 1, 'a', nextval('lease_version'), now() - interval '2 hours',
  now() - interval '20 minutes', now() + '6 hours', now() + '6 hours', '\x03'::bytea || named, named,
  'desk-' || number || '.example.net'
from subnet, generate_series(32, 47) as number,
  lateral (select decode('0003000102005e00' || lpad(to_hex(number), 4, '0'), 'hex')) as client (named)
where cidr = '2001:db8:20::/64';

update lease set state = 'd' where address = '10.20.0.45';

-- Every hour of the last week: much by day, little by night.
insert into usage_history (at, subnet_no, pool_no, leased, total, used, peak)
select date_trunc('hour', now()) - hour * interval '1 hour', subnet.no, 0, taken, 510, taken + 5, taken + 12
from subnet, generate_series(1, 167) as hour,
  lateral (select (110 + 70 * sin(hour * pi() / 12) + hour % 7)::bigint) as counted (taken)
where cidr = '10.20.0.0/23';

insert into node (id, name, role, version, state, heartbeat_at) values
  (gen_random_uuid(), 'north', 'dhcp', '0.1.0', 'ready', now()), (gen_random_uuid(), 'south', 'dhcp', '0.1.0', 'draining', now()),
  (gen_random_uuid(), 'north', 'worker', '0.1.0', 'degraded', now() - interval '1 hour');
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
  values ('192.0.2.77', 1234, now() - interval '1 day', now()), ('2001:db8:77::1', 2, now(), now());
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error)
  select gen_random_uuid(), tenant_no, no, 'add', '10.20.0.40', 'desk-40.example.net', 'conflict', 7, 'YXDOMAIN'
  from subnet where cidr = '10.20.0.0/23';
insert into webhook_delivery (id, webhook_no, event, payload, state, attempts, last_error)
  select gen_random_uuid(), no, 'pool.exhausted', '{}', 'dead', 9, 'connection refused' from webhook;
