select r.no, r.zone_no, r.name, r.type, r.data, r.ttl, r.source, r.updated_at, z.id as zone_id, z.default_ttl, owner.fqdn,
  home.no as home_no, home.id as home_id, home.name as home_name, home.default_ttl as home_ttl
from dns_zone z
join dns_record r on r.zone_no = z.no
cross join lateral (select dns_full_name(r.name, z.name) as fqdn) as owner
cross join lateral (
  select no, id, name, default_ttl from dns_zone h
  where h.tenant_no = z.tenant_no and h.dns_enabled and h.name = any(dns_names_above(owner.fqdn))
    -- What is signed of a zone below stands above it (RFC 4035 section 2.4).
    and (r.type <> 'DS' or h.name <> owner.fqdn or r.name = '@')
  order by length(h.name) desc limit 1
) as home
where z.tenant_no = :tenant_no::integer and z.dns_enabled and r.source <> 'delegation' and home.no <> z.no
  and (z.name = any(:above::text[]) or z.name = :name::text)
  and right(owner.fqdn, length(:name::text)) = :name::text
