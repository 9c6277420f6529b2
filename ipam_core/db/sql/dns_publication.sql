-- name: take_changes
-- What was committed and is not published. The rows go with the transaction that publishes them, so nothing is lost when it
-- fails; in the order of writing, so that no zone waits behind a flood of another. Of one zone where `one` names it, and of
-- none of `but`, which could not be published.
delete from dns_change where no in (
  select no from dns_change
  where zone_no <> all(:but::integer[]) and (:one::integer is null or zone_no = :one::integer)
  order by no limit :at_most::integer for update
)
returning zone_no, name;

-- name: changed_zones
-- The zones of the changes that would be taken next: each is published by itself where one of them fails.
select distinct zone_no from (
  select zone_no from dns_change where zone_no <> all(:but::integer[]) order by no limit :at_most::integer
) as next order by zone_no;

-- name: zones
-- Zones as they are now.
select no, name, dns_enabled, default_ttl, mname, rname, refresh_seconds, retry_seconds, expire_seconds, minimum_seconds,
  serial, wanted_serial
from dns_zone where no = any(:numbers::integer[]);

-- name: published_zone^
-- What the DNS servers know of it.
select name, serial, default_ttl, mname, rname, refresh_seconds, retry_seconds, expire_seconds, minimum_seconds
from dns_published where zone_no = :zone_no::integer for update;

-- name: names_of_zone
-- Where a zone is published whole.
select name from dns_record where zone_no = :zone_no::integer
union select name from dns_rrset where zone_no = :zone_no::integer;

-- name: records_of_names
-- What the touched names bear now, and the DNAME records above them (:every: of the zone), which leave nothing of theirs.
select name, type, ttl, data, source from dns_record
where zone_no = :zone_no::integer and (name = any(:names::text[]) or (:every::boolean or name = any(:above::text[])) and type = 'DNAME');

-- name: rrsets_of_names
-- And what is served of them.
select name, type, ttl, data from dns_rrset
where zone_no = :zone_no::integer and name = any(:names::text[]);

-- name: delete_rrsets!
-- Those of which nothing is left.
delete from dns_rrset using unnest(:names::text[], :types::text[]) as gone (name, type)
where zone_no = :zone_no::integer and dns_rrset.name = gone.name and dns_rrset.type = gone.type;

-- name: put_rrsets!
-- New ones, and those of which something has changed.
insert into dns_rrset (zone_no, name, type, ttl, data)
select :zone_no::integer, name, type, ttl, array(select jsonb_array_elements_text(data))
from jsonb_to_recordset(:rrsets::jsonb) as rrset (name text, type text, ttl integer, data jsonb)
on conflict (zone_no, name, type) do update set ttl = excluded.ttl, data = excluded.data;

-- name: put_zone!
-- The serial and the fields of the SOA.
insert into dns_published (zone_no, name, serial, default_ttl, mname, rname, refresh_seconds, retry_seconds,
  expire_seconds, minimum_seconds, published_at)
values (:zone_no::integer, :name::text, :serial::bigint, :default_ttl::integer, :mname::text, :rname::text,
  :refresh_seconds::integer, :retry_seconds::integer, :expire_seconds::integer, :minimum_seconds::integer, now())
on conflict (zone_no) do update set name = excluded.name, serial = excluded.serial, default_ttl = excluded.default_ttl,
  mname = excluded.mname, rname = excluded.rname, refresh_seconds = excluded.refresh_seconds,
  retry_seconds = excluded.retry_seconds, expire_seconds = excluded.expire_seconds,
  minimum_seconds = excluded.minimum_seconds, published_at = excluded.published_at;

-- name: append_delta!
-- What the serial changed; the time, by which they follow one another although serials go round, is never the same twice.
insert into dns_zone_delta (zone_no, serial, previous, at, soa, previous_soa, removed, added)
values (:zone_no::integer, :serial::bigint, :previous::bigint, clock_timestamp(), :soa::text, :previous_soa::text,
  :removed::jsonb, :added::jsonb);

-- name: take_wanted!
-- The serial that the zone was raised to is published.
update dns_zone set wanted_serial = null where no = :zone_no::integer;

-- name: keep_serial!
-- A zone that is switched off goes on from there when it is switched on again.
update dns_zone set serial = dns_published.serial from dns_published
where dns_published.zone_no = :zone_no::integer and dns_zone.no = :zone_no::integer;

-- name: delete_zone!
-- All that was published of a zone.
with gone as (delete from dns_published where zone_no = :zone_no::integer),
deltas as (delete from dns_zone_delta where zone_no = :zone_no::integer)
delete from dns_rrset where zone_no = :zone_no::integer;

-- name: tell^
-- At the COMMIT: which zone, and its serial; 0: it is served no more.
select pg_notify('dns_published', :zone_no::integer || ' ' || coalesce(:serial::bigint, 0));

-- name: forget_deltas!
-- Of each zone the newest stay, and none longer than some days.
delete from dns_zone_delta using (
  select zone_no, at, serial, row_number() over (partition by zone_no order by at desc, serial desc) as age
  from dns_zone_delta
) as ranked
where dns_zone_delta.zone_no = ranked.zone_no and dns_zone_delta.at = ranked.at
  and dns_zone_delta.serial = ranked.serial
  and (ranked.age > :keep::integer or ranked.at < now() - make_interval(days => :days::integer));
