-- name: hold_line!
-- A zone's own tenant's enabled zones above and below it, in the order of their numbers: whoever writes records holds its
-- zone, so what is found in them next stays as it is.
select no from dns_zone
where tenant_no = :tenant_no::integer and dns_enabled and no <> :zone_no::integer
  and (name = any(:above::text[]) or above @> array[:name::text])
order by no for update;

-- name: redirecting^
-- A DNAME above a zone's name, in an enabled zone of its tenant.
select jsonb_build_object('type', 'dns_record', 'fqdn', dns_full_name(r.name, z.name), 'record_type', r.type, 'data', r.data)
  as record
from dns_zone z join dns_record r on r.zone_no = z.no and r.type = 'DNAME'
where z.tenant_no = :tenant_no::integer and z.dns_enabled and z.name = any(:above::text[]) and :name::text <> z.name
  and dns_full_name(r.name, z.name) = any(:above::text[])
limit 1;

-- name: hidden^
-- How many records an operator wrote at or below a zone's name that another zone than theirs answers for, one of them, and
-- one that could not be moved there: because an alias stands alone, a DNAME leaves no names below its own (of the hidden
-- ones, or of that zone), one name has two, a null MX is its name's only one, or the RRset would have too many records (dns/content.py).
with hidden as (
  select found.*, sum((not exists (select from dns_record o where o.zone_no = home_no
    and o.name = dns_owner(fqdn, home_name) and o.type = found.type and o.data = found.data))::integer)
    over (partition by home_no, fqdn, found.type) as added
  from ({hidden records}) as found
)
select count(*) filter (where source = 'static') as count,
  (array_agg(jsonb_build_object('type', 'dns_record', 'fqdn', fqdn, 'record_type', type, 'data', data)
    order by fqdn, type) filter (where source = 'static'))[1] as one,
  (array_agg(jsonb_build_object('type', 'dns_record', 'fqdn', fqdn, 'record_type', type, 'data', data)
    order by fqdn, type) filter (where
    type = 'CNAME' and fqdn = home_name
    or exists (select from dns_record o where o.zone_no = home_no and o.name = dns_owner(fqdn, home_name)
      and (o.type = 'CNAME' or hidden.type = 'CNAME' or o.type = 'DNAME' and hidden.type = 'DNAME'
        or o.type = 'MX' and hidden.type = 'MX' and (o.data ~ ' \.$' or hidden.data ~ ' \.$'))
      and (o.type <> hidden.type or o.data <> hidden.data))
    or exists (select from unnest(dns_names_above(fqdn)) as up (name)
      join dns_record o on o.zone_no = home_no and o.name = dns_owner(up.name, home_name) and o.type = 'DNAME'
      where up.name <> fqdn and home_name = any(dns_names_above(up.name)))
    or type = 'DNAME' and exists (select from dns_record o where o.zone_no = home_no
      and fqdn = any(dns_names_above(dns_full_name(o.name, home_name))) and dns_full_name(o.name, home_name) <> fqdn)
    or added > 0 and added + (select count(*) from dns_record o
      where o.zone_no = home_no and o.name = dns_owner(fqdn, home_name) and o.type = hidden.type) > :most::integer))[1] as fixed
from hidden;

-- name: drop_hidden
-- Those of which the zone that answers has the same already.
with hidden as ({hidden records})
delete from dns_record r using hidden, dns_record o
where r.no = hidden.no and o.zone_no = hidden.home_no and o.name = dns_owner(hidden.fqdn, hidden.home_name)
  and o.type = hidden.type and o.data = hidden.data
returning r.no, r.source, hidden.zone_id, hidden.fqdn, r.id, r.name, r.type, r.data, r.ttl, r.description, r.created_at,
  r.updated_at,
  (select min(coalesce(b.ttl, hidden.default_ttl)) from dns_record b
    where b.zone_no = r.zone_no and b.name = r.name and b.type = r.type) as served_ttl;

-- name: move_hidden
-- The others, with the TTL that they had. Two zones that are above one another may both have had a record.
with hidden as ({hidden records}), one as (
  select distinct on (home_no, fqdn, type, data) * from hidden order by home_no, fqdn, type, data, source = 'static' desc, no
)
update dns_record r set zone_no = one.home_no, name = dns_owner(one.fqdn, one.home_name), updated_at = now(),
  ttl = case when r.ttl is null and one.default_ttl <> one.home_ttl then one.default_ttl else r.ttl end
from one where r.no = one.no
returning r.no, r.source, one.zone_id as old_zone_id, one.name as old_name, one.ttl as old_ttl,
  one.updated_at as old_updated_at, one.home_id as zone_id, one.fqdn, r.id, r.name, r.type, r.data, r.ttl, r.description,
  r.created_at, r.updated_at, least(coalesce(r.ttl, one.home_ttl), (select min(coalesce(b.ttl, one.home_ttl))
    from dns_record b where b.zone_no = one.home_no and b.name = r.name and b.type = r.type)) as served_ttl,
  (select min(coalesce(b.ttl, one.default_ttl)) from dns_record b
    where b.zone_no = one.zone_no and b.name = one.name and b.type = r.type) as old_served_ttl;

-- name: zone_of_name^
-- The enabled zone below an enabled one that answers for a name of it. `between`: the name and those above it, down from
-- the zone.
select child.id, child.name from dns_zone zone
join dns_zone child on child.tenant_no = zone.tenant_no and child.dns_enabled and child.name = any(:between::text[])
where zone.no = :zone_no::integer and zone.dns_enabled
order by length(child.name) desc limit 1;

