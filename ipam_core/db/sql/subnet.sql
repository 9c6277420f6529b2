-- name: subnet_view^
-- cache_threshold is a real: by way of numeric it comes back as it was written, 0.3 and not 0.30000001.
select subnet.no, subnet.id, tenant.id as tenant_id, prefix.id as prefix_id, subnet.cidr, subnet.name,
       subnet.description, subnet.vlan_id, subnet.site, subnet.tags, subnet.custom, subnet.gateway, subnet.shared_network, subnet.relay_addresses, subnet.interface,
       subnet.interface_id, subnet.dhcp_enabled, subnet.authoritative, subnet.lease_time_seconds,
       subnet.min_lease_time_seconds, subnet.max_lease_time_seconds, subnet.renew_time_seconds,
       subnet.rebind_time_seconds, subnet.preferred_lifetime_seconds, subnet.next_server, subnet.server_name, subnet.boot_file,
       subnet.ntp_servers, subnet.match_client_id, subnet.decline_quarantine_seconds, subnet.ping_check,
       subnet.rapid_commit, subnet.address_registration, subnet.cache_threshold::numeric::float8 as cache_threshold,
       subnet.reuse_margin_seconds, subnet.ddns_enabled, subnet.ddns_adapter, subnet.ddns_dns_server_id,
       subnet.ddns_forward_zone, subnet.ddns_reverse_zone, subnet.ddns_domain, subnet.ddns_client_domains, subnet.ddns_ttl,
       subnet.ddns_override_no_update, subnet.ddns_override_client_update, subnet.ddns_replace_client_name,
       subnet.ddns_generated_prefix, subnet.ddns_conflict_mode, subnet.created_at, subnet.updated_at
from subnet
join tenant on tenant.no = subnet.tenant_no
join prefix on prefix.no = subnet.prefix_no;

-- name: prefix_of^
-- Read after the subnet is entered, which holds a share of it.
select prefix.cidr from prefix where no = :no::integer;

-- name: children_outside^
-- What a new CIDR would leave outside, or on its network or broadcast address.
select
  (select count(*) from pool where subnet_no = :no::integer
     and not (start_ip <<= :cidr::inet and end_ip <<= :cidr::inet)) as pools,
  (select count(*) from exclude where subnet_no = :no::integer
     and not (start_ip <<= :cidr::inet and end_ip <<= :cidr::inet)) as excludes,
  (select count(*) from reservation where subnet_no = :no::integer
     and (not ip <<= :cidr::inet or ip = any(:edges::inet[]))) as reservations,
  (select count(*) from assignment where subnet_no = :no::integer
     and (not ip <<= :cidr::inet or ip = any(:edges::inet[]))) as assignments;

-- name: holder_of^
-- Who else uses an address that is to be the gateway.
select 'reservation' as type, id, ip, hostname from reservation
where subnet_no = :no::integer and ip = :ip::inet
limit 1;

-- name: hold_interface!
-- Writers of two tenants would not see each other's row, so those that bind one interface take turns. This lock is behind
-- those of subnets (services/entity/locks.py).
select pg_advisory_xact_lock(hashtext('subnet interface'), hashtext(:interface::text));

-- name: interface_of_another^
-- A link belongs to one tenant: what another one has bound to it already.
select 'subnet' as type, subnet.id, subnet.cidr, tenant.name as tenant
from subnet join tenant on tenant.no = subnet.tenant_no
where subnet.interface = :interface::text and subnet.tenant_no <> :tenant_no::integer
order by subnet.no limit 1;

-- name: hold_link_local!
-- Writers of two subnets would not see each other's relay addresses, so those of a tenant that name link-local ones take
-- turns. This lock is behind those of subnets (services/entity/locks.py).
select pg_advisory_xact_lock(hashtext('subnet link-local'), :tenant_no::integer);

-- name: naming_the_same(tenant_no, no, shared_network, addresses)
-- Other subnets of the tenant, of other wires, that name one of these relay addresses.
select 'subnet' as type, id, cidr, relay_addresses, interface_id from subnet
where tenant_no = :tenant_no::integer and relay_addresses && :addresses::inet[] and no is distinct from :no::integer
  and (shared_network is null or shared_network is distinct from :shared_network::text)
order by no;
