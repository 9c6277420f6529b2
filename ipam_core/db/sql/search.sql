-- name: search
-- Rank 0 is the thing itself, 1 what begins with the text or lies in the network, 2 what contains the address, 3 what
-- contains the text somewhere (search_follower.sql).
-- `kind` and `key` make the order total, so that a cursor can name a row of it. Parameters that do not apply
-- are null and match nothing. Of each kind the first `most` by each index are looked at: who finds more than
-- that will say more, and one digit must not read a million rows.
with span as (
  select first, last from unnest(:firsts::inet[], :lasts::inet[]) as span (first, last)
  union all
  select host(network(:network::inet))::inet, host(broadcast(:network::inet))::inet where :network::inet is not null
), sought as materialized (
  select id, place from found_objects(:question::jsonb, :most::integer)
), sought_lease as materialized (
  select tenant_no, address, place from found_leases(:question::jsonb, :tenant_no::integer, :most::integer)
), hit as (
  select 1 as kind, 'prefix' as type, prefix.id, prefix.cidr::text as label,
         case when prefix.tags @> array[:tag::text] then 'tag' when sought.id is not null then 'description' else 'cidr' end
           as match,
         null::uuid as subnet_id, prefix.tenant_no, null::inet as ip, to_char(prefix.no, 'FM0000000000') as key,
         case when prefix.cidr = :network::inet then 0 when prefix.cidr >>= :address::inet then 2
              when sought.id is not null then 3 else 1 end as rank
  from prefix left join sought using (id)
  where prefix.cidr && :network::inet or prefix.cidr >>= :address::inet
     or exists (select from span where host(prefix.cidr)::inet between first and last)
     or prefix.tags @> array[:tag::text] or sought.id is not null
  union all
  select 2, 'subnet', subnet.id, trim(subnet.cidr::text || ' ' || subnet.name),
         case when lower(subnet.name) like :begins::text then 'name'
              when lower(subnet.site) like :begins::text then 'site' when subnet.vlan_id = :vlan::integer then 'vlan_id'
              when subnet.tags @> array[:tag::text] then 'tag'
              else coalesce((array['name', 'site', 'description'])[sought.place], 'cidr') end,
         subnet.id, subnet.tenant_no, null, to_char(subnet.no, 'FM0000000000'),
         case when subnet.cidr = :network::inet or lower(subnet.name) = :whole::text then 0
              when subnet.cidr >>= :address::inet then 2
              when sought.id is null or lower(subnet.name) like :begins::text then 1 else 3 end
  from subnet left join sought using (id)
  where subnet.cidr && :network::inet or subnet.cidr >>= :address::inet
     or exists (select from span where host(subnet.cidr)::inet between first and last)
     or sought.id is not null or lower(subnet.name) like :begins::text or lower(subnet.site) like :begins::text
     or subnet.vlan_id = :vlan::integer or subnet.tags @> array[:tag::text]
  union all
  select 3, 'reservation', reservation.id,
         trim(coalesce(host(reservation.ip), reservation.prefix::text) || ' ' || coalesce(reservation.hostname, '')),
         case when reservation.mac = :mac::macaddr then 'mac'
              when reservation.duid = :octets::bytea then 'duid'
              when reservation.client_id = :octets::bytea then 'client_id'
              when lower(reservation.hostname) like :pattern::text then 'hostname'
              when reservation.tags @> array[:tag::text] then 'tag'
              when reservation.aliases @> array[:name::text] then 'alias'
              else coalesce((array['hostname', 'mac', 'description', 'alias'])[sought.place], 'ip') end,
         subnet.id, coalesce(reservation.tenant_no, subnet.tenant_no), reservation.ip, to_char(reservation.no, 'FM0000000000'),
         case when reservation.ip = :address::inet or reservation.mac = :mac::macaddr
                or reservation.duid = :octets::bytea or reservation.client_id = :octets::bytea
                or lower(reservation.hostname) = :name::text
                or reservation.aliases @> array[:name::text] then 0
              when sought.id is null or lower(reservation.hostname) like :pattern::text then 1 else 3 end
  from (
    select no from reservation where ip = :address::inet
    union select no from reservation join sought using (id)
    union select no from reservation where mac = :mac::macaddr
    union select no from reservation where duid = :octets::bytea or client_id = :octets::bytea
    union (select no from reservation where cardinality(tags) > 0 and tags @> array[:tag::text] limit :most::integer)
    union (select no from reservation where cardinality(aliases) > 0 and aliases @> array[:name::text] limit :most::integer)
    union (select no from reservation where lower(hostname) like :pattern::text order by lower(hostname) using ~<~ limit :most::integer)
    union (select no from span cross join lateral
             (select no from reservation where ip between first and last order by ip limit :most::integer) as reservation)
  ) as found (no)
  cross join lateral (select * from reservation where no = found.no limit 1) as reservation
  left join subnet on subnet.no = reservation.subnet_no left join sought on sought.id = reservation.id
  union all
  select 4, 'assignment', assignment.id, host(assignment.ip) || ' ' || assignment.hostname,
         case when lower(assignment.hostname) like :pattern::text then 'hostname'
              when assignment.tags @> array[:tag::text] then 'tag'
              when assignment.aliases @> array[:name::text] then 'alias'
              else coalesce((array['hostname', 'description', 'alias'])[sought.place], 'ip') end,
         subnet.id, subnet.tenant_no, assignment.ip, to_char(assignment.no, 'FM0000000000'),
         case when assignment.ip = :address::inet or lower(assignment.hostname) = :name::text
                or assignment.aliases @> array[:name::text] then 0
              when sought.id is null or lower(assignment.hostname) like :pattern::text then 1 else 3 end
  from (
    select no from assignment where ip = :address::inet
    union select no from assignment join sought using (id)
    union (select no from assignment where cardinality(tags) > 0 and tags @> array[:tag::text] limit :most::integer)
    union (select no from assignment where cardinality(aliases) > 0 and aliases @> array[:name::text] limit :most::integer)
    union (select no from assignment where lower(hostname) like :pattern::text order by lower(hostname) using ~<~ limit :most::integer)
    union (select no from span cross join lateral
             (select no from assignment where ip between first and last order by ip limit :most::integer) as assignment)
  ) as found (no)
  cross join lateral (select * from assignment where no = found.no limit 1) as assignment
  join subnet on subnet.no = assignment.subnet_no left join sought on sought.id = assignment.id
  union all
  -- What a machine of both families has now is one hit: its addresses, one after the other.
  select 5, 'lease', null,
         trim(string_agg(host(found.address), ', ' order by found.address) || ' ' || coalesce(max(found.hostname), '')),
         (array_agg(found.match order by found.rank, found.address))[1],
         (array_agg(found.subnet_id order by found.rank, found.address))[1], found.tenant_no, min(found.address),
         found.tenant_no || '/' || host(min(found.address)), min(found.rank)
  from (
    select lease.tenant_no, lease.address, lease.hostname, subnet.id as subnet_id,
           case when lease.hw_address = :hardware::bytea then 'mac'
                when lease.duid = :octets::bytea then 'duid'
                when lease.client_id = :octets::bytea then 'client_id'
                when lower(lease.hostname) like :pattern::text then 'hostname'
                else coalesce((array['hostname', 'mac'])[sought_lease.place], 'ip') end as match,
           case when lease.address = :address::inet or lease.hw_address = :hardware::bytea
                  or lease.duid = :octets::bytea or lease.client_id = :octets::bytea
                  or lower(lease.hostname) = :name::text then 0
                when sought_lease.place is null or lower(lease.hostname) like :pattern::text then 1 else 3 end as rank,
           case when lease.hw_address is not null and lease.state = 'a' and lease.expires_at > now()
                  and min(family(lease.address)) over machine < max(family(lease.address)) over machine
                then encode(lease.hw_address, 'hex') else host(lease.address) end as machine
    from (

      select tenant.no, lease.address from tenant join lease on lease.tenant_no = tenant.no
        and lease.address = :address::inet
      union select tenant_no, address from lease where {lease of the hardware}
      union select tenant_no, address from sought_lease
      union select tenant_no, address from lease where duid = :octets::bytea
      -- A client key is a kind octet before the identifier; the index serves both kinds.
      union select tenant_no, address from lease
        where client_key = any(array['\x02'::bytea || :octets::bytea, '\x03'::bytea || :octets::bytea])
      -- Where the MAC is the key, the usual client id (RFC 2132 9.14) still leads there: it is 01 and the MAC.
      union select tenant_no, address from lease
        where {lease of the hardware in octets} and client_id = :octets::bytea
      union (select tenant_no, address from lease where lower(hostname) like :pattern::text
               order by lower(hostname) using ~<~ limit :most::integer)
      union (select tenant.no, lease.address from tenant cross join span cross join lateral
               (select address from lease where lease.tenant_no = tenant.no and address between first and last
                order by address limit :most::integer) as lease)
    ) as key (tenant_no, address)
    cross join lateral (
      select * from lease where lease.tenant_no = key.tenant_no and lease.address = key.address limit 1) as lease
    left join subnet on subnet.no = lease.subnet_no
    left join sought_lease on sought_lease.tenant_no = lease.tenant_no and sought_lease.address = lease.address
    where not (lease.state = 'r' and get_byte(lease.client_key, 0) = 0)
    window machine as (partition by lease.tenant_no, lease.hw_address, lease.state = 'a' and lease.expires_at > now())
  ) as found
  group by found.tenant_no, found.machine
  union all
  select 6, 'dns_zone', dns_zone.id, dns_zone.name,
         case when dns_zone.name like :pattern::text then 'name'
              else coalesce((array['name', 'description'])[sought.place], 'name') end,
         null, dns_zone.tenant_no, null, to_char(dns_zone.no, 'FM0000000000'),
         case when dns_zone.name = :name::text then 0
              when sought.id is null or dns_zone.name like :pattern::text then 1 else 3 end
  from dns_zone left join sought using (id) where dns_zone.name like :pattern::text or sought.id is not null
  union all
  select 7, 'dns_record', dns_record.id, concat_ws(' ', full_name, dns_record.type, dns_record.data),
         case when full_name like :pattern::text or dns_record.name like :pattern::text then 'name'
              else coalesce((array['name', 'data', 'description'])[sought.place], 'data') end, null,
         dns_zone.tenant_no, null, to_char(dns_record.no, 'FM0000000000'),
         case when full_name = :name::text or dns_record.data = host(:address::inet) then 0
              when sought.id is null or full_name like :pattern::text then 1 else 3 end
  from (
    select no from dns_record join sought using (id) union
    (select no from dns_record where name like :pattern::text order by name using ~<~ limit :most::integer)
    -- A full name, whole or begun: a record's name up to some dot, and behind it what its zone begins with.
    union (select record.no
      from (select left(:name::text, at - 1) as name, substr(:name::text, at + 1) as rest
            from generate_series(1, length(:name::text)) as at where substr(:name::text, at, 1) = '.') as split
      join dns_zone zone on starts_with(zone.name, split.rest)
      join dns_record record on record.zone_no = zone.no and record.name = split.name
      limit :most::integer)
    union (select no from dns_record where type in ('A', 'AAAA') and data = host(:address::inet) limit :most::integer)
    union (select no from dns_record where type in ('A', 'AAAA') and data like :pattern::text
           order by data using ~<~ limit :most::integer)
  ) as found (no)
  cross join lateral (select * from dns_record where no = found.no limit 1) as dns_record
  join dns_zone on dns_zone.no = dns_record.zone_no left join sought on sought.id = dns_record.id
  cross join lateral (
    select case dns_record.name when '@' then dns_zone.name else dns_record.name || '.' || dns_zone.name end as full_name
  ) as named
  union all
  select 8, 'pool', pool.id,
         trim(coalesce(host(pool.start_ip) || '-' || host(pool.end_ip), pool.prefix::text) || ' ' || pool.name),
         case when pool.tags @> array[:tag::text] then 'tag' else 'name' end,
         subnet.id, subnet.tenant_no, pool.start_ip, to_char(pool.no, 'FM0000000000'),
         case when pool.tags @> array[:tag::text] then 1 else 3 end
  from pool join subnet on subnet.no = pool.subnet_no left join sought on sought.id = pool.id
  where pool.tags @> array[:tag::text] or sought.id is not null
)
select type, id, label, match, subnet_id, tenant_no, ip, rank, kind, key from hit
where (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
  and (rank, kind, key collate "C") > (:rank::integer, :kind::integer, :key::text collate "C")
order by rank, kind, key collate "C"
limit :at_most::integer;
