-- depends: 0061.search

-- Further names of an address, in lower case, and how they are published: as CNAME records to its host name, or as
-- address records of their own.
alter table assignment
  add column aliases text[] not null default '{}',
  add column alias_records text not null default 'cname' check (alias_records in ('cname', 'address'));
alter table reservation
  add column aliases text[] not null default '{}',
  add column alias_records text not null default 'cname' check (alias_records in ('cname', 'address'));

-- Only of what has aliases, so that other inserts cost nothing.
create index assignment_aliases on assignment using gin (aliases) where cardinality(aliases) > 0;
create index reservation_aliases on reservation using gin (aliases) where cardinality(aliases) > 0;

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

-- All names that DNS was asked to contain.
create view ddns_published as
select tenant_no, ip, source, subnet_no, fqdn, identities, dhcid, conflict_mode, dns_server_no, adapter, forward_zone,
  reverse_zone, ttl, false as is_alias, null::text as target, updated_at
from ddns_binding
union all
select tenant_no, ip, source, subnet_no, fqdn, identities, dhcid, conflict_mode, dns_server_no, adapter, forward_zone,
  null, ttl, true, target, updated_at
from ddns_alias;

-- Updates of aliases. Those of one address need not wait for each other, for they concern other names.
alter table ddns_update add column is_alias boolean not null default false, add column target text;
