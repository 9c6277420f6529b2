-- The sessions that write leases, as PostgreSQL sees them.

-- name: read_backend^
-- Who we are: a process number may be another session's later, but not one that began at the same moment.
select pid, backend_start as started from pg_stat_activity where pid = pg_backend_pid();

-- name: end_backend$
-- End a session of ours whose connection is closed. One that waits for a synchronous standby does not see that, and would
-- stay for as long as the standby is away. No row: it has gone, or was another server's.
select pg_terminate_backend(pid) from pg_stat_activity where pid = :pid and backend_start = :started;
