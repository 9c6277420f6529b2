-- The version of a lease steps by two: a takeover also writes the previous owner's `expired` event, one below its own.
create sequence lease_version increment by 2 start with 2;

-- Previous owner of a lease that was taken over, for its `expired` event.
create type lease_owner as (
  client_key bytea, hw_type smallint, hw_address bytea, client_id bytea, duid bytea, iaid bigint,
  hostname text, expires_at timestamptz);

-- Of which identity association a lease is (RFC 8415 section 12); null for IPv4. ia_type: the option's code, 3 or 25.
create type lease_association as (
  ia_type smallint, prefix_length smallint, iaid bigint, preferred_lifetime integer, duid bytea, link_address inet,
  next_hop inet, interface_id bytea);

-- The columns of a lease that describe the client's device; null where a write has none.
create type lease_client as (
  relay_id bytea, relay_info bytea, vendor_class bytea, parameter_list bytea, accepts_reconfigure boolean,
  client_options bytea);

-- One write of a DHCP server: an element of the array that the lease statements take. An array of rows costs PostgreSQL a
-- twentieth less than an array for each column, which it would have to combine row by row.
--   place: index of the statement's subnet and fence under which the write was decided. operation: b bind, n renew,
--   r release, d decline, v revoke, x expire, q quarantine. lifetime, margin: seconds. age: of the packet, microseconds.
--   version: the version seen, or 0. association, device: null costs one field each.
create type lease_request as (
  tenant_no integer, address inet, subnet_no integer, place smallint, operation "char", lifetime integer, margin integer,
  age integer, version bigint, hw_type smallint, hw_address bytea, client_id bytea, client_key bytea, hostname text,
  relay inet, circuit_id bytea, remote_id bytea, association lease_association, device lease_client, fqdn_flags smallint);

-- lease: one row an address a tenant, the binding; the only arbiter between servers. It knows no foreign key, no
-- trigger and no counter row, and no index holds a column that a renewal changes, so that renewals are HOT updates.
--
-- state: a active, r released, x expired, v revoked, d declined.
-- reuse_at: from then on another client may have the address. Active: expires_at plus the subnet's reuse margin;
-- declined: the end of the quarantine; else the moment of the write.
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
  -- What gives a machine an address through the API writes or locks that address's lease row in its own transaction, and
  -- leaves this mark: a grant that was decided before that transaction's end must read the subnet's fence once more. Null in
  -- all other rows, where it takes no room.
  claimed boolean,
  -- Since when the previous owner had it whose lease was taken over: its `expired` event bears that time.
  taken_since timestamptz,
  -- When the lease was ended, or written down as expired: what is granted after that begins no sooner, also by a
  -- transaction that began before. Null while it runs.
  ended_at timestamptz,
  -- What DHCPv6 writes of a lease beside what DHCPv4 does, and what access concentrators (leasequery) and people ask of
  -- either: which device it is. Nullable columns cost a table of any size nothing, and rows that leave them out no octet.
  --   preferred_lifetime: seconds, of IPv6. link_address: of the relay that chose the subnet (RFC 8415 section 9).
  --   relay_id: the relay's DUID (RFC 5460, RFC 6925). relay_info: what the relays said, as it came.
  --   vendor_class: option 60 or 16. parameter_list: option 55 or 6.
  preferred_lifetime integer,
  link_address inet,
  relay_id bytea,
  relay_info bytea,
  vendor_class bytea,
  parameter_list bytea,
  -- Where a delegated prefix is to be routed: by the relay that named the link (relay, link_address), out of its interface
  -- (interface_id, RFC 8415 section 21.18) to the client there (next_hop: the innermost peer-address, or a direct client's
  -- source). circuit_id stays what the relay next to the client says, which behind a switch (RFC 6221) is its port. Last, and
  -- null for IPv4, whose rows they cost no octet.
  next_hop inet,
  interface_id bytea,
  -- Whether the client accepts Reconfigure messages (RFC 8415 section 21.20); null: unknown.
  accepts_reconfigure boolean,
  -- What a client said of who updates DNS (RFC 4702, RFC 4704), as bits: 4 it said so, 1 the server is to (S), 2 nobody is to
  -- (N); 8 the name is a reservation's, and the server's to update. Null: the client did not say.
  fqdn_flags smallint,
  -- Options by which a client class may recognize a client that later leaves them out: user class (77; DHCPv6 15),
  -- architecture (93; 61) and others that classes ask for. Each stands with its code and length, two octets each, in
  -- front of its octets, as in DHCPv6. Null: the client sent none.
  client_options bytea,
  -- A lease that goes to another client has a new entry in every index, and the old one is dead from then on. Each look for
  -- the address marks it so, and marked entries go first when a page is full; one that was merged with its successor cannot
  -- be marked, and PostgreSQL visits the rows of half a page to find out. No two rows have one address, so merging saves
  -- nothing else here. The index grows up to twice as large meanwhile.
  constraint lease_pkey primary key (tenant_no, address) with (deduplicate_items = off)
) with (fillfactor = 70);
create index lease_by_client_key on lease (client_key);
create index lease_by_hostname on lease (lower(hostname) text_pattern_ops) where hostname is not null;
create index lease_by_duid on lease (duid) where duid is not null;
-- A lease whose client is known by its Ethernet address has that address in its client key, whose index finds it. So an
-- index of hardware addresses needs the others only: clients known by a client id, of DHCPv6, or on other hardware. A new
-- lease of IPv4 is in one index less, which is 2 of some 27 microseconds that it costs PostgreSQL.
create index lease_by_other_hardware on lease (hw_address)
  where hw_address is not null and substring(client_key for 2) <> '\x0101'::bytea;

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
  remote_id bytea,
  -- A delegated prefix is routed by whoever reads the history: relay, circuit_id (interface id) and this say where to.
  link_address inet,
  next_hop inet,
  interface_id bytea,
  fqdn_flags smallint
) partition by range (at);
create index lease_event_by_xid on lease_event (xid);
create index lease_event_by_address on lease_event (address, version);
-- Rows come in the order of time, so a block range index finds a stretch of it and costs the writers next to nothing.
-- Ranges of 8 MB: summaries are asked for so seldom, even in a storm, that autovacuum's list of them does not overflow.
create index lease_event_by_at on lease_event using brin (at) with (autosummarize = on, pages_per_range = 1024);

-- What was noted of a day of lease_event an hour after its end. `last_end`: the latest end of the leases that were granted
-- or renewed in it (null: there were none). Who held an address at a moment is not looked for in a day whose leases had all
-- ended by then.
create table lease_event_day (
  day date primary key,
  last_end timestamptz,
  noted_at timestamptz not null default now()
);
