({packet}.hostname is null and {packet}.fqdn_flags is null and coalesce(l.fqdn_flags, 0) & 8 = 0{goes_on})
