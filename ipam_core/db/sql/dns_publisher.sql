-- name: try_publisher$
-- One process at a time; the lock is the session's, so that it is free as soon as that process is gone.
select pg_try_advisory_lock(hashtext('dns publisher'));

-- name: has_changes$
-- Whether anything waits to be published.
select exists (select from dns_change);
