-- The address plan. Every object has a public id (UUIDv7, made by the service) and a number `no`: small keys for
-- joins and for the lease table, and the equality part of range exclusions (int8range needs no btree_gist).

create type inetrange as range (subtype = inet);

create domain host_address as inet
  check (masklen(value) = case family(value) when 4 then 32 else 128 end);

create table tenant (
  no integer generated always as identity primary key,
  id uuid not null constraint tenant_id_unique unique,
  name text not null constraint tenant_name_unique unique,
  description text not null default '',
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index tenant_one_default on tenant (is_default) where is_default;

create table prefix (
  no integer generated always as identity primary key,
  id uuid not null constraint prefix_id_unique unique,
  tenant_no integer not null references tenant,
  cidr cidr not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint prefix_overlap exclude using gist (
    int8range(tenant_no, tenant_no, '[]') with &&, cidr inet_ops with &&)
);

create table subnet (
  no integer generated always as identity primary key,
  id uuid not null constraint subnet_id_unique unique,
  tenant_no integer not null references tenant,
  prefix_no integer not null references prefix,
  cidr cidr not null,
  -- Raised by every change that may forbid an address (pools, excludes, reservations, switches); the lease
  -- statement refuses rows decided under an older fence.
  fence bigint not null default 1,
  name text not null default '',
  description text not null default '',
  gateway host_address check (gateway << cidr),
  shared_network text,
  relay_addresses inet[] not null default '{}',
  interface text,
  interface_id bytea,
  dhcp_enabled boolean not null default true,
  authoritative boolean not null default true,
  lease_time_seconds integer not null default 86400,
  min_lease_time_seconds integer,
  max_lease_time_seconds integer,
  renew_time_seconds integer,
  rebind_time_seconds integer,
  preferred_lifetime_seconds integer,
  next_server text,
  boot_file text,
  ntp_servers inet[] not null default '{}',
  match_client_id boolean not null default false,
  decline_quarantine_seconds integer not null default 86400,
  ping_check boolean not null default false,
  rapid_commit boolean not null default false,
  cache_threshold real not null default 0.25,
  reuse_margin_seconds integer not null default 10,
  ddns_enabled boolean not null default false,
  ddns_adapter text check (ddns_adapter in ('ad_gsstsig', 'bind_tsig', 'powerdns_http', 'embedded')),
  ddns_dns_server_id uuid,
  ddns_forward_zone text,
  ddns_reverse_zone text,
  ddns_domain text,
  ddns_ttl integer,
  ddns_override_no_update boolean not null default false,
  ddns_override_client_update boolean not null default false,
  ddns_replace_client_name text not null default 'never'
    check (ddns_replace_client_name in ('never', 'always', 'when_present', 'when_not_present')),
  ddns_generated_prefix text not null default 'host',
  ddns_conflict_mode text not null default 'check_dhcid' check (ddns_conflict_mode in
    ('check_dhcid', 'check_exists_dhcid', 'no_check_with_dhcid', 'no_check_without_dhcid')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint subnet_overlap exclude using gist (
    int8range(tenant_no, tenant_no, '[]') with &&, cidr inet_ops with &&)
);
create index subnet_by_prefix on subnet (prefix_no);

create table client_class (
  no integer generated always as identity primary key,
  id uuid not null constraint client_class_id_unique unique,
  tenant_no integer not null references tenant,
  name text not null,
  description text not null default '',
  priority integer not null default 100,
  vendor_class text,
  user_class text,
  mac_prefix bytea check (length(mac_prefix) between 1 and 6),
  locally_administered boolean,
  deny boolean not null default false,
  next_server text,
  boot_file text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint client_class_name_unique unique (tenant_no, name),
  constraint client_class_matches_something check
    (num_nonnulls(vendor_class, user_class, mac_prefix, locally_administered) > 0)
);

create table pool (
  no integer generated always as identity primary key,
  id uuid not null constraint pool_id_unique unique,
  subnet_no integer not null references subnet,
  name text not null default '',
  start_ip host_address not null,
  end_ip host_address not null,
  class_no integer references client_class,
  allocation text not null default 'hashed' check (allocation in ('hashed', 'sequential')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint pool_bounds check (start_ip <= end_ip and family(start_ip) = family(end_ip)),
  constraint pool_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, inetrange(start_ip, end_ip, '[]') with &&)
);
create index pool_by_subnet on pool (subnet_no);
create index pool_by_class on pool (class_no) where class_no is not null;

create table exclude (
  no integer generated always as identity primary key,
  id uuid not null constraint exclude_id_unique unique,
  subnet_no integer not null references subnet,
  start_ip host_address not null,
  end_ip host_address not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint exclude_bounds check (start_ip <= end_ip and family(start_ip) = family(end_ip)),
  constraint exclude_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, inetrange(start_ip, end_ip, '[]') with &&)
);
create index exclude_by_subnet on exclude (subnet_no);

create table reservation (
  no integer generated always as identity primary key,
  id uuid not null constraint reservation_id_unique unique,
  subnet_no integer not null references subnet,
  ip host_address,
  prefix cidr,
  mac macaddr,
  duid bytea,
  client_id bytea,
  circuit_id bytea,
  hostname text,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint reservation_of_something check (num_nonnulls(ip, prefix) > 0),
  constraint reservation_for_somebody check (num_nonnulls(mac, duid, client_id, circuit_id) > 0),
  constraint reservation_ip_unique unique (subnet_no, ip),
  constraint reservation_mac_unique unique (subnet_no, mac),
  constraint reservation_duid_unique unique (subnet_no, duid),
  constraint reservation_client_id_unique unique (subnet_no, client_id),
  constraint reservation_circuit_id_unique unique (subnet_no, circuit_id)
);
create index reservation_by_mac on reservation (mac) where mac is not null;
create index reservation_by_hostname on reservation (lower(hostname) text_pattern_ops) where hostname is not null;
create index reservation_by_ip on reservation (ip) where ip is not null;

create table assignment (
  no integer generated always as identity primary key,
  id uuid not null constraint assignment_id_unique unique,
  subnet_no integer not null references subnet,
  ip host_address not null,
  hostname text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint assignment_ip_unique unique (subnet_no, ip)
);
create index assignment_by_hostname on assignment (lower(hostname) text_pattern_ops);

-- One row a scope, family, code and vendor class; no scope column set means global (of the tenant).
create table dhcp_option (
  no integer generated always as identity primary key,
  id uuid not null constraint dhcp_option_id_unique unique,
  tenant_no integer not null references tenant,
  subnet_no integer references subnet,
  pool_no integer references pool,
  class_no integer references client_class,
  reservation_no integer references reservation,
  family smallint not null default 4 check (family in (4, 6)),
  code integer not null check (code between 1 and 65535),
  vendor_class text,
  payload jsonb not null check (jsonb_typeof(payload) = 'object'),
  always_send boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dhcp_option_one_scope check (num_nonnulls(subnet_no, pool_no, class_no, reservation_no) <= 1),
  constraint dhcp_option_unique unique nulls not distinct
    (tenant_no, subnet_no, pool_no, class_no, reservation_no, family, code, vendor_class)
);
create index dhcp_option_by_subnet on dhcp_option (subnet_no) where subnet_no is not null;
create index dhcp_option_by_pool on dhcp_option (pool_no) where pool_no is not null;
create index dhcp_option_by_class on dhcp_option (class_no) where class_no is not null;
create index dhcp_option_by_reservation on dhcp_option (reservation_no) where reservation_no is not null;

create table option_definition (
  no integer generated always as identity primary key,
  id uuid not null constraint option_definition_id_unique unique,
  tenant_no integer not null references tenant,
  family smallint not null default 4 check (family in (4, 6)),
  code integer not null check (code between 1 and 65535),
  name text not null,
  kind text not null,
  is_array boolean not null default false,
  vendor_space text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint option_definition_code_unique unique nulls not distinct (tenant_no, family, code, vendor_space),
  constraint option_definition_name_unique unique nulls not distinct (tenant_no, family, name, vendor_space)
);

create table trusted_relay (
  no integer generated always as identity primary key,
  id uuid not null constraint trusted_relay_id_unique unique,
  tenant_no integer references tenant,
  cidr cidr not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint trusted_relay_unique unique nulls not distinct (cidr, tenant_no)
);
