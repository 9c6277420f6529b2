-- A name and all names above it, the name itself first. An escaped dot ends no label. It stands with the tables because
-- dns_zone stores its results: a new text would not change them, so it needs a step that computes the column again.
create function dns_names_above(name text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  above text[] := array[name];
  labels text[];
begin
  if strpos(name, '\') = 0 then
    while strpos(name, '.') > 0 loop
      name := substr(name, strpos(name, '.') + 1);
      above := above || name;
    end loop;
    return above;
  end if;
  labels := array(select part[1] from regexp_matches(name, '((?:[^.\\]|\\.)+)', 'g') as part);
  return array(select array_to_string(labels[place:], '.') from generate_subscripts(labels, 1) as place order by place);
end
$$;

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
  -- Credentials of the adapter ad_gsstsig, as files of the machines that send updates: whose keys they are the database does
  -- not know, so that nothing of them is sealed here.
  keytab text,
  ticket_cache text,
  -- Whether a token limited to a tenant wrote last where the object connects to. Objects of tenants other than the default
  -- one are always judged as tenants'.
  by_tenant boolean not null default false,
  constraint dns_server_name_unique unique (tenant_no, name) deferrable
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
  -- Cutover rule 6: another server still takes updates for it, so the built-in one must not answer.
  updated_elsewhere boolean not null default false,
  -- Who may copy the zone (AXFR, IXFR): from these networks, and the secondaries.
  transfer_networks cidr[] not null default '{}',
  -- DNS servers, by their public ids, that are told of a new serial (NOTIFY) and may copy the zone: from their address, and
  -- signed by their key where they have one.
  secondary_ids uuid[] not null default '{}',
  above text[] generated always as (dns_names_above(name)) stored,
  -- A serial that a zone is raised to, until the publisher has taken it: an operator's, or that of the file of the zone's old
  -- server, whose secondaries follow no smaller one (RFC 1982).
  wanted_serial bigint check (wanted_serial between 1 and 4294967295),
  constraint dns_zone_name_unique unique (tenant_no, name),
  constraint dns_zone_served_once check (not (dns_enabled and updated_elsewhere))
);
create index dns_zone_by_server on dns_zone (dns_server_no) where dns_server_no is not null;
create index dns_zone_by_name on dns_zone (name text_pattern_ops);
-- One server answers for a name, whoever's zone it is.
create unique index dns_zone_enabled_unique on dns_zone (name) where dns_enabled;
create index dns_zone_above on dns_zone using gin (above) where dns_enabled;

-- What zones that are deleted had come to: one of that name goes on from there.
create table dns_zone_past (
  tenant_no integer not null references tenant (no) on delete cascade,
  name text not null,
  serial bigint not null check (serial between 1 and 4294967295),
  ended_at timestamptz not null default now(),
  constraint dns_zone_past_pkey primary key (tenant_no, name)
);
create index dns_zone_past_by_end on dns_zone_past (tenant_no, ended_at);

create table dns_record (
  no bigint generated always as identity primary key,
  id uuid not null constraint dns_record_id_unique unique,
  zone_no integer not null references dns_zone,
  -- Relative to the zone, lower case; the zone's own name is @.
  name text not null,
  type text not null,
  ttl integer check (ttl >= 0),
  -- RFC 1035 presentation format with absolute names, in one spelling.
  data text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  source text not null default 'static'
    check (source in ('static', 'lease', 'assignment', 'reservation', 'delegation')),
  -- The hash, because a TXT record may be longer than an index entry.
  constraint dns_record_unique exclude using btree
    (zone_no with =, name with =, type with =, md5(data) with =),
  -- Beside an alias nothing else stands (RFC 1034 3.6.2); two of the name are refused by the service's check.
  constraint dns_record_no_apex_cname check (type <> 'CNAME' or name <> '@')
);
create index dns_record_by_zone on dns_record (zone_no, name);
create index dns_record_by_name on dns_record (name text_pattern_ops);
-- Records are found by the address that they give, or its leading part.
create index dns_record_by_address on dns_record (data text_pattern_ops) where type in ('A', 'AAAA');
create index dns_record_delegation on dns_record (zone_no, type) where source = 'delegation';

-- Names whose records were written and are not published yet, relative to the zone; null: the zone itself.
create table dns_change (
  no bigint generated always as identity primary key,
  zone_no integer not null,
  name text
);

-- A zone as DNS servers answer it; a row here is a zone that is enabled and has been published.
create table dns_published (
  zone_no integer primary key,
  name text not null,
  serial bigint not null check (serial between 1 and 4294967295),
  default_ttl integer not null,
  mname text not null,
  rname text not null,
  refresh_seconds integer not null,
  retry_seconds integer not null,
  expire_seconds integer not null,
  minimum_seconds integer not null,
  published_at timestamptz not null
);

-- Its records, those of one name and type together (RFC 2181 section 5); the SOA stands in dns_published.
create table dns_rrset (
  zone_no integer not null,
  name text not null,
  type text not null,
  ttl integer not null,
  -- RFC 1035 presentation format with absolute names, sorted.
  data text[] not null,
  constraint dns_rrset_pkey primary key (zone_no, name, type)
);

-- What a serial changed, for IXFR and for the servers' images: RRsets as they were and as they are now,
-- [{"name": "www", "type": "A", "ttl": 3600, "data": ["192.0.2.1"]}]. `previous` is the serial before.
create table dns_zone_delta (
  zone_no integer not null,
  serial bigint not null,
  previous bigint not null,
  at timestamptz not null,
  -- The data of both SOA records.
  soa text not null,
  previous_soa text not null,
  removed jsonb not null,
  added jsonb not null,
  constraint dns_zone_delta_pkey primary key (zone_no, at, serial)
);

-- What each secondary of a zone was last seen to have, and what it, or we, last refused. The DNS servers write it.
create table dns_secondary (
  zone_no integer not null references dns_zone (no) on delete cascade,
  dns_server_no integer not null references dns_server (no) on delete cascade,
  -- Its SOA's; null: it never told one.
  serial bigint check (serial between 0 and 4294967295),
  seen_at timestamptz,
  -- Since when that is not the zone's.
  differs_since timestamptz,
  refusal text,
  refused_at timestamptz,
  -- The state of a secondary of which an event has told last (dns.secondary_behind, dns.secondary_current).
  told_state text
    constraint dns_secondary_told_state_check check (told_state in ('current', 'behind', 'ahead', 'unknown')),
  constraint dns_secondary_pkey primary key (zone_no, dns_server_no)
);
create index dns_secondary_by_server on dns_secondary (dns_server_no);

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
  updated_at timestamptz not null default now(),
  -- Whom an update is for, and how it is sent, as configured when it was requested.
  identities bytea[] not null default '{}',
  adapter text not null default 'embedded',
  conflict_mode text not null default 'check_dhcid',
  -- Who sends it has claimed it until then; one that died leaves it to the next.
  claimed_until timestamptz,
  source text not null default 'lease' check (source in ('lease', 'assignment', 'reservation')),
  -- The update gives a client back a name that an operator had taken over: records of other types are no hindrance.
  regains boolean not null default false,
  -- Updates of aliases. Those of one address need not wait for each other, for they concern other names.
  is_alias boolean not null default false,
  target text
);
create index ddns_update_due on ddns_update (next_attempt_at) where state in ('pending', 'retrying');
create index ddns_update_by_ip on ddns_update (ip, no);
create index ddns_update_by_name on ddns_update (fqdn, no) where state in ('pending', 'retrying', 'conflict');
create index ddns_update_unfinished_by_ip on ddns_update (tenant_no, ip, no) where state in ('pending', 'retrying');
-- Updates on their way to a server; there are few at any time.
create index ddns_update_claimed on ddns_update (no) where claimed_until is not null;
-- What metrics count.
create index ddns_update_unfinished on ddns_update (adapter, state, created_at)
  where state in ('pending', 'retrying', 'failed', 'conflict');
