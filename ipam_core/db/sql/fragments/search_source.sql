select 'prefix' as type, id, array[description] as fields from prefix
  union all select 'subnet', id, array[name, site, description] from subnet
  union all select 'pool', id, array[name] from pool
  union all select 'reservation', id, array[hostname, replace(mac::text, ':', ''), description, array_to_string(aliases, ' ')]
    from reservation
  union all select 'assignment', id, array[hostname, description, array_to_string(aliases, ' ')] from assignment
  union all select 'dns_zone', id, array[name, description] from dns_zone
  union all select 'dns_record', r.id, array[dns_full_name(r.name, z.name), r.data, r.description]
    from dns_record r join dns_zone z on z.no = r.zone_no where r.source not in ('lease', 'assignment', 'reservation')
