"""PostgreSQL: sessions, named queries, migrations and the embedded server.

url.py                 the address of the database
connect.py             pools and sessions
hosts.py               choice of one of several hosts
pulse.py               detection of a host that fell silent
asyncpg_internals.py   parts of asyncpg without a stable interface
queries.py             named queries from sql/
schema/                tables of the baseline, functions and views; later steps are in migrations/
schema_files.py        readers of these files
migrate.py             their application
schema.py              check that this process knows the schema
earlier_schema.py      databases of versions before 0.2.0
dump.py                a database as a file, and its restore
lease_log.py           partitions of the history
lease_days.py          indexes of past partitions
lease_retention.py     removal of old partitions
outage.py              errors of an unavailable database, and remedies
unreached.py           remedies for errors without a session
embedded/              the server that is started when no URL is set
"""