-- What is forgotten some day.
create index ddns_update_done on ddns_update (updated_at) where state in ('applied', 'superseded', 'failed');
-- Unfinished updates by tenant and server, so that a tenant's backlog costs others nothing: each server's are found by one
-- descent of the index, however many wait for another one. 0 is the embedded server, of which each tenant has its own share.
create index ddns_update_by_server on ddns_update (tenant_no, coalesce(dns_server_no, 0), next_attempt_at)
  where state in ('pending', 'retrying');

-- What DNS shall say of one address, as was last asked for.
create table ddns_binding (
  tenant_no integer not null,
  ip host_address not null,
  source text not null check (source in ('lease', 'assignment', 'reservation')),
  subnet_no integer,
  fqdn text not null,
  -- Ways by which its client is known (RFC 4703): two addresses of one host share a name when they share one.
  identities bytea[] not null,
  dhcid bytea,
  conflict_mode text not null,
  dns_server_no integer,
  adapter text not null,
  forward_zone text,
  reverse_zone text,
  ttl integer not null,
  updated_at timestamptz not null default now(),
  constraint ddns_binding_pkey primary key (tenant_no, ip)
);
create index ddns_binding_by_name on ddns_binding (fqdn);
create index ddns_binding_by_subnet on ddns_binding (subnet_no);

-- What DNS was last asked to contain of the aliases of an address, beside ddns_binding, which has its host name.
create table ddns_alias (
  tenant_no integer not null,
  ip host_address not null,
  fqdn text not null,
  -- Name that the CNAME record points to; null: the alias has address records.
  target text,
  source text not null check (source in ('assignment', 'reservation')),
  subnet_no integer,
  identities bytea[] not null,
  dhcid bytea,
  conflict_mode text not null,
  dns_server_no integer,
  adapter text not null,
  forward_zone text not null,
  ttl integer not null,
  updated_at timestamptz not null default now(),
  constraint ddns_alias_pkey primary key (tenant_no, ip, fqdn)
);
create index ddns_alias_by_name on ddns_alias (fqdn);
create index ddns_alias_by_subnet on ddns_alias (subnet_no);

-- Owner of a name in one zone of one tenant at one server (the embedded one: 0).
create table ddns_owner (
  tenant_no integer not null,
  dns_server_no integer not null,
  zone text not null,
  fqdn text not null,
  -- An assignment or reservation has the name: every further one shares it, and leases give way.
  by_operator boolean not null,
  -- Ways by which the owners are known (RFC 4703): a lease that has one of them is the owner's too.
  owners bytea[] not null,
  -- DHCID that marks the name at the server.
  dhcid bytea,
  -- Mark of the owner whose name was taken over, until the update that replaces it is applied; empty: records of ours that
  -- have no mark.
  before bytea,
  constraint ddns_owner_pkey primary key (tenant_no, dns_server_no, zone, fqdn)
);

-- Subnets whose clients have names and no domain to put them in: ddns.failed was raised for them.
create table ddns_without_domain (
  subnet_no integer primary key,
  noted_at timestamptz not null default now()
);
