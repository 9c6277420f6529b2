-- name: end_frozen
-- Sessions of processes that stand still in the middle of a statement, and hold a transaction for which readers of the
-- logs wait. PostgreSQL counts them as active, so that only `statement_timeout` ends them, which a long reading sets to
-- 15 minutes. ClientRead: the client has sent a part of a statement and nothing since. Restores, which copy rows in, are
-- no sessions of ours by name, and other copies are left out.
select pid, pg_terminate_backend(pid) as ended from pg_stat_activity
where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
  and application_name like 'ipam%' and state = 'active' and backend_xid is not null
  and wait_event = 'ClientRead' and query !~* '^\s*copy\M'
  and state_change < clock_timestamp() - make_interval(secs => :seconds::float8);
