-- depends: 0027.device

-- What all servers of the cluster know and nobody else: of it come the keys by which DHCPv6 clients know Reconfigure
-- messages (RFC 8415 section 20.4). Of three random UUIDs, which have 366 random bits; a hash spreads them.
create table cluster_secret (
  single boolean primary key default true check (single),
  secret bytea not null check (octet_length(secret) = 32)
);
insert into cluster_secret (secret)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
