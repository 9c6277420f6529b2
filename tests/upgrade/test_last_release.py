"""The last release on this version's schema, as in the midst of an upgrade that goes from host to host.

Its statements were recorded (record.py): each must still be understood after the additive steps, take and answer the
same types. Steps of the phase `post` run only when none of its processes is left.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from conftest import made
from upgrade.record import composites, described

from ipam_core.db.migrate import advance

(RECORDED,) = Path(__file__).parent.glob("statements-*.json")
RELEASE: dict[str, Any] = json.loads(RECORDED.read_text())
FAMILIES = sorted({name.partition(".")[0] for name in RELEASE["statements"]})


@pytest.fixture(scope="module")
def upgraded(postgres_dsn: str, clerk: psycopg.Connection[Any]) -> Iterator[str]:
    """A database after `ipam migrate --pre`."""
    with made(clerk, postgres_dsn) as dsn:
        advance(dsn, "pre")
        yield dsn


@pytest.mark.parametrize("family", FAMILIES)
async def test_its_statements_mean_the_same(upgraded: str, family: str) -> None:
    connection = await asyncpg.connect(upgraded)
    try:
        for name, recorded in RELEASE["statements"].items():
            if name.startswith(f"{family}."):
                found = await described(connection, recorded["sql"])
                assert found["takes"] == recorded["takes"], name
                assert recorded["answers"].items() <= found["answers"].items(), name
    finally:
        await connection.close()


async def test_what_it_encodes_by_itself_has_the_same_fields(upgraded: str) -> None:
    connection = await asyncpg.connect(upgraded)
    try:
        found = await composites(connection)
    finally:
        await connection.close()
    assert {name: found.get(name) for name in RELEASE["composites"]} == RELEASE["composites"]
