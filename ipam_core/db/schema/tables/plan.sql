-- The address plan. Every object has a public id (UUIDv7, created by the service) and a number `no`: a small key for
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
  updated_at timestamptz not null default now(),
  -- Names at or below which the tenant may enable zones; lower case, ASCII, without the closing dot. The default tenant
  -- needs none.
  dns_suffixes text[] not null default '{}',
  -- Limits that a global admin has set. A missing member means the default, 0 means no limit.
  limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object')
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
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
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
  gateway host_address,
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
  -- Where the search for the next free address begins: no address outside its pools below `free_from` is
  -- free, those that only a lease holds excepted (they end by themselves, so the mark never passes one). Null: unknown.
  -- A search moves it forward while it holds the subnet; triggers move it back when addresses are returned
  -- (functions/vacancy.sql).
  free_from inet,
  -- When something below was last changed or deleted: a grant that was decided before may still be on its way then, also
  -- of an address that no pool holds any more.
  withdrawn_at timestamptz,
  -- An address registers itself only where its subnet says so (RFC 9686): option 148 is sent there.
  address_registration boolean not null default false,
  -- What the boot server is called (the header's sname, option 66), beside the address that next_server may be.
  server_name text,
  vlan_id integer check (vlan_id between 1 and 4094),
  site text not null default '',
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  -- Domains besides ddns_domain in which a client may choose its name; the first label is the client's, the rest must be one
  -- of these.
  ddns_client_domains text[] not null default '{}',
  constraint subnet_overlap exclude using gist (
    int8range(tenant_no, tenant_no, '[]') with &&, cidr inet_ops with &&),
  constraint subnet_gateway_inside check (gateway <<= cidr)
);
create index subnet_in_order on subnet (prefix_no, no);
create index subnet_by_name on subnet (lower(name) text_pattern_ops);

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
  -- What a class asks of its clients beside the plain criteria: whether they have a reservation, and a tree of conditions
  -- (ipam_core/dhcp/conditions.py), which the service has checked.
  known boolean,
  match jsonb check (jsonb_typeof(match) = 'object'),
  server_name text,
  -- A template creates one class for each value that its conditions read.
  template boolean not null default false,
  constraint client_class_matches_something check
    (num_nonnulls(vendor_class, user_class, mac_prefix, locally_administered, known, match) > 0),
  constraint client_class_name_unique unique (tenant_no, name) deferrable
);

-- Values of templates that clients sent, as the DHCP servers counted them; the service keeps the latest.
create table class_value (
  class_no integer not null references client_class on delete cascade,
  value bytea not null check (octet_length(value) between 1 and 255),
  packets bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (class_no, value)
);

create table pool (
  no integer generated always as identity primary key,
  id uuid not null constraint pool_id_unique unique,
  subnet_no integer not null references subnet,
  name text not null default '',
  start_ip host_address,
  end_ip host_address,
  class_no integer references client_class,
  allocation text not null default 'hashed' check (allocation in ('hashed', 'sequential')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Pools of prefixes that are delegated whole to clients (RFC 8415 section 6.3): `prefix` cut into prefixes of
  -- `delegated_length`. Each client may be told to leave one longer prefix of its own to the link (RFC 6603):
  -- `excluded_prefix` names it within the first delegated one, and lies alike in all others. Such a pool has no range.
  prefix cidr,
  delegated_length smallint,
  excluded_prefix cidr,
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  constraint pool_bounds check (start_ip <= end_ip and family(start_ip) = family(end_ip)),
  constraint pool_of_something check (
    case when prefix is null then num_nonnulls(start_ip, end_ip) = 2 and num_nonnulls(delegated_length, excluded_prefix) = 0
    else num_nulls(start_ip, end_ip) = 2 and family(prefix) = 6 and delegated_length between masklen(prefix) and 128
      and delegated_length is not null end),
  constraint pool_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, inetrange(start_ip, end_ip, '[]') with &&) where (start_ip is not null),
  constraint pool_prefix_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, prefix inet_ops with &&) where (prefix is not null),
  constraint pool_excluded_within check (
    excluded_prefix is null or excluded_prefix << set_masklen(prefix, delegated_length)
    and masklen(excluded_prefix) > delegated_length)
);
create index pool_by_subnet on pool (subnet_no);
create index pool_by_class on pool (class_no) where class_no is not null;
-- Delegated prefixes are few rows of two large tables. Without this index each new IPv6 subnet reads every reservation.
create index pool_by_prefix on pool using gist (prefix inet_ops) where prefix is not null;

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

