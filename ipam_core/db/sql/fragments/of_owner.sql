(b.tenant_no = o.tenant_no and case b.adapter when 'embedded' then 0 else coalesce(b.dns_server_no, 0) end = o.dns_server_no and b.forward_zone = o.zone
    and b.fqdn = o.fqdn and (b.source <> 'lease' and o.by_operator or b.identities && o.owners
      or b.identities = o.owners and not o.by_operator))
