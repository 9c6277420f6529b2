(o.by_operator or not exists (
    select from ddns_binding later
    where later.tenant_no = b.tenant_no and case later.adapter when 'embedded' then 0 else coalesce(later.dns_server_no, 0) end = o.dns_server_no
      and later.forward_zone = b.forward_zone and later.fqdn = b.fqdn and family(later.ip) = family(b.ip)
      and (later.identities && o.owners or later.identities = o.owners)
      and (later.updated_at, later.ip) > (b.updated_at, b.ip)))
