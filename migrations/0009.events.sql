-- depends: 0008.vacancy

-- What people and their programs want to hear of and neither the leases nor the plan tell: pools that run full,
-- addresses found in use. Whoever delivers events reads them as all logs here are read, by a window of transaction
-- ids. It knows no foreign key: what it says must outlive the plan.
create table event (
  no bigint generated always as identity primary key,
  id uuid not null constraint event_id_unique unique,
  at timestamptz not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  -- As webhooks name them: pool.exhausted.
  type text not null,
  tenant_no integer,
  data jsonb not null
);
create index event_by_xid on event (xid);
create index event_by_at on event (at);

-- Events of conditions that last, a row while one lasts: whoever makes the row raises the event, once for all servers.
create table pool_alert (
  pool_no integer not null,
  type text not null check (type in ('pool.utilization_high', 'pool.exhausted')),
  since timestamptz not null default now(),
  constraint pool_alert_pkey primary key (pool_no, type)
);
