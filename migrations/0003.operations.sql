-- depends: 0002.leases

-- change: what happened to the configuration, written in the transaction that did it: audit trail, snapshot reload
-- and webhooks. Readers use a window of transaction ids, so no writer waits for a counter.
create table change (
  no bigint generated always as identity primary key,
  at timestamptz not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  tenant_no integer,
  subnet_no integer,
  object_type text not null,
  object_id uuid not null,
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
  constraint idempotency_pkey primary key (token_id, method, path, key)
);
create index idempotency_by_age on idempotency (created_at);

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
  constraint node_name_role_unique unique (name, role)
);