-- Reservations of addresses, prefixes, or neither (profiles: host name, options, class).
create table reservation (
  no integer generated always as identity primary key,
  id uuid not null constraint reservation_id_unique unique,
  subnet_no integer references subnet,
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
  -- Class that the client belongs to, whatever the class requires. `reserve` writes none.
  class_no integer references client_class,
  -- Identifiers of the subscriber that a relay agent adds: remote id (option 82.2, DHCPv6's 37) and subscriber id (82.6,
  -- DHCPv6's 38). `reserve` writes none; its caller checks that the reservation has an identity.
  remote_id bytea,
  subscriber_id bytea,
  -- Tenant in all of whose subnets the reservation applies; null: it belongs to a subnet.
  tenant_no integer references tenant,
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  -- What the client of a reserved prefix leaves to its link (RFC 6603), as `excluded_prefix` of a delegation pool.
  excluded_prefix cidr,
  -- Further names of the address, as those of an assignment.
  aliases text[] not null default '{}',
  alias_records text not null default 'cname' check (alias_records in ('cname', 'address')),
  constraint reservation_prefix_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, prefix inet_ops with &&) where (prefix is not null),
  constraint reservation_for_somebody check (
    num_nonnulls(mac, duid, client_id, circuit_id, remote_id, subscriber_id) > 0),
  constraint reservation_somewhere check (num_nonnulls(subnet_no, tenant_no) = 1),
  constraint reservation_of_tenant_without_address check (tenant_no is null or num_nonnulls(ip, prefix) = 0),
  constraint reservation_excluded_within check (excluded_prefix is null or excluded_prefix << prefix),
  -- Objects may exchange addresses, names and identifiers within one transaction, which defers these constraints, as those
  -- of other tables here. Constraints that an `on conflict` names or may meet, and exclusions of overlaps, stay immediate.
  constraint reservation_ip_unique unique (subnet_no, ip) deferrable,
  constraint reservation_mac_unique unique (subnet_no, mac) deferrable,
  constraint reservation_duid_unique unique (subnet_no, duid) deferrable,
  constraint reservation_client_id_unique unique (subnet_no, client_id) deferrable,
  constraint reservation_circuit_id_unique unique (subnet_no, circuit_id) deferrable,
  constraint reservation_remote_id_unique unique (subnet_no, remote_id) deferrable,
  constraint reservation_subscriber_id_unique unique (subnet_no, subscriber_id) deferrable,
  -- A unique constraint takes no condition, and a unique index cannot be deferred.
  constraint reservation_tenant_mac_unique exclude using btree (tenant_no with =, mac with =)
    where (tenant_no is not null and mac is not null) deferrable,
  constraint reservation_tenant_duid_unique exclude using btree (tenant_no with =, duid with =)
    where (tenant_no is not null and duid is not null) deferrable,
  constraint reservation_tenant_client_id_unique exclude using btree (tenant_no with =, client_id with =)
    where (tenant_no is not null and client_id is not null) deferrable,
  constraint reservation_tenant_circuit_id_unique exclude using btree (tenant_no with =, circuit_id with =)
    where (tenant_no is not null and circuit_id is not null) deferrable,
  constraint reservation_tenant_remote_id_unique exclude using btree (tenant_no with =, remote_id with =)
    where (tenant_no is not null and remote_id is not null) deferrable,
  constraint reservation_tenant_subscriber_id_unique exclude using btree (tenant_no with =, subscriber_id with =)
    where (tenant_no is not null and subscriber_id is not null) deferrable
);
create index reservation_by_mac on reservation (mac) where mac is not null;
create index reservation_by_hostname on reservation (lower(hostname) text_pattern_ops) where hostname is not null;
create index reservation_by_ip on reservation (ip) where ip is not null;
-- Lists below one subnet or prefix, page by page in the order of creation.
create index reservation_in_order on reservation (subnet_no, no);
create index reservation_by_duid on reservation (duid) where duid is not null;
create index reservation_by_client_id on reservation (client_id) where client_id is not null;
create index reservation_by_circuit_id on reservation (circuit_id) where circuit_id is not null;
create index reservation_by_class on reservation (class_no) where class_no is not null;
create index reservation_by_remote_id on reservation (remote_id) where remote_id is not null;
create index reservation_by_subscriber_id on reservation (subscriber_id) where subscriber_id is not null;
-- Only of what has tags: a reservation without any costs its insert nothing.
create index reservation_tags on reservation using gin (tags) where cardinality(tags) > 0;
create index reservation_by_prefix on reservation using gist (prefix inet_ops) where prefix is not null;
create index reservation_aliases on reservation using gin (aliases) where cardinality(aliases) > 0;

