"""The embedded PostgreSQL: server.py starts and ends it; datadir.py, programs.py, memory.py, log_segments.py: what
it is made of; ownership.py: its roles and who may enter; handing_over.py: a cluster gets an account of its own."""
