-- What the DHCP server reads of leases. Those that are called copy_ go through COPY in binary: copy_brief into a decoder
-- of its own, the others into one, so they give the same columns in the same order. The last two are whether the row has
-- a vendor class and other options of its client, which events do not tell. A server serves one family of addresses
-- and reads the rows of that one only.

-- name: copy_brief
-- A part of the table at the start, from one page on up to another: each column costs ten million rows half a second.
select tenant_no, address, state, version, reuse_at, client_key from lease
where ctid >= $1::text::tid and ctid < $2::text::tid and family(address) = $3::integer;

-- name: copy_leases
-- A part of the table, from one page on up to another, while packets are served.
select tenant_no, subnet_no, address, state, version, renewed_at, expires_at, reuse_at, client_key, hw_type,
  hw_address, client_id, duid, hostname, relay, circuit_id, remote_id, fqdn_flags, vendor_class is not null,
  client_options is not null
from lease
where ctid >= $1::text::tid and ctid < $2::text::tid and family(address) = $3::integer;

-- name: measure_leases()^
-- How large the table is: pages, and rows as last counted (-1 where nobody did).
select pg_relation_size('lease') / current_setting('block_size')::integer as pages, reltuples::bigint as rows
from pg_class where oid = 'lease'::regclass;

-- name: copy_events
-- What others wrote: transactions from the cursor up to the oldest still running, so that none is ever skipped; one
-- below the bound that commits late was still running when the cursor was drawn. An event says when the lease time
-- began only by its own time. The last two bound that time, so that the days before are left out; they must reach the
-- planner as literals, as COPY sends them, for otherwise each day is locked before it is left out.
select tenant_no, subnet_no, address, state, version, at, expires_at, reuse_at, client_key, hw_type,
  hw_address, client_id, duid, hostname, relay, circuit_id, remote_id, fqdn_flags, true, true
from lease_event
where xid >= $1::text::xid8 and xid < $2::text::xid8 and node_no is distinct from $3::integer
  and at >= $4::timestamptz and at < $5::timestamptz and family(address) = $6::integer;

-- name: read_running()^
-- Transactions of others that run in this database, with or without a number; every account may see that.
select array(
  select virtualtransaction from pg_locks
  where locktype = 'virtualxid' and granted and pid <> pg_backend_pid() and not exists (
    select from pg_stat_activity a where a.pid = pg_locks.pid
      and a.datid <> (select oid from pg_database where datname = current_database()))) as running;

-- name: copy_rows
-- The rows behind refused operations.
select l.tenant_no, l.subnet_no, l.address, l.state, l.version, l.renewed_at, l.expires_at, l.reuse_at, l.client_key,
  l.hw_type, l.hw_address, l.client_id, l.duid, l.hostname, l.relay, l.circuit_id, l.remote_id, l.fqdn_flags,
  l.vendor_class is not null, l.client_options is not null
from lease l
join unnest($1::integer[], $2::inet[]) as b (tenant_no, address) using (tenant_no, address);

-- name: read_recalled(tenants, addresses, keys, hw_types, hw_addresses, client_ids)
-- Of running leases, each of its own client as in dhcp_lease.sql: the relay of the grant, what option 82 said (whole, or
-- of rows that hold its parts alone those), the vendor class and the client's other options. `at`: the place in the lists.
select b.at, lease.relay, {option 82 of the lease} as said, lease.vendor_class, lease.client_options
from lease join unnest(
  :tenants::integer[], :addresses::inet[], :keys::bytea[], :hw_types::smallint[], :hw_addresses::bytea[],
  :client_ids::bytea[]) with ordinality as b (
  tenant_no, address, client_key, hw_type, hw_address, client_id, at) using (tenant_no, address)
where lease.state = 'a' and (lease.client_key = b.client_key
  or (lease.ia_type = 0 and lease.hw_type = b.hw_type and lease.hw_address = b.hw_address
    and lease.client_id is not distinct from b.client_id));

-- name: read_holders(tenants, addresses)
-- Whose leases of reserved addresses are, by all that a reservation can be for.
select tenant_no, address, version, ia_type, hw_type, hw_address, client_id, duid, iaid, circuit_id, remote_id, relay_info
from lease join unnest(:tenants::integer[], :addresses::inet[]) as b (tenant_no, address) using (tenant_no, address);

-- name: copy_vacant
-- The rows of one subnet that are free to others, before its pools count as exhausted; by the primary key's range, since
-- an index of what changes with each renewal would cost every one of them.
select tenant_no, subnet_no, address, state, version, renewed_at, expires_at, reuse_at, client_key, hw_type,
  hw_address, client_id, duid, hostname, relay, circuit_id, remote_id, fqdn_flags, vendor_class is not null,
  client_options is not null
from lease
where tenant_no = $1::integer and address between $2::inet and $3::inet and reuse_at <= now();

-- name: copy_subnet
-- All rows of one subnet; by the primary key's range.
select tenant_no, subnet_no, address, state, version, renewed_at, expires_at, reuse_at, client_key, hw_type,
  hw_address, client_id, duid, hostname, relay, circuit_id, remote_id, fqdn_flags, vendor_class is not null,
  client_options is not null
from lease
where tenant_no = $1::integer and address between $2::inet and $3::inet;

-- name: read_fences(numbers)
-- A refused lease may be due to a plan that is stale here: only a fence that has moved is worth reading it anew.
select no, fence from subnet where no = any(:numbers::integer[]);

-- name: read_position()^
-- Where the log stands: all that this database wrote below xmin is visible, everything from xmax on has not begun.
-- Cluster, timeline and table tell a promoted or restored database, whose transaction numbers mean something else, and so
-- does a version that went back.
select {oldest running}::text as xmin, pg_snapshot_xmax(pg_current_snapshot())::text as xmax,
  (extract(epoch from clock_timestamp()) * 1000000)::bigint as clock,
  (select system_identifier from pg_control_system())::text || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'lease'::regclass::oid as history,
  (select last_value from lease_version) as version;

-- name: try_expirer(name)$
-- One server of each family writes expiry. The lock is the session's; two holders (after a failover) do no harm, because an expiry is
-- written only over the version that was seen.
select pg_try_advisory_lock(hashtext(:name));
