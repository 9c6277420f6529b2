-- name: dns_zone_view^
-- Not every zone is sent to a server, or published; the serial is the one by which it was last served, or one that it is
-- raised to and is about to have.
select dns_zone.no, dns_zone.id, tenant.id as tenant_id, dns_zone.name, dns_server.id as dns_server_id,
       dns_zone.description, dns_zone.dns_enabled, dns_zone.updated_elsewhere, dns_zone.transfer_networks,
       dns_zone.secondary_ids, dns_zone.default_ttl, dns_zone.mname, dns_zone.rname, dns_zone.refresh_seconds,
       dns_zone.retry_seconds, dns_zone.expire_seconds, dns_zone.minimum_seconds,
       coalesce(dns_zone.wanted_serial, dns_published.serial, dns_zone.serial) as serial, dns_zone.created_at, dns_zone.updated_at
from dns_zone
join tenant on tenant.no = dns_zone.tenant_no
left join dns_server on dns_server.no = dns_zone.dns_server_no
left join dns_published on dns_published.zone_no = dns_zone.no;

-- name: dns_record_view^
-- The full name is made here, because clients search by it; @ stands for the zone itself. The records of an RRset are served
-- with the shortest of their TTLs (dns/rrsets.py). `warnings`: what its target's owners have, where the record has one, and its
-- own name where that ends with the zone's or like a name of the world (dns/target_warnings.py judges).
select dns_record.no, dns_record.id, dns_zone.id as zone_id, dns_record.name,
       case dns_record.name when '@' then dns_zone.name else dns_record.name || '.' || dns_zone.name end as fqdn,
       dns_record.type, dns_record.data, dns_record.ttl,
       least(coalesce(dns_record.ttl, dns_zone.default_ttl), (select min(coalesce(beside.ttl, dns_zone.default_ttl))
         from public.dns_record beside where beside.zone_no = dns_record.zone_no and beside.no <> dns_record.no
         and beside.name = dns_record.name and beside.type = dns_record.type)) as served_ttl, dns_record.description, dns_record.source,
       case when dns_record.type in ('MX', 'SRV', 'NS', 'CNAME', 'HTTPS', 'SVCB', 'DNAME') or dns_record.name = dns_zone.name
           or dns_record.type = 'PTR' and right(lower(dns_record.data), length(dns_zone.name) + 2) = '.' || dns_zone.name || '.'
           or right(dns_record.name, length(dns_zone.name) + 1) = '.' || dns_zone.name
           or dns_record.name ~ '\.(arpa|biz|com|edu|gov|info|int|mil|net|org)$'
       then (
         select jsonb_build_object('name', dns_record.name, 'type', dns_record.type, 'data', dns_record.data,
           'zone', dns_zone.name, 'near', coalesce(jsonb_agg(distinct jsonb_build_array(near.name, near.type, '')), '[]'))
         from (select lower(rtrim(case dns_record.type when 'MX' then split_part(dns_record.data, ' ', 2)
             when 'SRV' then split_part(dns_record.data, ' ', 4) when 'HTTPS' then split_part(dns_record.data, ' ', 2)
             when 'SVCB' then split_part(dns_record.data, ' ', 2) when 'PTR' then '' else dns_record.data end, '.')) as name) as target
         cross join lateral (select array(select dns_owner(up.name, dns_zone.name) from unnest(dns_names_above(target.name)) as up (name)
             where dns_zone.name = any(dns_names_above(up.name))) as names) as above
         join public.dns_record as near on near.zone_no = dns_record.zone_no
           and near.name = any(above.names || array(select case up.name when '@' then '*' else '*.' || up.name end
             from unnest(above.names) as up (name)) || target.name)
       ) else '{}' end as warnings,
       dns_record.created_at, dns_record.updated_at
from dns_record
join dns_zone on dns_zone.no = dns_record.zone_no
join tenant on tenant.no = dns_zone.tenant_no;

-- name: near
-- Records that may be in the way of one (dns/content.py): those of its name where the two could not be together, DNAME
-- records above it, and what lies below a DNAME. Of a name that ends alike behind an escaped dot the caller judges.
select 'dns_record' as type, id, name, dns_record.type as record_type, data from dns_record
where zone_no = :zone_no::integer and name = :name::text and no <> :no::integer
  and (dns_record.type in ('CNAME', 'DNAME') or :type::text in ('CNAME', 'DNAME')
       or dns_record.type = 'MX' and :type::text = 'MX')
union all
select 'dns_record', id, name, dns_record.type, data from dns_record
where zone_no = :zone_no::integer and name = any(:above::text[]) and dns_record.type = 'DNAME' and no <> :no::integer
union all
(select 'dns_record', id, name, dns_record.type, data from dns_record
where :type::text = 'DNAME' and zone_no = :zone_no::integer and no <> :no::integer
  and (right(name, length(:name::text) + 1) = '.' || :name::text or :name::text = '@' and name <> '@')
order by name limit 100);

-- name: count_beside^
-- How many other records the RRset has, and how much data those have that are large.
select count(*) as count, coalesce(sum(length(data)) filter (where length(data) > :large::integer), 0)::bigint as large
from dns_record
where zone_no = :zone_no::integer and name = :name::text and dns_record.type = :type::text and no <> :no::integer;

-- name: serials^
-- What its row says, and what is served.
select dns_zone.serial, wanted_serial, dns_published.serial as published from dns_zone
left join dns_published on dns_published.zone_no = dns_zone.no where dns_zone.no = :no::integer;

-- name: serials_held
-- Serials that secondaries have: as they told, and, where others copy the zone or one told none, those that the zone had within
-- the time in which a secondary looks for a new one.
select dns_secondary.serial, dns_server.name from dns_zone
join dns_secondary on dns_secondary.zone_no = dns_zone.no
join dns_server on dns_server.no = dns_secondary.dns_server_no and dns_server.id = any(dns_zone.secondary_ids)
where dns_zone.no = :no::integer and dns_secondary.serial is not null
union all
select delta.previous, null from dns_zone
join dns_zone_delta as delta on delta.zone_no = dns_zone.no
  and delta.at > now() - make_interval(secs => dns_zone.refresh_seconds::double precision + dns_zone.retry_seconds)
where dns_zone.no = :no::integer and (cardinality(dns_zone.transfer_networks) > 0 or exists (
  select from unnest(dns_zone.secondary_ids) as named (id) where not exists (
    select from dns_server join dns_secondary on dns_secondary.dns_server_no = dns_server.no
    where dns_server.id = named.id and dns_secondary.zone_no = dns_zone.no and dns_secondary.serial is not null)));

-- name: past_serial$
-- Where a zone of that name ended.
select serial from dns_zone_past where tenant_no = :tenant_no::integer and name = :name::text;

-- name: keep_past!
-- The serial of a zone that is about to be deleted; of a tenant's zones the last ones are kept.
with kept as (
  insert into dns_zone_past (tenant_no, name, serial)
  select dns_zone.tenant_no, dns_zone.name, coalesce(wanted_serial, dns_published.serial, dns_zone.serial) from dns_zone
  left join dns_published on dns_published.zone_no = dns_zone.no
  where dns_zone.no = :no::integer and coalesce(wanted_serial, dns_published.serial, dns_zone.serial) > 1
  on conflict (tenant_no, name) do update set serial = excluded.serial, ended_at = now()
)
delete from dns_zone_past where (tenant_no, name) in (
  select past.tenant_no, past.name from dns_zone_past as past
  where past.tenant_no = (select tenant_no from dns_zone where no = :no::integer)
  order by past.ended_at desc offset :most::integer
);
