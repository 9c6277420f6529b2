-- depends: 0057.server_duid

-- A serial that a zone is raised to, until the publisher has taken it: an operator's, or that of the file of the zone's old
-- server, whose secondaries follow no smaller one (RFC 1982).
alter table dns_zone add column wanted_serial bigint check (wanted_serial between 1 and 4294967295);

-- What zones that are deleted had come to: one of that name goes on from there.
create table dns_zone_past (
  tenant_no integer not null references tenant (no) on delete cascade,
  name text not null,
  serial bigint not null check (serial between 1 and 4294967295),
  ended_at timestamptz not null default now(),
  constraint dns_zone_past_pkey primary key (tenant_no, name)
);
create index dns_zone_past_by_end on dns_zone_past (tenant_no, ended_at);
