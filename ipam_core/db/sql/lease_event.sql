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
-- The days that have a partition with rows, the newest first, by the catalog alone. `indexed`: it has the index whose name
-- ends so (lease_days.py); `over`: what was granted or renewed that day had ended by :at; `octets`: how much there is to
-- read without an index. Each name is looked up by its number (offset 0): the planner would look through all names that
-- begin alike for each day.
with days as (
  select inhrelid as oid, child.name, to_date(right(child.name, 8), 'YYYYMMDD') as day,
    pg_relation_size(inhrelid) as octets
  from pg_inherits
  cross join lateral (select relname::text as name from pg_class where oid = inhrelid offset 0) as child
  where inhparent = 'lease_event'::regclass and not inhdetachpending and child.name ~ '^lease_event_\d{8}$'
)
select days.day, now() as now, days.octets, coalesce(noted.day < (now() at time zone 'UTC')::date
    and coalesce(noted.last_end, '-infinity') <= :at::timestamptz, false) as over,
  exists (select from pg_index where indexrelid = to_regclass(days.name || '_' || :ending::text)
    and indrelid = days.oid and indisvalid) as indexed
from days left join lease_event_day noted on noted.day = days.day
where days.octets > 0
order by days.day desc;

-- name: newest_of_address(address, at, first, end)
-- The last that was written of an address up to a moment, of each tenant, within the bounds.
select distinct on (tenant_no) tenant_no, version, at from lease_event
where address = :address::inet and at <= :at::timestamptz and at >= :first::timestamptz and at < :end::timestamptz
order by tenant_no, at desc, version desc;

-- name: count_tenants$
-- An address may be in use in each of them.
select count(*) from tenant;

-- name: ends_of_leases(tenants, addresses, grants, ats, versions, within, grace, first, end)
-- What became of leases after one of their events. While the address's row is still that lease's, the row says it; else
-- the event that ended the lease, or the first one of the lease after it. `promised` is the end that the client had been
-- told last. It is looked for no longer than :within behind each event, so that other days are not opened; :first and :end,
-- between which all of that lies, leave out days in planning. `is_final`: nothing that would end it can follow later.
select asked.place, held.state, held.expires_at, now() as now,
  following.kind, following.at, following.expires_at as told, following.granted_at = asked.granted_at as is_same,
  promised.last as promised,
  asked.at + :within::interval >= least(now(), promised.last + :grace::interval) as is_final
from unnest(:tenants::integer[], :addresses::inet[], :grants::timestamptz[], :ats::timestamptz[],
  :versions::bigint[]) with ordinality as asked(tenant_no, address, granted_at, at, version, place)
left join lease held on held.tenant_no = asked.tenant_no and held.address = asked.address
  and held.granted_at = asked.granted_at and get_byte(held.client_key, 0) <> 0
left join lateral (
  select kind, at, granted_at, expires_at from lease_event
  where held.address is null and lease_event.address = asked.address and lease_event.tenant_no = asked.tenant_no
    and lease_event.at >= asked.at and lease_event.at < asked.at + :within::interval
    and lease_event.at >= :first::timestamptz and lease_event.at < :end::timestamptz
    and lease_event.version > asked.version
    and (lease_event.granted_at <> asked.granted_at or lease_event.kind in ('r', 'x', 'd', 'v'))
  order by lease_event.at, lease_event.version limit 1) following on true
left join lateral (
  select max(lease_event.expires_at) as last from lease_event
  where held.address is null and lease_event.address = asked.address and lease_event.tenant_no = asked.tenant_no
    and lease_event.at >= asked.at and lease_event.at < asked.at + :within::interval
    and lease_event.at <= coalesce(following.at, 'infinity')
    and lease_event.at >= :first::timestamptz and lease_event.at < :end::timestamptz
    and lease_event.version >= asked.version and lease_event.granted_at = asked.granted_at
) promised on true;
