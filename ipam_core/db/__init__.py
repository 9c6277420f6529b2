"""PostgreSQL: sessions, named queries, migrations and the embedded server."""
