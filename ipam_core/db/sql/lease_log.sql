-- The partitions of lease_event, one a day in UTC.

-- name: read_days^
-- Today by the database's clock, and the days that have a partition, by the partitions' names.
select (clock_timestamp() at time zone 'UTC')::date as today, array(
  select to_date(right(relname, 8), 'YYYYMMDD') from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'lease_event'::regclass and not inhdetachpending and relname ~ '^lease_event_\d{8}$') as days;

-- name: make_partition(day)$
select make_lease_event_partition(:day::date);
