-- name: read_history$
-- A database that was promoted or restored: what is in memory may never have been in it.
select (select system_identifier from pg_control_system()) || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'dns_published'::regclass::oid as history;

-- name: read_serials
-- Which zones there are, and how far each is: twice a second, so the key and the number alone.
select zone_no, serial from dns_published;

-- name: read_zone^
-- What the SOA says, and where the zone's name is; nothing where it is served no more.
select name, serial, default_ttl, mname, rname, refresh_seconds, retry_seconds, expire_seconds, minimum_seconds
from dns_published where zone_no = :zone_no::integer;

-- name: read_rrsets
-- A piece of a zone, by its key: a large zone is read while queries are answered between the pieces.
select name, type, ttl, data from dns_rrset
where zone_no = :zone_no::integer and (name, type) > (:name::text, :type::text)
order by name, type limit :at_most::integer;

-- name: read_deltas
-- What was changed by each serial, the latest first, as far back as is asked for: serials go round, so that one may come twice
-- and the later one counts.
select serial, previous, soa, previous_soa, removed, added from dns_zone_delta
where zone_no = :zone_no::integer
order by at desc, serial desc limit :at_most::integer;

-- name: read_secondaries
-- Who may copy which zone, and who is told of its serials; a zone without secondaries comes once, for its networks.
select dns_zone.no as zone_no, dns_zone.name, dns_zone.transfer_networks, dns_server.no as server_no,
       dns_server.id as server_id, dns_server.address, dns_server.port, dns_server.key_name, dns_server.key_algorithm,
       dns_server.secret, dns_server.tenant_no, dns_server.by_tenant or not tenant.is_default as of_tenant
from dns_zone
left join dns_server on dns_server.id = any(dns_zone.secondary_ids)
left join tenant on tenant.no = dns_server.tenant_no
where dns_zone.dns_enabled and (cardinality(dns_zone.transfer_networks) > 0 or dns_server.no is not null);
