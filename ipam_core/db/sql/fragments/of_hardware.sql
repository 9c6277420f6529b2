(lease.client_key = '\x0101'::bytea || {octets}
    or lease.hw_address = {octets} and substring(lease.client_key for 2) <> '\x0101'::bytea)
