-- name: written^
-- How far the primary's log is on its disk, where everything is that was told to be committed, and of which timeline.
select left(pg_walfile_name(lsn), 8) as timeline, lsn::text as lsn from pg_current_wal_flush_lsn() lsn;

-- name: replayed$
-- Whether a standby shows all of that. One of another timeline may be as far and not have it: one that nobody rewound
-- after a failover. Which timeline it is on it writes down now and then only, so for a while after one it says no.
select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= :lsn::text::pg_lsn
  and lpad(upper(to_hex(greatest((pg_control_checkpoint()).timeline_id,
    (pg_control_recovery()).min_recovery_end_timeline))), 8, '0') = :timeline::text as replayed;
