insert into lease_event (
    at, xid, version, granted_at, expires_at, reuse_at, iaid, tenant_no, subnet_no, node_no, prefix_length, ia_type,
    hw_type, kind, state, address, client_key, hw_address, client_id, duid, hostname, relay, link_address, next_hop,
    interface_id, circuit_id, remote_id, fqdn_flags)
  select {at}, pg_current_xact_id(), w.version, w.granted_at, w.expires_at, w.reuse_at, w.iaid, w.tenant_no, w.subnet_no,
    $2::integer, w.prefix_length, w.ia_type, w.hw_type, {kind}, w.state, w.address, w.client_key, w.hw_address,
    w.client_id, w.duid, w.hostname, w.relay, w.link_address, w.next_hop, w.interface_id, w.circuit_id, w.remote_id,
    w.fqdn_flags
  from won w
