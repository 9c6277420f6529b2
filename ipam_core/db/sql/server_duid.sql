-- name: read^
-- The DUID that was set, and the key from which one is derived where none is.
select id, duid, hash_key, created_at, updated_at from server_duid cross join cluster_key;

-- name: hold^
-- Changes come one after the other.
select id, duid, hash_key, created_at, updated_at from server_duid cross join cluster_key for update of server_duid;

-- name: change^
-- Null: the derived one holds again.
update server_duid set duid = :duid::bytea, updated_at = now() from cluster_key
returning id, duid, hash_key, server_duid.created_at, server_duid.updated_at;

-- name: count_leases$
-- Active leases of DHCPv6, up to a number. Of each tenant those of IPv6 lie behind those of IPv4 in the primary key.
select count(*) from (
  select from tenant cross join lateral (
    select from lease where tenant_no = tenant.no and address >= '::'::inet and state = 'a' and expires_at > now()
    limit :most::integer
  ) as held
  limit :most::integer
) as counted;
