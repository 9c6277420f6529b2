-- depends: 0003.operations

-- What stands beside the address plan: DNS servers, zones and records, the DDNS outbox, webhooks and their
-- deliveries, relays that nobody trusts yet, the fingerprint of the secret key, and history that nobody rewrites.

create table dns_server (
  no integer generated always as identity primary key,
  id uuid not null constraint dns_server_id_unique unique,
  tenant_no integer not null references tenant,
  name text not null,
  description text not null default '',
  adapter text not null check (adapter in ('ad_gsstsig', 'bind_tsig', 'powerdns_http', 'embedded')),
  address text,
  port integer check (port between 1 and 65535),
  url text,
  server_id text,
  key_name text,
  key_algorithm text,
  principal text,
  realm text,
  -- Sealed by ipam_core.secrets: TSIG key, API key or password.
  secret bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dns_server_name_unique unique (tenant_no, name)
);

create table dns_zone (
  no integer generated always as identity primary key,
  id uuid not null constraint dns_zone_id_unique unique,
  tenant_no integer not null references tenant,
  dns_server_no integer references dns_server,
  -- Lower case, ASCII, without the closing dot.
  name text not null,
  description text not null default '',
  dns_enabled boolean not null default false,
  default_ttl integer not null default 3600,
  mname text,
  rname text,
  refresh_seconds integer not null default 7200,
  retry_seconds integer not null default 900,
  expire_seconds integer not null default 1209600,
  minimum_seconds integer not null default 3600,
  -- RFC 1982: raised by every write to the zone or its records.
  serial bigint not null default 1 check (serial between 1 and 4294967295),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dns_zone_name_unique unique (tenant_no, name)
);
create index dns_zone_by_server on dns_zone (dns_server_no) where dns_server_no is not null;
create index dns_zone_by_name on dns_zone (name text_pattern_ops);

create table dns_record (
  no integer generated always as identity primary key,
  id uuid not null constraint dns_record_id_unique unique,
  zone_no integer not null references dns_zone,
  -- Relative to the zone, lower case; the zone's own name is @.
  name text not null,
  type text not null check (type in ('A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'PTR', 'NS', 'CAA')),
  ttl integer check (ttl >= 0),
  -- RFC 1035 presentation format with absolute names, in one spelling.
  data text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The hash, because a TXT record may be longer than an index entry.
  constraint dns_record_unique exclude using btree
    (zone_no with =, name with =, type with =, md5(data) with =),
  -- Beside an alias nothing else stands (RFC 1034 3.6.2); two of the name are refused by the service's check.
  constraint dns_record_no_apex_cname check (type <> 'CNAME' or name <> '@')
);
create index dns_record_by_zone on dns_record (zone_no, name);
create index dns_record_by_name on dns_record (name text_pattern_ops);

-- The outbox of dynamic DNS. It knows no foreign key: what it says must outlive the plan.
create table ddns_update (
  no bigint generated always as identity primary key,
  id uuid not null constraint ddns_update_id_unique unique,
  tenant_no integer not null,
  subnet_no integer,
  dns_server_no integer,
  action text not null check (action in ('add', 'remove')),
  ip host_address not null,
  fqdn text not null,
  forward_zone text,
  reverse_zone text,
  ttl integer,
  dhcid bytea,
  lease_version bigint,
  state text not null default 'pending'
    check (state in ('pending', 'applied', 'retrying', 'failed', 'conflict', 'superseded')),
  attempts integer not null default 0,
  last_error text,
  next_attempt_at timestamptz default now(),
  applied_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index ddns_update_due on ddns_update (next_attempt_at) where state in ('pending', 'retrying');
create index ddns_update_by_ip on ddns_update (ip, no);

create table webhook (
  no integer generated always as identity primary key,
  id uuid not null constraint webhook_id_unique unique,
  -- Without a tenant it hears of all.
  tenant_no integer references tenant,
  url text not null,
  description text not null default '',
  -- Empty: all events that are on by default.
  events text[] not null default '{}',
  enabled boolean not null default true,
  disabled_reason text,
  secret bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table webhook_delivery (
  no bigint generated always as identity primary key,
  id uuid not null constraint webhook_delivery_id_unique unique,
  webhook_no integer not null references webhook on delete cascade,
  event text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'dead')),
  attempts integer not null default 0,
  response_status integer,
  last_error text,
  next_attempt_at timestamptz default now(),
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_delivery_by_webhook on webhook_delivery (webhook_no, no);
create index webhook_delivery_due on webhook_delivery (next_attempt_at) where state in ('pending', 'failed');

-- Relays whose packets were dropped because nobody trusts them; the DHCP servers note them in batches.
create table unknown_relay (
  address host_address primary key,
  count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index unknown_relay_by_age on unknown_relay (last_seen_at);

-- Which key the secrets are sealed under; one row at most.
create table secret_key (
  the_only boolean primary key default true check (the_only),
  fingerprint text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A drain is asked for here and carried out by the server itself, whose heartbeats keep the state.
alter table node add column drain boolean not null default false;

-- Leases are audited too, and their id is no UUID.
alter table change alter column object_id type text using object_id::text;

-- History is append-only; lease_event ages by dropping whole partitions.
create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;

create trigger change_append_only before update or delete on change
  for each row execute function refuse_rewriting('change');
create trigger change_no_truncate before truncate on change
  for each statement execute function refuse_rewriting('change');
create trigger lease_event_append_only before update or delete on lease_event
  for each row execute function refuse_rewriting('lease_event');
create trigger lease_event_no_truncate before truncate on lease_event
  for each statement execute function refuse_rewriting('lease_event');

-- Rows come in the order of time, so a block range index finds a stretch of it and costs the writers next to nothing.
-- Ranges of 8 MB: summaries are asked for so seldom, even in a storm, that autovacuum's list of them does not overflow.
create index lease_event_by_at on lease_event using brin (at) with (autosummarize = on, pages_per_range = 1024);
