"""PostgreSQL: sessions, named queries, migrations and the embedded server.

url.py          where the database is
connect.py      pools and sessions; hosts.py: which host of several; pulse.py: one that fell silent
asyncpg_internals.py   what we use of asyncpg without its promise
queries.py      named queries out of sql/
schema/         the tables of the baseline, and the texts of functions and views; later steps: migrations/
schema_files.py these files; migrate.py: applies them; schema.py: is the schema one that this process knows?
earlier_schema.py   databases of versions before 0.2.0
dump.py         a database as a file, and back
lease_log.py    partitions of the history; lease_days.py: indexes of those that are over; lease_retention.py: their end
outage.py       is the database away, and what to change? unreached.py: the sentences without a session
embedded/       the server that is started when no URL is given
"""
