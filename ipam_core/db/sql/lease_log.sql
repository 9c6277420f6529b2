-- The partitions of lease_event, one a day in UTC.

-- name: read_days^
-- Today by the database's clock, and the days that have a partition, by the partitions' names.
select (clock_timestamp() at time zone 'UTC')::date as today, array(
  select to_date(right(relname, 8), 'YYYYMMDD') from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'lease_event'::regclass and not inhdetachpending and relname ~ '^lease_event_\d{8}$') as days;

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
