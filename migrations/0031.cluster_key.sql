-- depends: 0030.delegations

-- What all servers of a database hash identities with, and derive from what they have to agree on: the DHCPv6 servers' DUID
-- and the keys of Reconfigure messages (RFC 8415 section 20.4). It was the default tenant's id, which the API shows to every
-- reader, who could compute any client's key of it. Hashed addresses that nobody has had yet fall elsewhere from now on.
create table cluster_key (
  one boolean primary key default true check (one),
  hash_key uuid not null
);
insert into cluster_key (hash_key) values (gen_random_uuid());
