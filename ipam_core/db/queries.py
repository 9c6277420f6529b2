"""Named queries: each file of sql/ holds those of one family, with a sentence of why above each.

`load("subnet")` gives an object whose methods are the queries of sql/subnet.sql, called as
`await queries.create_subnet(connection, cidr=...)`.
"""

from functools import cache
from importlib import resources
from typing import Any

import aiosql


@cache
def load(name: str) -> Any:
    """The queries of sql/<name>.sql; the text never changes while the program runs, so it is parsed once."""
    text = resources.files("ipam_core.db.sql").joinpath(f"{name}.sql").read_text("utf-8")
    return aiosql.from_str(text, "asyncpg", mandatory_parameters=False)
