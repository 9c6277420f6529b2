-- name: conflicts
-- Enabled zones that could not be enabled today: they were before tenants had suffixes, or before a suffix was granted.
with enabled as materialized (
  select z.no, z.tenant_no, z.name, z.above, t.name as tenant, t.is_default, t.dns_suffixes
  from dns_zone z join tenant t on t.no = z.tenant_no where z.dns_enabled
), suffix as materialized (
  select no as tenant_no, tenant.name as tenant, unnest(dns_suffixes) as name from tenant
)
select 'outside' as kind, name as zone, tenant, null as other, null as other_tenant from enabled
where not is_default and not above && dns_suffixes
union all
select 'zone', below.name, below.tenant, top.name, top.tenant
from (select enabled.*, unnest(above) as name_above from enabled) as below
join enabled as top on top.name = below.name_above and top.tenant_no <> below.tenant_no
union all
select 'suffix', zone.name, zone.tenant, suffix.name, suffix.tenant
from (select enabled.*, unnest(above) as name_above from enabled) as zone
join suffix on suffix.name = zone.name_above and suffix.tenant_no <> zone.tenant_no
order by 1, 2, 4;

-- name: hidden
-- Records that operators wrote, by their zone and the zone of the same tenant that answers for them.
select z.name as zone, t.name as tenant, home.name as other, count(*) as records
from dns_zone z
join tenant t on t.no = z.tenant_no
join dns_record r on r.zone_no = z.no
cross join lateral (select dns_full_name(r.name, z.name) as fqdn) as owner
cross join lateral (
  select no, name from dns_zone h
  where h.tenant_no = z.tenant_no and h.dns_enabled and h.name = any(dns_names_above(owner.fqdn))
    and (r.type <> 'DS' or h.name <> owner.fqdn or r.name = '@')
  order by length(h.name) desc limit 1
) as home
where z.dns_enabled and r.source = 'static' and r.name <> '@' and home.no <> z.no
  and exists (select from dns_zone c where c.tenant_no = z.tenant_no and c.dns_enabled and c.above @> array[z.name]
    and c.no <> z.no)
group by 1, 2, 3
order by 1, 3;
