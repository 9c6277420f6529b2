-- The tables by which parts of names and MACs are found, kept behind the logs (workers/search_follower.py).

-- name: lock_cursor^
-- One worker reads at a time; another one leaves it to that. `since`: no transaction of the window is older.
select history, xid::text as xid, as_of, building, built_to, read_at - interval '1 day' as since
from search_cursor for update skip locked;

-- name: begin_cursor!
-- Once in the life of a database.
insert into search_cursor (history, xid, building) values ('', '0', '') on conflict do nothing;

-- name: news^
-- As the DNS worker asks (ddns.sql), and from when on transactions are younger than all that the snapshot has.
select oldest::text as xmin, pg_snapshot_xmax(pg_current_snapshot())::text as xmax, clock_timestamp() as now,
  (select system_identifier from pg_control_system())::text || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'lease'::regclass::oid as history,
  exists (select from lease_event where xid >= :since::text::xid8 and xid < oldest
    and at > (select read_at from search_cursor) - interval '1 day')
  or exists (select from change where xid >= :since::text::xid8 and xid < oldest)
  or not exists (select from search_cursor where building is null) as logged
from {oldest running} as oldest;

-- name: set_cursor!
-- In the transaction that writes what was found.
update search_cursor set history = :history::text, xid = :xid::text::xid8, as_of = :as_of::timestamptz, read_at = now(),
  building = :building::text, built_to = :built_to::text;

-- name: build!
-- All is read anew, while what there is stays in use.
insert into search_cursor (history, xid, building) values ('', '0', '')
on conflict (only_row) do update set building = '', built_to = '';

-- name: state^
-- For metrics and the command: for how many seconds what was committed first is not in the tables, and what is built.
select building, built_to, as_of, case when building is null and not exists (
    select from lease_event where xid >= c.xid and at > c.read_at - interval '1 day') and not exists (
    select from change where xid >= c.xid) then 0 else extract(epoch from now() - as_of) end::float8 as lag
from search_cursor c;

-- name: as_of$
-- Up to when what was committed can be found by a part of it; null: the tables are built for the first time. A standby
-- knows of nothing that it has not replayed.
select case when as_of is null then null
  when not exists (select from lease_event where xid >= c.xid and at > c.read_at - interval '1 day')
    and not exists (select from change where xid >= c.xid)
    then case when pg_is_in_recovery() then greatest(as_of, pg_last_xact_replay_timestamp()) else now() end
  else as_of end
from search_cursor c;

-- name: touched_leases
-- Leases that were written in the window, with what is to be found and what is by now.
select lease.tenant_no, lease.address, lease.hostname, lease.hw_address, known.texts
from (select distinct tenant_no, address from lease_event
  where xid >= :since::text::xid8 and xid < :until::text::xid8 and at > :began::timestamptz) as touched
join lease using (tenant_no, address)
left join search_lease known using (tenant_no, address);

-- name: touched_objects
-- Objects that were written in the window; those that are gone have no row any more.
select distinct object_id::text::uuid as id from change
where xid >= :since::text::xid8 and xid < :until::text::xid8 and object_type = any(:types::text[]);

-- name: objects
-- What is to be found of objects, and what is by now.
select source.type, source.id, source.fields, known.texts
from ({search source}) as source left join search_object known using (id)
where source.id = any(:ids::uuid[]);

-- name: next_objects
-- The objects of a type behind an id, for a build.
select source.type, source.id, source.fields, known.texts
from ({search source}) as source left join search_object known using (id)
where source.type = :type::text and source.id > :id::uuid order by source.id limit :at_most::integer;

-- name: next_leases
-- The leases behind a key, for a build.
select lease.tenant_no, lease.address, lease.hostname, lease.hw_address, known.texts
from lease left join search_lease known using (tenant_no, address)
where (lease.tenant_no, lease.address) > (:tenant_no::integer, :address::inet)
order by lease.tenant_no, lease.address limit :at_most::integer;

-- name: forget_leases!
-- Of this stretch of the key, of which a build has read all leases.
delete from search_lease s
where (s.tenant_no, s.address) > (:tenant_no::integer, :address::inet)
  and (:to_tenant_no::integer is null or (s.tenant_no, s.address) <= (:to_tenant_no::integer, :to_address::inet))
  and not exists (select from lease where lease.tenant_no = s.tenant_no and lease.address = s.address);

-- name: put_leases!
-- What is to be found of leases.
insert into search_lease select (row).* from unnest(:rows::search_lease[]) as row
on conflict (tenant_no, address) do update set texts = excluded.texts, grams = excluded.grams;

-- name: put_objects!
-- And of objects.
insert into search_object select (row).* from unnest(:rows::search_object[]) as row
on conflict (id) do update set texts = excluded.texts, grams = excluded.grams;

-- name: drop_leases!
-- Of which nothing is to be found.
delete from search_lease s using unnest(:tenants::integer[], :addresses::inet[]) as gone (tenant_no, address)
where s.tenant_no = gone.tenant_no and s.address = gone.address;

-- name: drop_objects!
-- Objects that are gone, or of which nothing is to be found.
delete from search_object where id = any(:ids::uuid[]);

-- name: forget_objects!
-- Of this stretch of ids, of which a build has read all objects of the type.
delete from search_object s where s.type = :type::text and s.id > :id::uuid
  and (:to_id::uuid is null or s.id <= :to_id::uuid) and s.id <> all(:kept::uuid[]);
