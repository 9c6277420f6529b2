-- What a change of the plan means for those who have leases; asked in its transaction, which is then undone.

-- name: refused(subnets, tenants, owners, addresses)
-- Active leases that a server would refuse to renew by the plan as it stands: those of the subnets and of what shares their
-- wires, those of the tenants, or (not null) of the addresses, each of the tenant beside it. The rules are the engine's
-- (dhcp4/messages.pyx, on_known_address): the client's reservation or a pool that is open to it gives the address, and no
-- other address that is reserved for it could be had. What a class asks that a lease does not tell counts as met.
with touched as (
  select no from subnet where no = any(:subnets::integer[])
  union
  select wire.no from subnet join subnet wire using (tenant_no, shared_network) where subnet.no = any(:subnets::integer[])
), held as (
  select lease.*, address::text like '%:%' as is_v6,
         case when length(hw_address) = 6 then encode(hw_address, 'hex')::macaddr end as mac,
         case when substr(client_id, 1, 1) = '\xff' and length(client_id) > 5 then substr(client_id, 6) else duid end as own_duid
  from lease
  where state = 'a' and expires_at > now()
    and (:addresses::inet[] is null
           and (subnet_no in (select no from touched) or subnet_no = any(:subnets::integer[])
                or tenant_no = any(:tenants::integer[]))
         or (tenant_no, address) in (select * from unnest(:owners::integer[], :addresses::inet[])))
)
select held.tenant_no, held.address as ip, held.prefix_length, held.hw_address as mac, held.duid, held.hostname,
       held.expires_at,
       case when home.no is null then 'no subnet has the address any more'
            when verdict.moves then 'its client has a reservation for ' || host(reserved.address) || ', and can move there'
            else 'no pool or reservation gives it to its client any more' end as reason
from held
left join lateral (
  select s.* from subnet s
  where s.tenant_no = held.tenant_no
    and case when held.ia_type = 25 then s.no = held.subnet_no else s.cidr >>= held.address end
) home on true
left join lateral (
  -- The reservation of the client, by the identities in the engine's order, first in its own subnet.
  select r.* from reservation r join subnet wire on wire.no = r.subnet_no
  where wire.tenant_no = held.tenant_no and wire.dhcp_enabled and family(wire.cidr) = family(home.cidr)
    and (wire.no = home.no or wire.shared_network = home.shared_network)
    and (r.mac = held.mac or r.client_id = held.client_id or r.duid = held.own_duid or r.circuit_id = held.circuit_id
         or r.remote_id = held.remote_id)
  order by case when held.is_v6 and r.duid = held.own_duid then 0 when r.mac = held.mac then 1
                when r.client_id = held.client_id then 2 when r.duid = held.own_duid then 3
                when r.circuit_id = held.circuit_id then 4 else 5 end, wire.no <> home.no, wire.no
  limit 1
) own on true
left join lateral (
  -- Else one that holds in all subnets of the tenant, which gives no address, but a class.
  select r.no, r.class_no from reservation r
  where own.no is null and r.tenant_no = held.tenant_no
    and (r.mac = held.mac or r.client_id = held.client_id or r.duid = held.own_duid or r.circuit_id = held.circuit_id
         or r.remote_id = held.remote_id)
  order by case when held.is_v6 and r.duid = held.own_duid then 0 when r.mac = held.mac then 1
                when r.client_id = held.client_id then 2 when r.duid = held.own_duid then 3
                when r.circuit_id = held.circuit_id then 4 else 5 end
  limit 1
) everywhere on true
cross join lateral (
  -- Its classes; one that denies service leaves it without an answer, if that is certain.
  select array_agg(c.no) as members, coalesce(bool_or(c.deny and c.is_certain), false) as denied
  from (
    select no, deny, is_given or (user_class is null and match is null) as is_certain
    from client_class
    cross join lateral (select coalesce(no = coalesce(own.class_no, everywhere.class_no), false) as is_given) given
    where tenant_no = held.tenant_no and (is_given or (
      (vendor_class is null or starts_with(encode(held.vendor_class, 'escape'), vendor_class))
      and (mac_prefix is null or substr(held.hw_address, 1, length(mac_prefix)) = mac_prefix)
      and (locally_administered is null or (
        length(held.hw_address) = 6 and (get_byte(held.hw_address, 0) >> 1 & 1 = 1) = locally_administered))
      and (known is null or known = (own.no is not null or everywhere.no is not null))))
  ) c
) classes
cross join lateral (
  -- What the reservation gives in place of this lease, an address or a prefix.
  select case when held.ia_type = 25 then host(own.prefix)::inet else own.ip end as address,
         case when held.ia_type = 25 then masklen(own.prefix) else masklen(own.ip) end as length
) reserved
cross join lateral (
  select
    reserved.address = held.address and reserved.length = held.prefix_length as is_reserved,
    exists (
      select from pool p
      where p.subnet_no = home.no and (p.class_no is null or p.class_no = any(classes.members))
        and case when held.ia_type = 25 then p.prefix >>= held.address and p.delegated_length = held.prefix_length
                 else held.address between p.start_ip and p.end_ip end
    ) and not exists (
      select from exclude e where e.subnet_no = home.no and held.address between e.start_ip and e.end_ip
    ) and not exists (
      select from assignment a where a.subnet_no = home.no and a.ip = held.address
    ) and not exists (
      select from reservation r where r.subnet_no = home.no and r.ip = held.address
    ) and home.gateway is distinct from held.address
      and (family(home.cidr) = 6 or masklen(home.cidr) > 30
           or held.address not in (host(home.cidr)::inet, host(broadcast(home.cidr))::inet)) as is_pooled,
    (reserved.address <> held.address or reserved.length <> held.prefix_length) and not exists (
      select from lease other
      where other.tenant_no = held.tenant_no and other.address = reserved.address and other.reuse_at > now()
        and (other.state = 'd' or other.client_key <> held.client_key)
    ) as moves
) verdict
where home.no is null
  or home.dhcp_enabled and not classes.denied
     and (coalesce(verdict.moves, false) or not (coalesce(verdict.is_reserved, false) or verdict.is_pooled))
order by held.tenant_no, held.address;

-- name: bindings(owners, addresses, subnets)
-- The names that DNS has for these addresses, each of the tenant beside it, and in these subnets: they are withdrawn with
-- what they follow.
select fqdn as name, case when target is not null then 'CNAME' when family(ip) = 4 then 'A' else 'AAAA' end as type,
  coalesce(target || '.', host(ip)) as data, source
from ddns_published
where (tenant_no, ip) in (select * from unnest(:owners::integer[], :addresses::inet[]))
   or exists (select from subnet s
              where s.no = any(:subnets::integer[]) and s.tenant_no = ddns_published.tenant_no and s.cidr >>= ddns_published.ip)
order by ip;
