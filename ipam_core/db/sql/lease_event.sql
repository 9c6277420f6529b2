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

-- name: oldest_day$
-- By the partitions' names (make_lease_event_partitions), which costs nothing.
select min(to_date(right(child.relname, 8), 'YYYYMMDD')) from pg_inherits
join pg_class child on child.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = 'lease_event'::regclass;
