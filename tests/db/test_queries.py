"""Every named query is one that the migrated schema understands, and says why it is there."""

import re
from importlib import resources

import asyncpg
import pytest

from ipam_core.db import queries

FILES = sorted(
    file.name for file in resources.files("ipam_core.db.sql").iterdir() if file.name.endswith(".sql")
)


@pytest.mark.parametrize("name", [file.removesuffix(".sql") for file in FILES])
async def test_every_query_can_be_prepared(pool: asyncpg.Pool, name: str) -> None:
    named = queries.load(name)
    found = {query: getattr(named, query) for query in named.available_queries}
    statements = {query: call.sql for query, call in found.items() if not query.endswith("_cursor")}
    assert statements
    async with pool.acquire() as connection:
        for query, sql in statements.items():
            try:
                await connection.prepare(sql)
            except asyncpg.PostgresError as error:
                pytest.fail(f"{name}.{query}: {error}")


@pytest.mark.parametrize("file", FILES)
def test_every_query_says_why(file: str) -> None:
    """A comment between its name and its text that is at least one sentence."""
    text = resources.files("ipam_core.db.sql").joinpath(file).read_text("utf-8")
    queries_in_it = re.findall(r"^-- name: (.+)\n((?:-- .*\n)*)", text, re.MULTILINE)
    assert queries_in_it
    silent = [name for name, why in queries_in_it if not re.fullmatch(r"-- \S.*\.\n", why, re.DOTALL)]
    assert silent == []
