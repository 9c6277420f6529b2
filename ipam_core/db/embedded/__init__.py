"""The embedded PostgreSQL: server.py starts and ends it. Its parts are datadir.py, programs.py, memory.py and
log_segments.py. ownership.py has its roles and their access, and handing_over.py gives a cluster to an account of its
own."""
