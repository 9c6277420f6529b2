"""Leases between the engine and the database: read at the start, followed, and written in batches.

module               subject
initial_load.py      all leases at the start
lease_feed.py        what other servers wrote
feed_age.py          up to when a reading of the feed is complete
log_bounds.py        how far back a reading looks
lease_writer.py      batches into the database, replies after COMMIT
lease_writers.py     when a batch begins, and how large it is
lease_session.py     the sessions of the writers
writer_group.py      what writers share
commit_stats.py      how long commits take
blockers.py          which sessions commits wait for
grant_backoff.py     the wait after a collision
rejected_rows.py     rows that lost against other servers
recollection.py      what rows hold of their clients
refused_batches.py   statements that had no effect
tenures.py           who holds a reserved lease
reclaim.py           addresses from quarantine where nothing else is left
echo.py              who answers a ping at such an address
pool_refresh.py      full pools read from the database once more
"""
