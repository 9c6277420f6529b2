-- name: head^
-- Where the logs stand: which transactions are over, by the database's clock and in which history of the database. Cluster,
-- timeline and table tell a promoted or restored one, in which transaction numbers mean something else.
select pg_current_snapshot()::text as snapshot,
  (extract(epoch from clock_timestamp()) * 1000000)::bigint as clock,
  (select system_identifier from pg_control_system())::text || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'lease'::regclass::oid as history;

-- name: first_since^
-- The first transaction that wrote an event of that time or a later one; the indexes by time lead there.
select least(
  (select min(xid::text::bigint) from change where at >= :at::timestamptz),
  (select min(xid::text::bigint) from lease_event where at >= :at::timestamptz),
  (select min(xid::text::bigint) from event where at >= :at::timestamptz)) as xid;

-- name: oldest^
-- A list ends there: of objects and events the first number is about the oldest, of leases the first partition's day.
select (select at from change order by no limit 1) as change, (select at from event order by no limit 1) as event,
  (select min(to_date(right(child.relname, 8), 'YYYYMMDD')) from pg_inherits
   join pg_class child on child.oid = pg_inherits.inhrelid
   where pg_inherits.inhparent = 'lease_event'::regclass) as day;
