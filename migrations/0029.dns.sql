-- depends: 0028.reconfigure

-- DNS as it is served and updated. What the API and the workers write stands in dns_record; what DNS servers answer stands
-- in dns_rrset, at a serial that an elected publisher gave it. Between the two, dns_change names what was touched: no writer
-- waits for a serial, and many changes of one name within a moment are one.

alter table dns_record
  -- Which types there are dnspython decides; RFC 3597 names the unknown ones TYPE65400.
  drop constraint dns_record_type_check,
  add column source text not null default 'static' check (source in ('static', 'lease', 'assignment', 'reservation'));

alter table dns_zone
  -- Cutover rule 6: another server still takes updates for it, so the built-in one must not answer.
  add column updated_elsewhere boolean not null default false,
  -- Who may copy the zone (AXFR, IXFR): from these networks, and the secondaries.
  add column transfer_networks cidr[] not null default '{}',
  -- DNS servers, by their public ids, that are told of a new serial (NOTIFY) and may copy the zone: from their address, and
  -- signed by their key where they have one.
  add column secondary_ids uuid[] not null default '{}',
  add constraint dns_zone_served_once check (not (dns_enabled and updated_elsewhere));
-- One server answers for a name, whoever's zone it is.
create unique index dns_zone_enabled_unique on dns_zone (name) where dns_enabled;

-- Names whose records were written and are not published yet, relative to the zone; null: the zone itself.
create table dns_change (
  no bigint generated always as identity primary key,
  zone_no integer not null,
  name text
);

create function note_dns_records() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into dns_change (zone_no, name) select distinct zone_no, name from old_records;
  end if;
  if tg_op <> 'DELETE' then
    insert into dns_change (zone_no, name) select distinct zone_no, name from new_records;
  end if;
  notify dns_change;
  return null;
end
$$;
create trigger dns_record_inserted after insert on dns_record referencing new table as new_records
  for each statement execute function note_dns_records();
create trigger dns_record_updated after update on dns_record
  referencing old table as old_records new table as new_records
  for each statement execute function note_dns_records();
create trigger dns_record_deleted after delete on dns_record referencing old table as old_records
  for each statement execute function note_dns_records();

create function note_dns_zone() returns trigger language plpgsql as $$
begin
  insert into dns_change (zone_no) values (coalesce(new.no, old.no));
  notify dns_change;
  return null;
end
$$;
create trigger dns_zone_written after insert or delete on dns_zone for each row execute function note_dns_zone();
create trigger dns_zone_updated after update on dns_zone for each row
  when (old.* is distinct from new.*) execute function note_dns_zone();

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

-- Whose a name is at one server (the embedded one: 0): the first client that asked for it, until its last address goes. Its
-- DHCID stands beside the addresses of both families.
create table ddns_name (
  dns_server_no integer not null,
  fqdn text not null,
  owners bytea[] not null,
  dhcid bytea,
  constraint ddns_name_pkey primary key (dns_server_no, fqdn)
);

-- The outbox: who an update is for, and how it goes there, as it stood when it was asked for.
alter table ddns_update
  add column identities bytea[] not null default '{}',
  add column adapter text not null default 'embedded',
  add column conflict_mode text not null default 'check_dhcid',
  -- Who sends it has claimed it until then; one that died leaves it to the next.
  add column claimed_until timestamptz,
  add column source text not null default 'lease' check (source in ('lease', 'assignment', 'reservation'));
create index ddns_update_by_name on ddns_update (fqdn, no) where state in ('pending', 'retrying', 'conflict');
create index ddns_update_unfinished_by_ip on ddns_update (tenant_no, ip, no) where state in ('pending', 'retrying');

-- How far a worker has read a log (engine rule 15): transactions below `xid` are done, in this history of the database.
create table worker_cursor (
  name text primary key,
  history text not null,
  xid xid8 not null,
  updated_at timestamptz not null default now()
);