create table assignment (
  no integer generated always as identity primary key,
  id uuid not null constraint assignment_id_unique unique,
  subnet_no integer not null references subnet,
  ip host_address not null,
  hostname text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  -- Further names of an address, in lower case, and how they are published: as CNAME records to its host name, or as
  -- address records of their own.
  aliases text[] not null default '{}',
  alias_records text not null default 'cname' check (alias_records in ('cname', 'address')),
  constraint assignment_ip_unique unique (subnet_no, ip) deferrable
);
create index assignment_by_hostname on assignment (lower(hostname) text_pattern_ops);
create index assignment_in_order on assignment (subnet_no, no);
create index assignment_by_ip on assignment (ip);
create index assignment_tags on assignment using gin (tags) where cardinality(tags) > 0;
-- Only of what has aliases, so that other inserts cost nothing.
create index assignment_aliases on assignment using gin (aliases) where cardinality(aliases) > 0;

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
  -- An option that is withheld here, although a wider scope has it or the server would say it by itself.
  never_send boolean not null default false,
  constraint dhcp_option_one_scope check (num_nonnulls(subnet_no, pool_no, class_no, reservation_no) <= 1),
  constraint dhcp_option_sent_or_withheld check (not (always_send and never_send)),
  constraint dhcp_option_unique unique nulls not distinct
    (tenant_no, subnet_no, pool_no, class_no, reservation_no, family, code, vendor_class) deferrable
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
  constraint option_definition_code_unique unique nulls not distinct (tenant_no, family, code, vendor_space) deferrable,
  constraint option_definition_name_unique unique nulls not distinct (tenant_no, family, name, vendor_space) deferrable
);

create table trusted_relay (
  no integer generated always as identity primary key,
  id uuid not null constraint trusted_relay_id_unique unique,
  tenant_no integer references tenant,
  cidr cidr not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whose packets a relay brings (decisions: Ownership of packets). `sources`: from where its packets may come, none: from
  -- anywhere; `vss`, `client_vss`: whether the virtual network that the relay or the client names chooses the tenant.
  sources cidr[] not null default '{}',
  vss boolean not null default false,
  client_vss boolean not null default false,
  constraint trusted_relay_unique unique nulls not distinct (cidr, tenant_no) deferrable
);

-- From where packets of an entry's relays came, as the servers report it now and then: of each entry the latest.
create table relay_source (
  relay_no integer not null references trusted_relay on delete cascade,
  address inet not null,
  last_seen_at timestamptz not null,
  primary key (relay_no, address)
);

-- Relays whose packets were dropped because nobody trusts them; the DHCP servers note them in batches.
create table unknown_relay (
  address host_address primary key,
  count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index unknown_relay_by_age on unknown_relay (last_seen_at);

-- Addresses that machines visibly use, which no pool gives (decisions: Never leased). `tenant_no`: in whose subnets.
-- `source`: why the row is here: node:N, setting:N (the setting of that node), trusted_relay:N, subnet:N
-- (relay_addresses) or seen:N (a relay of that subnet's packets, with their number and the last time). `leased`: when it
-- was judged last, a client held an active lease of the address, so it is reported and stays with the client.
create table address_in_use (
  tenant_no integer not null,
  address inet not null,
  source text not null,
  kind text not null check (kind in ('server', 'relay')),
  leased boolean not null default false,
  packets bigint not null default 0,
  noted_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  constraint address_in_use_pkey primary key (tenant_no, address, source)
);
create index address_in_use_by_source on address_in_use (source, address);

-- Subnets that the DHCP servers have to read again although nobody changed their plan. Read like `change`, which is the
-- audit trail of people.
create table subnet_touch (
  no bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  subnet_no integer not null
);
create index subnet_touch_by_xid on subnet_touch (xid);
create index subnet_touch_by_subnet on subnet_touch (subnet_no, at);

-- Lease rows that were marked, so that those which are nothing but a mark can go when no grant is on its way any more.
create table address_claim (
  at timestamptz not null default now(),
  tenant_no integer not null,
  address inet not null
);

-- How long the prefixes are that a tenant delegates or has delegated; a length stays when nothing has it any more, because
-- leases may. So the look for delegations around a prefix has a place or two to look at, and not one for each of its bits.
create table delegation_length (
  tenant_no integer not null references tenant on delete cascade,
  length smallint not null,
  constraint delegation_length_pkey primary key (tenant_no, length)
);

-- How many reservations and assignments there are, as a sum of differences. Every statement that makes or deletes some
-- adds its own row, so that nobody waits for anybody; who must know the sum under a lock folds them.
create table managed_change (
  delta bigint not null
);
insert into managed_change values (0);

-- Objects of each tenant by kind, as sums of differences: every statement that creates or deletes objects appends a row of
-- its own, so no writer waits for another. A writer below a limit folds the rows under a lock.
create table tenant_use (
  tenant_no integer not null,
  kind text not null,
  delta bigint not null
);
create index tenant_use_by_kind on tenant_use (tenant_no, kind);

-- The shares of the cap (in percent) that have been passed, a row while it lasts: whoever makes it raises the event.
create table license_alert (
  percent smallint primary key,
  since timestamptz not null default now()
);
