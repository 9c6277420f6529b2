-- name: node_view^
-- Down is derived: a server that died says nothing any more.
select node.no, node.id, node.name, node.role, node.version, shown.state, node.detail, node.packets_per_second, node.acks_per_second, node.commit_p50_ms, node.commit_p99_ms,
       node.started_at, node.heartbeat_at, node.created_at, node.updated_at
from node
cross join lateral (
  select case when node.state <> 'stopped' and node.heartbeat_at < now() - interval '30 s' then 'down'
              else node.state end as state
) as shown;

-- name: hold_drains$
-- Nodes are drained one at a time, so that of two drained at once one is the last.
select pg_advisory_xact_lock(hashtext('drain'));

-- name: others_ready$
-- Whether another process of the node's kind is ready, by its last heartbeat.
select exists (
  select from node as other join node as drained on drained.role = other.role
  where drained.no = :no::integer and other.no <> drained.no and other.state = 'ready' and not other.drain
    and other.heartbeat_at >= now() - interval '30 s');

-- name: drain!
-- The server reads the wish with its next heartbeat. One that is drained already stays as it is.
update node set drain = true, state = case when drain then state else 'draining' end, updated_at = now()
where no = :no::integer;

-- name: undrain!
-- Likewise; what it is afterwards its next heartbeat says.
update node set drain = false, state = 'starting', updated_at = now() where no = :no::integer and drain;

-- name: is_drained$
-- Its process runs, silent to its clients.
select drain and state = 'stopped' and heartbeat_at >= now() - interval '30 s' from node where no = :no::integer;
