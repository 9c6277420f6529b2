"""Leases between the engine and the database: read at the start, followed, and written in batches.

module               subject
initial_load.py      all leases at the start
lease_feed.py        leases written by other servers
feed_age.py          up to when a reading of the feed is complete
log_bounds.py        how far back a reading looks
lease_writer.py      batches into the database, replies after COMMIT
lease_writers.py     when a batch begins, and how large it is
lease_session.py     the sessions of the writers
writer_group.py      state that the writers share
commit_stats.py      how long commits take
blockers.py          which sessions commits wait for
grant_backoff.py     the wait after a collision
rejected_rows.py     rows that lost against other servers
recollection.py      clients as rows describe them
refused_batches.py   statements that had no effect
tenures.py           holders of reserved leases
reclaim.py           addresses from quarantine where nothing else is left
echo.py              pings to addresses in quarantine
pool_refresh.py      full pools read from the database once more
"""
