-- The partitions of lease_event, one a day in UTC.

-- name: read_days^
-- Today by the database's clock, and the days that have a partition, by the partitions' names. Each is looked up by its
-- number (offset 0): the planner would look through all names that begin alike for each day.
select (clock_timestamp() at time zone 'UTC')::date as today, array(
  select to_date(right(child.name, 8), 'YYYYMMDD') from pg_inherits
  cross join lateral (select relname::text as name from pg_class where oid = inhrelid offset 0) as child
  where inhparent = 'lease_event'::regclass and not inhdetachpending and child.name ~ '^lease_event_\d{8}$') as days;

-- name: make_partition(day)$
-- The function takes its own lock, because every process makes the days that it will write to.
select make_lease_event_partition(:day::date);

-- name: try_forgetting()$
-- One process forgets at a time. The lock is the session's, because no transaction may be open around it.
select pg_try_advisory_lock(hashtext('ipam lease log'));

-- name: end_forgetting!
-- The lock is of the session, for partitions are dropped in transactions of their own.
select pg_advisory_unlock(hashtext('ipam lease log'));

-- name: days_to_forget(days)
-- Partitions that hold nothing younger than so many days, oldest first. And tables whose detachment was interrupted
-- (`is_pending`) or is complete, if they are to be dropped, which their comment says: no archive of somebody else's is
-- touched.
with named as (
  select pg_class.oid, relname as name, to_date(right(relname, 8), 'YYYYMMDD') as day
  from pg_class
  where relkind = 'r' and relname ~ '^lease_event_\d{8}$'
    and relnamespace = (select relnamespace from pg_class where oid = 'lease_event'::regclass)
)
select name, inhrelid is not null as is_attached, coalesce(inhdetachpending, false) as is_pending
from named left join pg_inherits on inhrelid = named.oid and inhparent = 'lease_event'::regclass
where (day + 1)::timestamp at time zone 'UTC' <= now() - make_interval(days => :days::integer)
  and (not coalesce(inhdetachpending, true) or obj_description(named.oid, 'pg_class') = 'detached to be dropped')
order by day;

-- name: usage_has_read(name)$
-- Whether utilisation has counted all that stands in a day; where its count is too old it counts anew.
select coalesce((
  select as_of < now() - interval '1 hour'
    or as_of >= to_date(right(:name::text, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' + interval '2 days'
  from usage_cursor), true);

-- name: try_closing()$
-- One process looks after days that are over. The lock is the session's, because an index that is built concurrently
-- commits several times.
select pg_try_advisory_lock(hashtext('ipam closed days'));

-- name: end_closing!
-- As try_closing has it, the lock is the session's.
select pg_advisory_unlock(hashtext('ipam closed days'));

-- name: days_to_close(endings)
-- Days that have been over for an hour and lack something, the newest first: `missing` are the ends of the names of indexes
-- that are to be built, `broken` those whose building was interrupted.
with over as (
  select inhrelid as oid, child.name, to_date(right(child.name, 8), 'YYYYMMDD') as day from pg_inherits
  cross join lateral (select relname::text as name from pg_class where oid = inhrelid offset 0) as child
  where inhparent = 'lease_event'::regclass and not inhdetachpending and child.name ~ '^lease_event_\d{8}$'
), found as (
  select over.day, over.name,
    array(select ending from unnest(:endings::text[]) as ending where not exists (
      select from pg_index where indexrelid = to_regclass(over.name || '_' || ending)
        and indrelid = over.oid and indisvalid)) as missing,
    array(select over.name || '_' || ending from unnest(:endings::text[]) as ending where exists (
      select from pg_index where indexrelid = to_regclass(over.name || '_' || ending)
        and indrelid = over.oid and not indisvalid)) as broken,
    noted.day is not null as is_noted
  from over left join lease_event_day noted on noted.day = over.day
  where (over.day + 1)::timestamp at time zone 'UTC' + interval '1 hour' <= now()
)
select day, name, missing, broken from found
where not is_noted or cardinality(missing) > 0 or cardinality(broken) > 0
order by day desc;

-- name: note_day!
-- The latest end of what was granted or renewed that day: later nobody held an address by it.
insert into lease_event_day (day, last_end)
select :day::date, max(expires_at) from lease_event
where at >= :day::date::timestamp at time zone 'UTC' and at < (:day::date + 1)::timestamp at time zone 'UTC'
  and kind in ('g', 'n')
on conflict (day) do update set last_end = excluded.last_end, noted_at = excluded.noted_at;

-- name: forget_notes!
-- Of days that have gone, and those that were written when the clock was ahead: it may be that day again.
delete from lease_event_day
where noted_at > now() or not exists (
  select from pg_inherits where inhparent = 'lease_event'::regclass
    and inhrelid = to_regclass('lease_event_' || to_char(day, 'YYYYMMDD')));
