-- depends: 0035.delegation_search

-- What is asked of the past: days of the lease history that are over, and how full subnets and pools were.

-- What was noted of a day of lease_event an hour after its end. `last_end`: the latest end of the leases that were granted
-- or renewed in it (null: there were none). Who held an address at a moment is not looked for in a day whose leases had all
-- ended by then.
create table lease_event_day (
  day date primary key,
  last_end timestamptz,
  noted_at timestamptz not null default now()
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

-- What a DHCP server has had to do since its heartbeat before, and how long its lease statements took until their COMMIT;
-- null where it wrote none.
alter table node
  add column packets_per_second double precision,
  add column acks_per_second double precision,
  add column commit_p50_ms double precision,
  add column commit_p99_ms double precision;
