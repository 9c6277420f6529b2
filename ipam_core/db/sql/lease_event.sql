-- name: lease_event_view
-- History outlives the plan, so whatever it names may be gone: the joins are outer.
select lease_event.version, lease_event.at, lease_event.kind, tenant.id as tenant_id, subnet.id as subnet_id,
       node.id as node_id, lease_event.tenant_no, lease_event.address as ip, lease_event.prefix_length,
       lease_event.ia_type, lease_event.hw_address as mac, lease_event.client_id, lease_event.duid, lease_event.iaid,
       lease_event.hostname, lease_event.relay, lease_event.link_address, lease_event.next_hop,
       lease_event.interface_id, lease_event.circuit_id, lease_event.remote_id,
       lease_event.granted_at, lease_event.expires_at
from lease_event
left join tenant on tenant.no = lease_event.tenant_no
left join subnet on subnet.no = lease_event.subnet_no
left join node on node.no = lease_event.node_no;

-- name: plan_for_values!
-- For this transaction: days that a question's bounds leave out are left out in planning, neither opened nor locked.
set local plan_cache_mode = force_custom_plan;

-- name: read_days(ending, at)
-- The days that have a partition, the newest first. `indexed`: it has the index whose name ends so (lease_days.py);
-- `over`: what was granted or renewed that day had ended by :at.
with days as (
  select child.oid, child.relname as name, to_date(right(child.relname, 8), 'YYYYMMDD') as day
  from pg_inherits join pg_class child on child.oid = inhrelid
  where inhparent = 'lease_event'::regclass and not inhdetachpending and child.relname ~ '^lease_event_\d{8}$'
)
select days.day, coalesce(noted.day < (now() at time zone 'UTC')::date
    and coalesce(noted.last_end, '-infinity') <= :at::timestamptz, false) as over,
  exists (select from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = days.oid and indisvalid and relname = days.name || '_' || :ending::text) as indexed
from days left join lease_event_day noted on noted.day = days.day
order by days.day desc;

-- name: newest_of_address(address, at, first, end)
-- The last that was written of an address up to a moment, of each tenant, within the bounds.
select distinct on (tenant_no) tenant_no, version, at from lease_event
where address = :address::inet and at <= :at::timestamptz and at >= :first::timestamptz and at < :end::timestamptz
order by tenant_no, at desc, version desc;

-- name: count_tenants$
-- An address may be in use in each of them.
select count(*) from tenant;
