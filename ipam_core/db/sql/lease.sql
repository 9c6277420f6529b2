-- name: lease_view
-- Expiry is derived: an active row past its end is an expired lease, written or not. The subnet may be gone. A row that
-- has been nobody's since the API claimed its address is no lease. Whatever ends a lease early brings its end forward.
select lease.tenant_no, tenant.id as tenant_id, subnet.id as subnet_id, lease.address as ip,
       lease.prefix_length, lease.ia_type, shown.state, lease.hw_address as mac, lease.client_id, lease.duid,
       lease.iaid, lease.hostname, lease.relay, lease.link_address, lease.next_hop, lease.interface_id, lease.circuit_id,
       lease.remote_id, lease.relay_id, lease.relay_info, lease.vendor_class, lease.parameter_list, lease.client_options,
       lease.accepts_reconfigure, lease.preferred_lifetime::bigint & 4294967295 as preferred_lifetime_seconds,
       lease.granted_at, lease.renewed_at, lease.expires_at,
       case when shown.state not in ('active', 'registered') then lease.expires_at end as ended_at,
       case when lease.state = 'd' and lease.reuse_at > now() then lease.reuse_at end as quarantined_until,
       lease.granted_at as created_at, lease.renewed_at as updated_at
from lease
left join tenant on tenant.no = lease.tenant_no
left join subnet on subnet.no = lease.subnet_no
cross join lateral (
  select case
    when lease.state = 'a' and lease.expires_at > now() then 'active'
    when lease.state = 'i' and lease.expires_at > now() then 'registered'
    when lease.state in ('a', 'x', 'i') then 'expired'
    when lease.state = 'r' then 'released'
    when lease.state = 'v' then 'revoked'
    else 'declined'
  end as state
  where not (lease.state = 'r' and get_byte(lease.client_key, 0) = 0)
) as shown;

-- name: release_lease$
-- The row and its event in one statement: servers learn of it by their feed, four times a second. No notification, which
-- would make the commits of all who send one wait for each other. A quarantine ends likewise.
with ended as (
  update lease set state = 'r', expires_at = least(expires_at, now()), reuse_at = now(), taken_from = null,
         taken_since = null, ended_at = clock_timestamp(), version = nextval('lease_version')
  where tenant_no = :tenant_no::integer and address = :address::inet
    and (state = 'a' and expires_at > now() or state = 'd' and reuse_at > now())
  returning *
), {history of releases}
select count(*) from ended;

-- name: count_named$
-- How many leases have a name that begins so, up to a number: where they are few, the index leads to all of them; else the
-- list meets enough of them in its own order. The planner does not know which it is, and no index by LIKE from a parameter.
select count(*) from (
  select from lease where lower(hostname) ~>=~ :begin::text and lower(hostname) ~<~ (:begin::text || chr(1114111))
  limit :at_most::integer) as named;

-- name: count_sought$
-- The same of leases that contain a text.
select count(*) from found_leases(:question::jsonb, :tenant_no::integer, :at_most::integer);

-- name: lease_identity^
-- By which a lease can be made a reservation.
select client_key, hw_address, client_id, duid from lease
where tenant_no = :tenant_no::integer and address = :address::inet;
