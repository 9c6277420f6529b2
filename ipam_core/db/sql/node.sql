-- name: node_view^
-- Down is derived: a server that died says nothing any more.
select node.no, node.id, node.name, node.role, node.version, shown.state, node.detail, node.packets_per_second, node.acks_per_second, node.commit_p50_ms, node.commit_p99_ms,
       node.started_at, node.heartbeat_at, node.created_at, node.updated_at
from node
cross join lateral (
  select case when node.state <> 'stopped' and node.heartbeat_at < now() - interval '30 s' then 'down'
              else node.state end as state
) as shown;

-- name: drain!
-- The server reads the wish with its next heartbeat.
update node set drain = true, state = 'draining', updated_at = now() where no = :no::integer;
