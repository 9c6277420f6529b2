-- name: option_view^
-- At most one of the scopes is set, so all joins to them are outer. `warnings` has the routes that are to be looked at: those
-- beside a gateway, and those of classes and of all subnets.
select dhcp_option.no, dhcp_option.id, tenant.id as tenant_id, subnet.id as subnet_id, pool.id as pool_id,
       client_class.id as class_id, reservation.id as reservation_id, dhcp_option.family, dhcp_option.code,
       dhcp_option.vendor_class, dhcp_option.payload, dhcp_option.always_send, dhcp_option.never_send,
       case when dhcp_option.family = 4 and dhcp_option.code in (121, 249) and not dhcp_option.never_send
             and (place.no is null or place.gateway is not null)
         then jsonb_build_object('code', dhcp_option.code, 'payload', dhcp_option.payload) else '{}' end as warnings,
       dhcp_option.created_at, dhcp_option.updated_at
from dhcp_option
join tenant on tenant.no = dhcp_option.tenant_no
left join subnet on subnet.no = dhcp_option.subnet_no
left join pool on pool.no = dhcp_option.pool_no
left join client_class on client_class.no = dhcp_option.class_no
left join reservation on reservation.no = dhcp_option.reservation_no
left join subnet as place on place.no = coalesce(dhcp_option.subnet_no, pool.subnet_no, reservation.subnet_no);

-- name: pool_no$
-- The number by which the row of an option refers to its pool.
select no from pool where id = :id::uuid;

-- name: reservation_no$
-- The number by which the row of an option refers to its reservation.
select no from reservation where id = :id::uuid;

-- name: share_reservation^
-- Of one that holds in all of its tenant: a share keeps it from being deleted until the COMMIT.
select tenant_no from reservation
where id = :id::uuid and tenant_no is not null and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
for key share;

-- name: share_definitions$
-- Many options are written at once, but none while a definition is; the statement after it sees what was waited for.
select pg_advisory_xact_lock_shared(hashtext('option_definition'), :tenant_no::integer);

-- name: custom_definitions
-- A payload is checked by the definitions of its tenant and family.
select family, code, name, kind, is_array, vendor_space from option_definition
where tenant_no = :tenant_no::integer and family = :family::smallint;
