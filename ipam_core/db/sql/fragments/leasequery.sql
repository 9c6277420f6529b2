lease.tenant_no, lease.subnet_no, lease.address, lease.prefix_length, lease.ia_type, lease.hw_type, lease.hw_address,
    lease.client_id, lease.duid, lease.preferred_lifetime::bigint & 4294967295 as preferred_lifetime, lease.link_address, lease.circuit_id, lease.remote_id,
    lease.relay_id, lease.relay_info, lease.vendor_class, lease.parameter_list, lease.state,
    subnet.cidr, coalesce('network ' || subnet.shared_network, 'subnet ' || lease.subnet_no) as link,
    lease.state = 'a' and lease.expires_at > now() as runs,
    case when lease.expires_at = 'infinity' then 4294967295
      else ceil(extract(epoch from lease.expires_at - now()))::bigint end as seconds_left,
    floor(extract(epoch from now() - lease.renewed_at))::bigint as seconds_since,
    floor(extract(epoch from now()))::bigint as base_time,
    floor(extract(epoch from now() - case when lease.state <> 'a' then coalesce(lease.ended_at, lease.renewed_at)
      when lease.expires_at > now() then lease.granted_at else lease.expires_at end))::bigint as seconds_in_state,
    floor(extract(epoch from case when lease.state <> 'a' then coalesce(lease.ended_at, lease.renewed_at)
      when lease.expires_at > now() then lease.renewed_at else lease.expires_at end))::bigint as changed
