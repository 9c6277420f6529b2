-- name: records_of_zone
-- All that a zone holds, whatever it follows; a master file has no order that an index would know.
select no, id, name, type, ttl, data, description, source, created_at, updated_at from dns_record
where zone_no = :zone_no::integer;

-- name: stay$
-- Shows that the transaction is still at work.
select true;

-- name: insert_records
-- One statement for all records of a file: its triggers then name what was touched once. One that a worker has just written
-- of itself stays as it is.
insert into dns_record (id, zone_no, name, type, ttl, data)
select id, :zone_no::integer, name, type, ttl, data
from unnest(:ids::uuid[], :names::text[], :types::text[], :ttls::integer[], :data::text[])
  as file (id, name, type, ttl, data)
on conflict do nothing
returning no, id, name, type, ttl, data, description, source, created_at, updated_at,
  least(coalesce(dns_record.ttl, :default_ttl::integer), (select min(coalesce(o.ttl, :default_ttl::integer)) from dns_record o
    where o.zone_no = dns_record.zone_no and o.name = dns_record.name and o.type = dns_record.type)) as served_ttl;

-- name: delete_records
-- What a file that replaces the zone does not name.
delete from dns_record where no = any(:numbers::integer[])
returning no, id, name, type, ttl, data, description, source, created_at, updated_at,
  least(coalesce(dns_record.ttl, :default_ttl::integer), (select min(coalesce(o.ttl, :default_ttl::integer)) from dns_record o
    where o.zone_no = dns_record.zone_no and o.name = dns_record.name and o.type = dns_record.type)) as served_ttl;

-- name: set_ttls
-- Records that a file has with another TTL than the zone.
update dns_record set ttl = file.ttl, updated_at = now()
from unnest(:numbers::bigint[], :ttls::integer[]) as file (no, ttl) where dns_record.no = file.no
returning dns_record.no, dns_record.ttl, updated_at;

-- name: set_soa!
-- The zone's own fields, as the SOA of a file says them. A serial, if there is one, is that of another server: the zone's next
-- one follows it, so that secondaries which have it copy the zone whole.
update dns_zone set
  serial = case when published.serial is null then coalesce(:serial::bigint, dns_zone.serial) else dns_zone.serial end,
  wanted_serial = case when published.serial is null then wanted_serial
    else coalesce(:serial::bigint % 4294967295 + 1, wanted_serial) end,
  mname = :mname::text, rname = :rname::text, refresh_seconds = :refresh_seconds::integer,
  retry_seconds = :retry_seconds::integer, expire_seconds = :expire_seconds::integer,
  minimum_seconds = :minimum_seconds::integer, updated_at = now()
from (select (select dns_published.serial from dns_published where zone_no = :no::integer) as serial) as published
where no = :no::integer;
