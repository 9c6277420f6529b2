"""The embedded PostgreSQL: server.py starts and ends it; datadir.py, programs.py, memory.py, log_segments.py: what
it stands on."""
