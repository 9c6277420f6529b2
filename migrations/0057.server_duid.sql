-- depends: 0056.reserved_excluded

-- The DUID under which all DHCPv6 servers of the database answer, where an admin has set one: that of the server whose clients
-- they serve on. Without it they derive one from cluster_key, to which servers of older versions know no more columns.
create table server_duid (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  duid bytea check (octet_length(duid) between 3 and 130),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
insert into server_duid default values;
