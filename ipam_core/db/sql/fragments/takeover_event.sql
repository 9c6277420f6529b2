insert into lease_event (
    at, xid, version, granted_at, expires_at, reuse_at, iaid, tenant_no, subnet_no, node_no, prefix_length, ia_type,
    hw_type, kind, state, address, client_key, hw_address, client_id, duid, hostname)
  select w.renewed_at, pg_current_xact_id(), w.version - 1, w.taken_since,
    least((w.taken_from).expires_at, w.renewed_at), w.renewed_at, (w.taken_from).iaid, w.tenant_no, w.subnet_no,
    $2::integer, w.prefix_length, w.ia_type, (w.taken_from).hw_type, ended.kind, ended.kind, w.address, (w.taken_from).client_key, (w.taken_from).hw_address, (w.taken_from).client_id,
    (w.taken_from).duid, (w.taken_from).hostname
  from won w
  cross join lateral (
    select case when (w.taken_from).expires_at > w.renewed_at then 'v' else 'x' end::"char" as kind) ended
  where (w.taken_from).client_key is not null
