-- name: dns_server_view^
-- The secret is never read here; that there is one is all that is shown.
select dns_server.no, dns_server.id, tenant.id as tenant_id, dns_server.name, dns_server.adapter,
       dns_server.description, dns_server.address, dns_server.port, dns_server.url, dns_server.server_id,
       dns_server.key_name, dns_server.key_algorithm, dns_server.principal, dns_server.realm,
       dns_server.keytab, dns_server.ticket_cache,
       dns_server.secret is not null as has_secret, dns_server.created_at, dns_server.updated_at
from dns_server join tenant on tenant.no = dns_server.tenant_no;

-- name: stored_secret$
-- A change that does not name the secret keeps it, sealed as it is.
select secret from dns_server where no = :no::integer;

-- name: stored_by_tenant$
-- Whether a tenant's token wrote the destination last.
select by_tenant from dns_server where no = :no::integer;

-- name: zones_of
-- Which zones are updated there, by themselves or by subnets.
select name from dns_zone where dns_server_no = :no::integer
union select ddns_forward_zone from subnet join dns_server on dns_server.id = subnet.ddns_dns_server_id
  where dns_server.no = :no::integer and ddns_forward_zone is not null
union select ddns_reverse_zone from subnet join dns_server on dns_server.id = subnet.ddns_dns_server_id
  where dns_server.no = :no::integer and ddns_reverse_zone is not null
order by 1 limit :at_most::integer;

-- name: users^
-- Who sends updates or zones there. Subnets and secondaries name it by its public id.
select (select count(*) from dns_zone
        where dns_server_no = dns_server.no or dns_server.id = any(secondary_ids)) as dns_zones,
       (select count(*) from subnet where ddns_dns_server_id = dns_server.id) as subnets
from dns_server where no = :no::integer;
