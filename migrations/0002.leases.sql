-- depends: 0001.plan

-- lease: one row an address a tenant, the binding; the only arbiter between servers. It knows no foreign key, no
-- trigger and no counter row, and no index holds a column that a renewal changes, so that renewals are HOT updates.
--
-- state: a active, r released, x expired, v revoked, d declined.
-- reuse_at: from then on another client may have the address. Active: expires_at plus the subnet's reuse margin;
-- declined: the end of the quarantine; else the moment of the write.
-- version steps by two: a takeover also writes the previous owner's `expired` event, one below its own version.

create sequence lease_version increment by 2 start with 2;

create type lease_owner as (
  client_key bytea, hw_type smallint, hw_address bytea, client_id bytea, duid bytea, iaid bigint,
  hostname text, expires_at timestamptz);

create table lease (
  granted_at timestamptz not null,
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  reuse_at timestamptz not null,
  version bigint not null,
  iaid bigint,
  tenant_no integer not null,
  subnet_no integer not null,
  prefix_length smallint not null,
  ia_type smallint not null default 0,
  hw_type smallint,
  state "char" not null,
  address inet not null,
  client_key bytea not null,
  hw_address bytea,
  client_id bytea,
  duid bytea,
  hostname text,
  relay inet,
  circuit_id bytea,
  remote_id bytea,
  taken_from lease_owner,
  constraint lease_pkey primary key (tenant_no, address)
) with (fillfactor = 70);
create index lease_by_client_key on lease (client_key);
create index lease_by_hw_address on lease (hw_address);
create index lease_by_hostname on lease (lower(hostname) text_pattern_ops) where hostname is not null;

-- lease_event: append-only, written by the statement that writes the lease.
-- kind: g granted, n renewed, r released, x expired, d declined, v revoked.
create table lease_event (
  at timestamptz not null,
  xid xid8 not null,
  version bigint not null,
  granted_at timestamptz not null,
  expires_at timestamptz not null,
  reuse_at timestamptz not null,
  iaid bigint,
  tenant_no integer not null,
  subnet_no integer not null,
  node_no integer,
  prefix_length smallint not null,
  ia_type smallint not null,
  hw_type smallint,
  kind "char" not null,
  state "char" not null,
  address inet not null,
  client_key bytea not null,
  hw_address bytea,
  client_id bytea,
  duid bytea,
  hostname text,
  relay inet,
  circuit_id bytea,
  remote_id bytea
) partition by range (at);
create index lease_event_by_xid on lease_event (xid);
create index lease_event_by_address on lease_event (address, version);

-- Makes the day partitions from yesterday to `days` ahead that do not exist yet; says how many it made.
create function make_lease_event_partitions(days integer) returns integer language plpgsql as $$
declare
  day date;
  name text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('make_lease_event_partitions'));
  for day in
    select d::date from generate_series(
      (now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + days, interval '1 day') d
  loop
    name := 'lease_event_' || to_char(day, 'YYYYMMDD');
    if to_regclass(name) is null then
      execute format('create table %I partition of lease_event for values from (%L) to (%L)',
        name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
      made := made + 1;
    end if;
  end loop;
  return made;
end
$$;

select make_lease_event_partitions(14);
