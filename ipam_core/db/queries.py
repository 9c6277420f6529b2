"""Named queries: each file of sql/ holds those of one family, with a sentence of why above each.

`load("subnet")` gives an object whose methods are the queries of sql/subnet.sql, called as
`await queries.create_subnet(connection, cidr=...)`. Where a query concerns all families of a kind, whichever there are,
it says so by a mark (TABLES).
"""

from functools import cache
from importlib import resources
from typing import Any

import aiosql

from ipam_core.model.families import Level, objects


def rows_of(level: Level, column: str) -> str:
    """The objects of all families at a level as one table: id, and what they stand in."""
    rows = (f"select id, {column} from {family.table}" for family in objects(level))  # noqa: S608 - names of our own
    return f"({' union all '.join(rows)})"


TABLES = {
    "{objects in subnets}": rows_of(Level.SUBNET, "subnet_no"),
    "{objects in tenants}": rows_of(Level.TENANT, "tenant_no"),
}


@cache
def load(name: str) -> Any:
    """The queries of sql/<name>.sql; the text never changes while the program runs, so it is parsed once."""
    text = resources.files("ipam_core.db.sql").joinpath(f"{name}.sql").read_text("utf-8")
    for mark, table in TABLES.items():
        text = text.replace(mark, table)
    return aiosql.from_str(text, "asyncpg", mandatory_parameters=False)
