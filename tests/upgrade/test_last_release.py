"""The last release on the next schema, as in the midst of an upgrade that goes from host to host.

Its statements are recorded (record.py): each must still be understood after the additive steps, take and answer the
same types. Steps of the phase `post` run only when none of its processes is left.

The first release that others upgrade from is 0.2.0. Until it is there, this version itself is recorded and the next one
has the steps of next_version.py; afterwards a file statements-VERSION.json beside this one is compared with this
version.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from conftest import made
from upgrade.next_version import STEPS, next_version
from upgrade.record import composites, described, record, statements

from ipam_core.db.migrate import advance

FILES = sorted(Path(__file__).parent.glob("statements-*.json"))
RECORDED: dict[str, Any] | None = json.loads(FILES[-1].read_text()) if FILES else None
FAMILIES = sorted({name.partition(".")[0] for name in (RECORDED["statements"] if RECORDED else statements())})
BREAKING = {
    "type": "alter table lease alter column hostname type varchar(63);\n",
    "column": "alter table webhook drop column url cascade;\n",
    "composite": "alter type lease_client add attribute room text;\n",
}
"""Steps that a release before does not work with."""


@pytest.fixture(scope="module")
async def release(module_database: str) -> dict[str, Any]:
    return RECORDED or await record(module_database)


@pytest.fixture(scope="module")
def upgraded(
    postgres_dsn: str, clerk: psycopg.Connection[Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A database after `ipam migrate --pre` of the next version."""
    with made(clerk, postgres_dsn) as dsn:
        if RECORDED:
            advance(dsn, "pre")
        else:
            with next_version(tmp_path_factory.mktemp("steps")):
                assert advance(dsn, "pre").left == [list(STEPS)[-1]]
        yield dsn


async def differences(dsn: str, release: dict[str, Any], family: str = "") -> list[str]:
    """Names of statements and types that no longer are what the release knows."""
    connection = await asyncpg.connect(dsn)
    try:
        found = await composites(connection)
        unlike = [name for name, fields in release["composites"].items() if found.get(name) != fields]
        for name, recorded in release["statements"].items():
            if name.startswith(f"{family}." if family else "") and not await means(connection, recorded):
                unlike.append(name)
    finally:
        await connection.close()
    return unlike


async def means(connection: asyncpg.Connection, recorded: dict[str, Any]) -> bool:
    """Return whether a statement is understood, takes the same and answers at least the same."""
    try:
        found = await described(connection, recorded["sql"])
    except asyncpg.PostgresError:
        return False
    same: bool = found["takes"] == recorded["takes"]
    return same and recorded["answers"].items() <= found["answers"].items()


@pytest.mark.parametrize("family", FAMILIES)
async def test_its_statements_mean_the_same(release: dict[str, Any], upgraded: str, family: str) -> None:
    """Neither do the fields differ that the DHCP server encodes by itself."""
    assert await differences(upgraded, release, family) == []


@pytest.mark.parametrize("change", BREAKING)
async def test_a_step_that_breaks_it_is_found(
    release: dict[str, Any], fresh_database: str, tmp_path: Path, change: str
) -> None:
    with next_version(tmp_path, {"9001.breaking": BREAKING[change]}):
        assert advance(fresh_database, "pre").applied == ["9001.breaking"]
    assert await differences(fresh_database, release) != []
