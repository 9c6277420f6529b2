-- All names that DNS was asked to contain.
create or replace view ddns_published as
select tenant_no, ip, source, subnet_no, fqdn, identities, dhcid, conflict_mode, dns_server_no, adapter, forward_zone,
  reverse_zone, ttl, false as is_alias, null::text as target, updated_at
from ddns_binding
union all
select tenant_no, ip, source, subnet_no, fqdn, identities, dhcid, conflict_mode, dns_server_no, adapter, forward_zone,
  null, ttl, true, target, updated_at
from ddns_alias;
