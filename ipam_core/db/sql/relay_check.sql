-- Which packets reached a tenant by address ranges alone in releases before this one, and reach it no more until an admin
-- without a tenant binds the relay or the link (decisions: Ownership of packets). `networks`: of the servers' setting.

-- name: several_tenants$
-- With the default tenant alone there is nothing to bind.
select exists (select from subnet join tenant on tenant.no = subnet.tenant_no where not is_default);

-- name: unbound_subnets(networks, most)
-- Subnets of other tenants than the default one below relays that nobody bound: the default tenant has nothing there, no
-- entry of the tenant says that its relays are there, and no entry of another one.
with entry as (
  select cidr, tenant_no, vss from trusted_relay
  union all
  select own, null, false from unnest(:networks::cidr[]) as own where not exists (select from trusted_relay where cidr = own)
), place as (
  select no, tenant_no, cidr as within, cidr, gateway from subnet where dhcp_enabled and interface is null
  union all
  select no, tenant_no, set_masklen(address, case family(address) when 4 then 32 else 128 end)::cidr, cidr, null
  from subnet cross join unnest(relay_addresses) as address where dhcp_enabled and interface is null
)
select distinct on (place.no) place.cidr, place.within, place.gateway, tenant.id as tenant_id, tenant.name as tenant, entry.cidr as entry,
  entry.vss
from place
join tenant on tenant.no = place.tenant_no and not tenant.is_default
join entry on entry.tenant_no is null and entry.cidr && place.within
where not exists (select from entry bound where bound.tenant_no is not null and masklen(bound.cidr) >= masklen(entry.cidr)
    and (bound.tenant_no = place.tenant_no and bound.cidr && place.within or bound.cidr >>= place.within))
  and not exists (select from subnet own
    where own.cidr && place.within and own.tenant_no = (select no from tenant where is_default))
order by place.no, masklen(entry.cidr) desc limit :most::integer;

-- name: leasing_relays(networks, scanned, most)
-- Relays by which tenants have leases that run, and which belong to another tenant now. Of each tenant so many leases are
-- looked at (null: all), because no index leads to relays. DHCPv6 keeps the source of the datagram in front of what the
-- relays put around the message.
with entry as (
  select no, cidr, tenant_no, vss from trusted_relay
  union all select 2147483647, own, null, false from unnest(:networks::cidr[]) as own
), held as (
  select tenant.no as tenant_no, tenant.id as tenant_id, tenant.name as tenant,
    case when family(lease.address) = 4 then lease.relay
         when length(lease.relay_info) >= 16
         then regexp_replace(encode(substring(lease.relay_info from 1 for 16), 'hex'), '(.{4})(?!$)', '\1:', 'g')::inet end as relay,
    lease.relay_info, lease.renewed_at
  from tenant cross join lateral (
    select address, relay, relay_info, renewed_at from lease
    where lease.tenant_no = tenant.no and lease.state = 'a' and lease.expires_at > now() limit :scanned::integer
  ) as lease
  where not tenant.is_default
), counted as (
  select tenant_no, tenant_id, tenant, relay, count(*) as leases, max(renewed_at) as renewed_at,
    (array_agg(relay_info) filter (where relay_info is not null))[1] as relay_info
  from held where relay is not null group by tenant_no, tenant_id, tenant, relay
)
select counted.tenant_id, counted.tenant, counted.relay, counted.leases, counted.renewed_at, counted.relay_info, owner.cidr as entry
from counted cross join lateral (
  select cidr, tenant_no, vss from entry where cidr >>= counted.relay
  order by masklen(cidr) desc, no = 2147483647, tenant_no is null, no limit 1
) as owner
where owner.tenant_no is distinct from counted.tenant_no and not (owner.tenant_no is null and owner.vss)
order by counted.leases desc, counted.relay limit :most::integer;

-- name: unbound_links(most)
-- Links of servers with an address in a subnet of another tenant than the default one, to which nothing is bound.
select distinct on (subnet.no, link.name) subnet.cidr, subnet.id as subnet_id, tenant.id as tenant_id, tenant.name as tenant,
  link.name as interface, address.value as address
from node
cross join lateral jsonb_each(node.interfaces) as link (name, addresses)
cross join lateral jsonb_array_elements_text(link.addresses) as address
join subnet on subnet.cidr >>= address.value::inet and subnet.dhcp_enabled
join tenant on tenant.no = subnet.tenant_no and not tenant.is_default
where node.state <> 'stopped' and node.heartbeat_at >= now() - interval '30 s'
  and not exists (select from subnet bound where bound.interface = link.name)
  and not exists (select from subnet own join tenant owner on owner.no = own.tenant_no
    where owner.is_default and own.cidr >>= address.value::inet)
order by subnet.no, link.name limit :most::integer;
