"""Write down what a release asks of the schema: `python -m upgrade.record FILE DSN`, with that release's ipam_core
first in PYTHONPATH, `tests` behind it, and a database that it has migrated.

Every statement as PostgreSQL is given it, the types of its parameters and of what it answers, and the composite types
whose values the DHCP server encodes by itself. test_last_release.py holds each later schema to that.
"""

import asyncio
import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import asyncpg

from ipam_core.db import queries

COMPOSITES = """
select t.typname::text as type,
  array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as fields
from pg_type t join pg_class c on c.oid = t.typrelid and c.relkind = 'c' join pg_attribute a on a.attrelid = c.oid
where t.typnamespace = 'public'::regnamespace and not a.attisdropped group by 1 order by 1"""


def statements() -> dict[str, str]:
    """By family and name."""
    folder = resources.files("ipam_core.db.sql")
    found = {}
    for file in sorted(each.name for each in folder.iterdir() if each.name.endswith(".sql")):
        named = queries.load(file.removesuffix(".sql"))
        for query in named.available_queries:
            if not query.endswith("_cursor"):
                found[f"{file.removesuffix('.sql')}.{query}"] = getattr(named, query).sql
    return found


async def described(connection: asyncpg.Connection, sql: str) -> dict[str, Any]:
    """The statement's types, as it is prepared."""
    prepared = await connection.prepare(sql)
    return {
        "sql": sql,
        "takes": [parameter.name for parameter in prepared.get_parameters()],
        "answers": {column.name: column.type.name for column in prepared.get_attributes()},
    }


async def composites(connection: asyncpg.Connection) -> dict[str, list[str]]:
    """Fields of composite types, in their order."""
    return {row["type"]: row["fields"] for row in await connection.fetch(COMPOSITES)}


async def record(dsn: str) -> dict[str, Any]:
    connection = await asyncpg.connect(dsn)
    try:
        found = {name: await described(connection, sql) for name, sql in statements().items()}
        return {"composites": await composites(connection), "statements": found}
    finally:
        await connection.close()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(asyncio.run(record(sys.argv[2])), indent=1) + "\n")
