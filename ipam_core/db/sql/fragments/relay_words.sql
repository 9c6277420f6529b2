coalesce(lease.relay_info,
    coalesce('\x01'::bytea || set_byte('\x00'::bytea, 0, length(lease.circuit_id)) || lease.circuit_id, ''::bytea)
    || coalesce('\x02'::bytea || set_byte('\x00'::bytea, 0, length(lease.remote_id)) || lease.remote_id, ''::bytea))
