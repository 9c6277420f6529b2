-- change: what happened to the configuration, written in the transaction that did it: audit trail, snapshot reload
-- and webhooks. Readers use a window of transaction ids, so no writer waits for a counter.
create table change (
  no bigint generated always as identity primary key,
  at timestamptz not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  tenant_no integer,
  subnet_no integer,
  object_type text not null,
  object_id text not null,
  action text not null check (action in ('created', 'updated', 'deleted')),
  before jsonb,
  after jsonb,
  token_id uuid,
  token_name text,
  remote_address inet,
  request_id text
);
create index change_by_xid on change (xid);
create index change_by_object on change (object_id);
-- Lists of events go through the logs by time; a block range index costs writers next to nothing.
create index change_by_at on change using brin (at) with (autosummarize = on);
-- Maps as they were at a moment: what has changed in a subnet since, and which subnets of a prefix have.
create index change_by_subnet on change (subnet_no, at) where subnet_no is not null;
create index change_of_subnets on change ((coalesce(after, before) ->> 'prefix_id'), at)
  where object_type = 'subnet';

-- The audit trail may be given an end: rows older than so many days. They go by an update of audit_retention and by
-- nothing else, since a row of change can be deleted only inside a trigger, and this one is the only one that does.
-- The row remembers how much has been forgotten, and up to where.
create table audit_retention (
  only_row boolean primary key default true check (only_row),
  days integer not null check (days >= 1),
  at_most integer not null check (at_most between 1 and 100000),
  forgotten integer not null default 0,
  forgotten_in_all bigint not null default 0,
  last_no bigint,
  ran_at timestamptz
);
insert into audit_retention (days, at_most) values (36500, 1);

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

create table token (
  no integer generated always as identity primary key,
  id uuid not null constraint token_id_unique unique,
  name text not null,
  role text not null check (role in ('admin', 'operator', 'viewer')),
  tenant_no integer references tenant,
  secret_hash bytea not null constraint token_secret_unique unique,
  prefix text not null,
  allowed_cidrs cidr[] not null default '{}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Answers kept for replay, 24 hours a token, method and path. A row without status is a request still running.
create table idempotency (
  token_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  status smallint,
  headers jsonb,
  body bytea,
  created_at timestamptz not null default now(),
  -- An answer is replayed only to the role for which it was written.
  role text,
  constraint idempotency_pkey primary key (token_id, method, path, key)
);
create index idempotency_by_age on idempotency (created_at);

-- How many requests each API process has taken of whom, in spans of two seconds, so that all of them together keep the
-- limit of a client. A minute of it is of use; after a crash it may as well begin anew, so it is not logged.
create unlogged table request_count (
  policy text not null,
  client text not null,
  process uuid not null,
  span bigint not null,
  requests integer not null,
  primary key (policy, client, process, span)
);

-- Live event streams of all API processes. A process renews its rows; those of one that died are ignored after a minute.
create table live_stream (
  id uuid primary key,
  process uuid not null,
  tenant_no integer not null,
  token_id uuid,
  seen_at timestamptz not null default now()
);
create index live_stream_by_tenant on live_stream (tenant_no);
create index live_stream_by_process on live_stream (process);

create table node (
  no integer generated always as identity primary key,
  id uuid not null constraint node_id_unique unique,
  name text not null,
  role text not null,
  version text not null,
  state text not null check (state in ('starting', 'ready', 'degraded', 'draining', 'stopped')),
  detail text not null default '',
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A drain is asked for here and carried out by the server itself, whose heartbeats keep the state.
  drain boolean not null default false,
  -- On which wires a DHCP server hears clients directly, only its own settings and its machine say: the names of those
  -- interfaces and their IPv4 addresses, as {"lan0": ["10.60.1.1"]}. An explanation asked of the API needs them.
  interfaces jsonb not null default '{}',
  -- What a DHCP server has had to do since its heartbeat before, and how long its lease statements took until their COMMIT;
  -- null where it wrote none.
  packets_per_second double precision,
  acks_per_second double precision,
  commit_p50_ms double precision,
  commit_p99_ms double precision,
  -- A node that fell silent was told of.
  down_at timestamptz,
  -- A degraded DHCP server may still commit leases, where one of its interfaces is missing. Then it shares DHCPv6 messages
  -- with the others, as one that is ready does.
  commits boolean not null default false,
  constraint node_name_role_unique unique (name, role)
);

-- How far a worker has read a log (engine rule 15): transactions below `xid` are done, in this history of the database.
create table worker_cursor (
  name text primary key,
  history text not null,
  xid xid8 not null,
  updated_at timestamptz not null default now(),
  -- How far the stream has been read (services/event_stream.py), as that writes it; transactions that were running then
  -- would be lost by a number alone.
  position text
);

-- Which key the secrets are sealed under; one row at most.
create table secret_key (
  the_only boolean primary key default true check (the_only),
  fingerprint text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- What all servers of the cluster know and nobody else: of it come the keys by which DHCPv6 clients know Reconfigure
-- messages (RFC 8415 section 20.4). Of three random UUIDs, which have 366 random bits; a hash spreads them.
create table cluster_secret (
  single boolean primary key default true check (single),
  secret bytea not null check (octet_length(secret) = 32)
);
insert into cluster_secret (secret)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- What all servers of a database hash identities with, and derive from what they have to agree on: the DHCPv6 servers' DUID
-- and the keys of Reconfigure messages (RFC 8415 section 20.4). No API shows it.
create table cluster_key (
  one boolean primary key default true check (one),
  hash_key uuid not null
);
insert into cluster_key (hash_key) values (gen_random_uuid());

-- The DUID under which all DHCPv6 servers of the database answer, where an admin has set one: that of the server whose clients
-- they serve on. Without it they derive one from cluster_key.
create table server_duid (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  duid bytea check (octet_length(duid) between 3 and 130),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
insert into server_duid default values;
