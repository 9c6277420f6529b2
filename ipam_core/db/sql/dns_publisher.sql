-- name: try_publisher$
-- One process at a time; the lock is the session's, so that it is free as soon as that process is gone.
select pg_try_advisory_lock(hashtext('dns publisher'));

-- name: has_changes$
-- Whether anything waits to be published, beside zones that could not be.
select exists (select from dns_change where zone_no <> all(:but::integer[]));

-- name: end_silent_publisher!
-- The publisher looks for changes twice a second. One whose session has asked nothing for ten seconds hangs, and its lock
-- with it, which nothing else would end where it is connected by a Unix socket.
select pg_terminate_backend(l.pid)
from pg_locks l join pg_stat_activity a using (pid)
where l.locktype = 'advisory' and l.granted
  and (l.classid::bigint << 32 | l.objid::bigint) = hashtext('dns publisher') and l.database = a.datid
  and a.datname = current_database() and a.state = 'idle' and a.state_change < now() - interval '10 s';