-- name: zones_below
-- Names of the enabled zones below an enabled one.
select child.name from dns_zone zone
join dns_zone child on child.tenant_no = zone.tenant_no and child.dns_enabled and child.above @> array[zone.name]
  and child.no <> zone.no
where zone.no = :zone_no::integer and zone.dns_enabled;

-- name: concerned
-- Enabled zones of which what is said above may differ: those whose own NS records or fields were touched, and those of
-- whose servers, below them, an address was touched.
select name from dns_zone z
where dns_enabled and (no = any(:touched::integer[])
  or name in (select unnest(dns_names_above(host)) from unnest(:hosts::text[]) as host) and (
  exists (select from dns_record r where r.zone_no = z.no and r.name = '@' and r.type = 'NS'
    and left(r.data, -1) = any(:hosts::text[]))
  or coalesce(z.mname, z.name) = any(:hosts::text[])));

-- name: delegated
-- Names of which something is said, and of which something may have to be said.
select name from dns_zone where dns_enabled
union select dns_full_name(r.name, z.name) from dns_record r join dns_zone z on z.no = r.zone_no
where r.source = 'delegation' and r.type = 'NS';

-- name: differing
-- What is to be said of zones, of those above and of those below `widened`, and is not, and what is said and is not to be:
-- the NS records of a zone in the zone above, of the same tenant, and the addresses that it has of its servers (RFC 9471).
-- A zone without NS records is served by the host that its SOA names.
with child as materialized (
  select no, name, above, tenant_no, mname, default_ttl from dns_zone
  where dns_enabled and (name in (select unnest(dns_names_above(written)) from unnest(:names::text[]) as written)
    or above && :widened::text[])
), server as materialized (
  select child.tenant_no, child.name, parent.no as parent_no, parent.name as parent_name,
    coalesce(r.ttl, child.default_ttl) as ttl, coalesce(r.data, coalesce(child.mname, child.name) || '.') as target
  from child
  cross join lateral (
    select no, name from dns_zone
    where tenant_no = child.tenant_no and dns_enabled and no <> child.no and name = any(child.above)
    order by length(name) desc limit 1
  ) as parent
  left join dns_record r on r.zone_no = child.no and r.name = '@' and r.type = 'NS'
), host as (
  select distinct tenant_no, parent_no, parent_name, left(target, -1) as name from server
  where left(target, -1) = name or dns_is_below(left(target, -1), name)
), wanted as (
  select parent_no as zone_no, dns_owner(name, parent_name) as name, 'NS' as type, min(ttl) as ttl, target as data
  from server group by 1, 2, target
  union all
  select host.parent_no, dns_owner(host.name, host.parent_name), r.type, coalesce(r.ttl, home.default_ttl), r.data
  from host
  cross join lateral (
    select no, name, default_ttl from dns_zone
    where tenant_no = host.tenant_no and dns_enabled and name = any(dns_names_above(host.name))
    order by length(name) desc limit 1
  ) as home
  join dns_record r on r.zone_no = home.no and r.name = dns_owner(host.name, home.name) and r.type in ('A', 'AAAA')
), scope as materialized (
  select name from child union select unnest(:names::text[])
), holder as materialized (
  select scope.name as below, z.no, z.name from scope
  join dns_zone z on z.name = any((dns_names_above(scope.name))[2:])
), present as (
  select r.no, r.zone_no, r.name, r.type, r.ttl, r.data from holder
  join dns_record r on r.zone_no = holder.no and r.name = dns_owner(holder.below, holder.name) and r.type = 'NS'
    and r.source = 'delegation'
  union
  select r.no, r.zone_no, r.name, r.type, r.ttl, r.data from (select distinct no, name from holder) as z
  join dns_record r on r.zone_no = z.no and r.type in ('A', 'AAAA') and r.source = 'delegation'
  cross join lateral unnest(dns_names_above(dns_full_name(r.name, z.name))) as above (name)
  join (select distinct below from holder) as scoped on scoped.below = above.name
  where dns_is_below(above.name, z.name)
)
select present.no, zone_no, name, type, ttl, data
from (select *, true as is_wanted from wanted) as wanted
full join present using (zone_no, name, type, ttl, data)
where present.no is null or wanted.is_wanted is null;

-- name: hold_zones
-- Writers of delegations follow one another in the order of zones.
select no from dns_zone where no = any(:numbers::integer[]) order by no for no key update;

-- name: hold_idle_zones
-- The same of a publisher, which waits for no writer, because all tenants wait for it.
select no from dns_zone where no = any(:numbers::integer[]) order by no for no key update skip locked;

-- name: drop!
-- What is no longer said.
delete from dns_record where no = any(:numbers::bigint[]);

-- name: put!
-- What is said from now on; one that an operator wrote stays.
insert into dns_record (id, zone_no, name, type, ttl, data, source)
select id, zone_no, name, type, ttl, data, 'delegation'
from unnest(:ids::uuid[], :zones::integer[], :names::text[], :types::text[], :ttls::integer[], :data::text[])
  as said (id, zone_no, name, type, ttl, data)
order by zone_no, name, type, data
on conflict do nothing;

-- name: drop_all!
-- With the zone that said it.
delete from dns_record where zone_no = :zone_no::integer and source = 'delegation';
