-- name: find_zones
-- By their names in the tenant; shared, so that none is deleted under what is written to it.
select no, name, dns_enabled from dns_zone where tenant_no = :tenant_no::integer and name = any(:names::text[])
order by no for key share;

-- name: in_the_way
-- Record sets that cannot be written: an operator's record of the same name has the type and other data, or is any pointer;
-- an alias stands alone, whoever wrote it; a delegation takes the name out of the zone, and a DNAME at or above it redirects
-- it; or a client asks for a name that nothing of
-- ours has yet, and an operator's records are there (RFC 2136 section 2.4.5).
select w.zone_no, w.name, w.type, what.what
from jsonb_to_recordset(:records::jsonb)
  as w (zone_no integer, name text, type text, data text[], cuts text[], above text[], shares boolean),
lateral (select case
  when exists (select from dns_record r where r.zone_no = w.zone_no and r.name = any(w.cuts)
    and r.type = 'NS' and {is an operator's}) then 'delegation'
  when exists (select from dns_record r where r.zone_no = w.zone_no and r.type = 'DNAME'
    and (r.name = any(w.above) or r.name = w.name)) then 'redirected'
  when exists (select from dns_record r where r.zone_no = w.zone_no and r.name = w.name and {is an operator's}
    and (r.type = w.type and r.data <> all(w.data) or w.type = 'PTR'
      or not w.shares and w.type <> 'CNAME' and not exists (select from dns_record o
        where o.zone_no = w.zone_no and o.name = w.name and not {is an operator's in o}))) then 'record'
  when exists (select from dns_record r where r.zone_no = w.zone_no and r.name = w.name
    and (r.type = 'CNAME') <> (w.type = 'CNAME')
    or r.zone_no = w.zone_no and r.name = w.name and w.type = 'CNAME' and r.data <> all(w.data)) then 'alias'
  end as what) what
where what.what is not null;

-- name: drop_others!
-- What else follows addresses under these names and types.
delete from dns_record r
using jsonb_to_recordset(:records::jsonb) as w (zone_no integer, name text, type text, data text[])
where r.zone_no = w.zone_no and r.name = w.name and r.type = w.type and not {is an operator's} and r.data <> all(w.data);

-- name: put_records!
-- An operator's that has the same data stays as it is.
insert into dns_record (id, zone_no, name, type, ttl, data, source)
select id, zone_no, name, type, ttl, data, source
from jsonb_to_recordset(:records::jsonb)
  as w (id uuid, zone_no integer, name text, type text, ttl integer, data text, source text)
on conflict do nothing;

-- name: renew_records!
-- Those that were there already, with their TTL and the source that they have now.
update dns_record r set source = w.source, ttl = w.ttl, updated_at = now()
from jsonb_to_recordset(:records::jsonb) as w (zone_no integer, name text, type text, ttl integer, data text, source text)
where r.zone_no = w.zone_no and r.name = w.name and r.type = w.type and r.data = w.data and not {is an operator's}
  and (r.source, r.ttl) is distinct from (w.source, w.ttl);

-- name: drop_records!
-- Never an operator's.
delete from dns_record r
using jsonb_to_recordset(:records::jsonb) as w (zone_no integer, name text, type text, gone text[])
where r.zone_no = w.zone_no and r.name = w.name and r.type = w.type and r.data = any(w.gone) and not {is an operator's};

-- name: restore_records!
-- Further addresses of a name that has some of ours.
insert into dns_record (id, zone_no, name, type, ttl, data, source)
select id, zone_no, name, type, ttl, data, source
from jsonb_to_recordset(:records::jsonb)
  as w (id uuid, zone_no integer, name text, type text, ttl integer, data text, source text)
where exists (select from dns_record r where r.zone_no = w.zone_no and r.name = w.name and r.type = w.type
  and not {is an operator's})
on conflict do nothing;

-- name: records
-- What the zone contains of addresses, to be compared.
select r.name, r.type, r.data, r.source from dns_record r join dns_zone z on z.no = r.zone_no
where z.tenant_no = :tenant_no::integer and z.name = :zone::text and r.type = any(:types::text[]);
