-- Live servers: who they are, how they fare, and which of them prefers which part of a pool.

-- name: claim_node(id, name, role, version)^
-- The row of this name, if nobody lives under it: never claimed, stopped in order, or silent for thirty seconds. Who was
-- drained lives on, and is not to drain any more when its process ends.
insert into node (id, name, role, version, state) values (:id, :name, :role, :version, 'starting')
on conflict (name, role) do update set
  version = excluded.version, state = 'starting', detail = '', started_at = now(), heartbeat_at = now(),
  drain = false, packets_per_second = null, acks_per_second = null, commit_p50_ms = null, commit_p99_ms = null,
  updated_at = now()
  where node.state = 'stopped' and not node.drain or node.heartbeat_at < now() - interval '30 s'
returning no, started_at;

-- name: beat_node(no, started_at, state, detail)$
-- Null when another process has claimed the row meanwhile, and where a beat comes after the word that it stopped: two
-- connections may overtake each other. Who was asked to drain is draining until it stops.
update node set state = case when drain and :state <> 'stopped' then 'draining' else :state end,
  drain = drain and :state <> 'stopped', detail = :detail, heartbeat_at = now(), updated_at = now()
where no = :no and started_at = :started_at and (state <> 'stopped' or :state = 'stopped')
returning no;

-- name: beat_server(no, started_at, state, commits, detail, packets_per_second, acks_per_second, commit_p50_ms, commit_p99_ms)$
-- As beat_node, of a DHCP server, with what it has done since the beat before, and whether it commits leases whatever its
-- state is; answers whether it is to drain.
update node set state = case when drain and :state <> 'stopped' then 'draining' else :state end,
  drain = drain and :state <> 'stopped', commits = :commits, detail = :detail,
  packets_per_second = :packets_per_second::float8, acks_per_second = :acks_per_second::float8,
  commit_p50_ms = :commit_p50_ms::float8, commit_p99_ms = :commit_p99_ms::float8, heartbeat_at = now(), updated_at = now()
where no = :no and started_at = :started_at and (state <> 'stopped' or :state = 'stopped')
returning drain;

-- name: beat_drained(no, started_at, detail)$
-- Of a DHCP server that is drained; answers whether it still is to be.
update node set state = case when drain then 'stopped' else state end, detail = :detail, packets_per_second = null,
  acks_per_second = null, commit_p50_ms = null, commit_p99_ms = null, heartbeat_at = now(), updated_at = now()
where no = :no and started_at = :started_at
returning drain;

-- name: go_on_draining(no)!
-- Its row was another one when it was asked.
update node set drain = true, state = 'draining' where no = :no;

-- name: note_interfaces(no, interfaces)!
-- On which wires the server hears clients, for explanations.
update node set interfaces = :interfaces::jsonb where no = :no;

-- name: read_live_nodes(role)
-- A crashed server never says that it stops, so one that is silent for 30 s no longer counts.
select no, state = 'ready' or state = 'degraded' and commits as commits, interfaces
from node where role = :role and state <> 'stopped' and heartbeat_at >= now() - interval '30 s' order by no;

-- name: is_to_drain(no)$
-- A worker that shall drain does no more work.
select drain from node where no = :no;
