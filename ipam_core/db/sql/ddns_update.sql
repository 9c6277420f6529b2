-- name: ddns_update_view^
-- What it refers to may be gone. It is partial where only the PTR record could be written, because nothing here has the name's zone.
select ddns_update.no, ddns_update.id, tenant.id as tenant_id, subnet.id as subnet_id,
       dns_server.id as dns_server_id, ddns_update.action, ddns_update.ip, ddns_update.fqdn, ddns_update.target,
       ddns_update.forward_zone, ddns_update.reverse_zone, ddns_update.ttl, ddns_update.dhcid,
       case when {is partial} then 'partial' else ddns_update.state end as state,
       ddns_update.attempts, ddns_update.last_error, ddns_update.next_attempt_at, ddns_update.applied_at,
       ddns_update.created_at, ddns_update.updated_at
from ddns_update
left join tenant on tenant.no = ddns_update.tenant_no
left join subnet on subnet.no = ddns_update.subnet_no
left join dns_server on dns_server.no = ddns_update.dns_server_no;

-- name: retry!
-- Due at once; its attempts count anew, and the workers are told.
with due as (
  update ddns_update set state = 'pending', attempts = 0, next_attempt_at = now(), claimed_until = null,
    updated_at = now()
  where no = :no::bigint returning no
)
select pg_notify('ddns_update', '') from due;
