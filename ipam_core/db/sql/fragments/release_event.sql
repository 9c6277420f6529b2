history as (
  insert into lease_event (
    at, xid, version, granted_at, expires_at, reuse_at, iaid, tenant_no, subnet_no, prefix_length, ia_type,
    hw_type, kind, state, address, client_key, hw_address, client_id, duid, hostname, relay, link_address, next_hop,
    interface_id, circuit_id, remote_id)
  select ended_at, pg_current_xact_id(), version, granted_at, expires_at, reuse_at, iaid, tenant_no, subnet_no,
         prefix_length, ia_type, hw_type, 'r', 'r', address, client_key, hw_address, client_id, duid, hostname,
         relay, link_address, next_hop, interface_id, circuit_id, remote_id
  from ended
)
