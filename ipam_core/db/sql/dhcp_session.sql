-- The sessions that write leases, as PostgreSQL sees them.

-- name: read_backend^
-- Who we are: a process number may be another session's later, but not one that began at the same moment.
select pid, backend_start as started from pg_stat_activity where pid = pg_backend_pid();

-- name: end_backend$
-- End a session of ours whose connection is closed. One that waits for a synchronous standby does not see that, and would
-- stay for as long as the standby is away. No row: it has gone, or was another server's.
select pg_terminate_backend(pid) from pg_stat_activity where pid = :pid and backend_start = :started;

-- name: read_blockers(pids)
-- Whom these sessions of ours wait for. Asked about a few sessions, and seldom: pg_blocking_pids stops the lock manager.
select distinct on (coalesce(blocker.pid, 0))
       coalesce(blocker.pid, 0) as pid,
       coalesce(blocker.application_name, '') as application,
       coalesce(extract(epoch from clock_timestamp() - blocker.xact_start), 0)::float8 as seconds,
       coalesce(ours.wait_event, '') as event
from pg_stat_activity as ours
left join lateral unnest(pg_blocking_pids(ours.pid)) as held (pid) on true
left join pg_stat_activity as blocker on blocker.pid = held.pid
where ours.pid = any (:pids)
order by 1;
