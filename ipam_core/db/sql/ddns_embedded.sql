-- name: find_zones
-- By their names in the tenant; shared, so that none is deleted under what is written to it.
select no, name, dns_enabled from dns_zone where tenant_no = :tenant_no::integer and name = any(:names::text[])
order by no for key share;

-- name: static_in_the_way
-- Which records an operator's forbids, of the same name: one of the same type, or an alias, which stands alone.
select w.zone_no, w.name, w.type
from jsonb_to_recordset(:records::jsonb) as w (zone_no integer, name text, type text, data text)
where exists (select from dns_record r
  where r.zone_no = w.zone_no and r.name = w.name and r.source in ('static', 'delegation')
    and (r.type = w.type and r.data <> w.data or r.type = 'CNAME' or w.type = 'PTR'));

-- name: drop_others!
-- What else follows a lease under these names and types: one host has one address of a family by a name.
delete from dns_record r using jsonb_to_recordset(:records::jsonb) as w (zone_no integer, name text, type text, data text)
where r.zone_no = w.zone_no and r.name = w.name and r.type = w.type and r.source not in ('static', 'delegation') and r.data <> w.data;

-- name: put_records!
-- One that is there already, also an operator's that says the same, stays as it is.
insert into dns_record (id, zone_no, name, type, ttl, data, source)
select id, zone_no, name, type, ttl, data, source
from jsonb_to_recordset(:records::jsonb)
  as w (id uuid, zone_no integer, name text, type text, ttl integer, data text, source text)
on conflict do nothing;

-- name: drop_records!
-- Never an operator's.
delete from dns_record r
using jsonb_to_recordset(:records::jsonb) as w (zone text, name text, type text, data text), dns_zone z
where z.tenant_no = :tenant_no::integer and z.name = w.zone and r.zone_no = z.no
  and r.name = w.name and r.type = w.type and r.data = w.data and r.source not in ('static', 'delegation');

-- name: records
-- What the zone says of addresses, to be compared.
select r.name, r.type, r.data, r.source from dns_record r join dns_zone z on z.no = r.zone_no
where z.tenant_no = :tenant_no::integer and z.name = :zone::text and r.type = any(:types::text[]);
