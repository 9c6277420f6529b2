-- usage: what was counted last, a row a subnet (pool_no 0) and a row a pool. Leases change it by what their events
-- say; the plan changes it by a new count, when the fence that it was counted under is no longer the subnet's.
-- `open`: active leases of addresses that are not reserved; `taken` holds the others. It refers to nothing, so that
-- no deletion waits for it.
create table usage (
  subnet_no integer not null,
  pool_no integer not null,
  fence bigint not null,
  first inet not null,
  last inet not null,
  total numeric not null,
  excluded numeric not null,
  reserved bigint not null,
  assigned bigint not null,
  taken numeric not null,
  leased bigint not null,
  open bigint not null,
  share double precision generated always as (((taken + open) / total)::double precision) stored,
  counted_at timestamptz not null default now(),
  constraint usage_pkey primary key (subnet_no, pool_no)
) with (fillfactor = 70);

-- Which transactions the figures contain: all that this snapshot sees.
create table usage_cursor (
  only_row boolean primary key default true check (only_row),
  seen pg_snapshot not null,
  as_of timestamptz not null
);

-- Samples of `usage`: a row where something changed since the object's last one (pool_no 0: the subnet as a whole), so
-- figures hold until the next row. `peak`: the most that was in use at any sample since the row before; thinning keeps the
-- last row of an hour, then of a day, and hands the peaks of the others on to it. It refers to nothing, so that no deletion
-- waits for it.
create table usage_history (
  at timestamptz not null,
  subnet_no integer not null,
  pool_no integer not null,
  leased bigint not null,
  total numeric not null,
  used numeric not null,
  peak numeric not null,
  constraint usage_history_pkey primary key (subnet_no, pool_no, at)
);
-- All rows of a sample have one moment, so each costs a few octets here.
create index usage_history_by_at on usage_history (at);

-- When the last sample was taken.
create table usage_history_state (
  only_row boolean primary key default true check (only_row),
  sampled_at timestamptz
);
insert into usage_history_state default values;

-- Up to which moment rows have been thinned out to one a period.
create table usage_history_mark (
  period interval primary key,
  upto timestamptz not null
);

-- Events of conditions that last, a row while one lasts: whoever makes the row raises the event, once for all servers.
create table pool_alert (
  pool_no integer not null,
  type text not null check (type in ('pool.utilization_high', 'pool.exhausted', 'pool.decline_storm')),
  since timestamptz not null default now(),
  constraint pool_alert_pkey primary key (pool_no, type)
);

-- Clients of which two use one identity at once: an event an hour for each hardware address, or client where none is known.
create table client_alert (
  tenant_no integer not null references tenant (no) on delete cascade,
  type text not null check (type = 'client.identity_shared'),
  identity bytea not null,
  since timestamptz not null default now(),
  constraint client_alert_pkey primary key (tenant_no, type, identity)
);
