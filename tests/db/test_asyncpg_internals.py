"""What asyncpg does not promise and we use: each part is there and does what its name says."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from api.http.errors import answer
from ipam_core.db import asyncpg_internals as internals
from ipam_core.db.connect import connect, create_pool
from ipam_core.db.outage import AWAY, ReplacedSchemaError

MAKE = "create type part as (a integer); create table shown (a integer); insert into shown values (null)"
DROP = "drop type part cascade; drop table shown;"
MAKE_OTHERWISE = """
create type part as (a integer); create table shown (a text, b integer); insert into shown values (null)"""
COUNT, SHOW = "select cardinality($1::part[])", "select * from shown"

ROOT = Path(__file__).parents[2]
PRODUCT = ("ipam_core", "dhcp_fast", "api")
PRIVATE = ("._addr", "._loop is", "._transport", "._protocol.", "connect_utils")
OTHERS = {"ipam_core/outbound/dns_stream.py"}  # a protocol of asyncio
EMPTY_QUERY = b"Q\0\0\0\x05\0"
LOOKED_UP = "select count(*) from pg_prepared_statements where statement ~ 'typeinfo[_]tree'"
COMPLETE = b"I\0\0\0\x04Z\0\0\0\x05I"  # EmptyQueryResponse and ReadyForQuery, idle


class Octets(asyncio.Protocol):
    def __init__(self) -> None:
        self.seen = b""
        self.enough = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.seen += data
        if len(self.seen) >= len(COMPLETE):
            self.enough.set()


@pytest.fixture
async def session(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    connection.terminate()


def test_no_other_module_uses_them() -> None:
    files = [file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py")]
    texts = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    users = {name for name, text in texts.items() if any(part in text for part in PRIVATE)}
    assert users - OTHERS - {"ipam_core/db/asyncpg_internals.py"} == set()


async def test_a_session_says_its_host_socket_and_loop(database: str, session: asyncpg.Connection) -> None:
    other = await asyncpg.connect(database)
    assert internals.host_of(session) == internals.host_of(other)
    assert internals.shares_loop(session, other)
    assert internals.socket_of(session).fileno() >= 0
    await other.close()


async def test_hosts_are_read_as_asyncpg_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://ipam:secret@one.example,two.example:6000/plan?target_session_attrs=read-write"
    hosts = (("one.example", 5432), ("two.example", 6000))
    assert internals.read_target(url, {}) == (hosts, "read-write", "ipam", "plan", True)
    monkeypatch.setenv("PGHOST", "three.example")
    found = internals.read_target(None, {"user": "ipam", "port": 7000, "unknown to asyncpg": 1})
    assert found == ((("three.example", 7000),), "any", "ipam", "ipam", False)


async def test_a_session_that_was_handed_over_speaks_to_the_other_protocol(
    session: asyncpg.Connection,
) -> None:
    protocol = Octets()
    transport = internals.hand_over(session, protocol)
    transport.write(EMPTY_QUERY)
    await asyncio.wait_for(protocol.enough.wait(), 10)
    assert protocol.seen == COMPLETE
    internals.note_lost(session, None)
    assert session.is_closed()


@pytest.mark.parametrize("known", [True, False])
async def test_types_are_known_without_a_query(session: asyncpg.Connection, known: bool) -> None:
    """asyncpg looks up an array that it does not know, by a prepared statement of its own."""
    if known:
        internals.add_codec(session, 18, "char", str.encode, bytes.decode)
        internals.add_array_types(session, ((1002, 18, "char"), (2951, 2950, "uuid")))
    letters = ["a", "b"] if known else [b"a", b"b"]
    assert await session.fetchval("select '{a,b}'::\"char\"[]") == letters
    assert await session.fetchval("select array[]::uuid[]") == []
    assert (await session.fetchval(LOOKED_UP) > 0) != known


async def test_statements_outlive_the_replacement_of_what_they_name(database: str) -> None:
    """A restore gives types and tables other OIDs. Each session of a pool has prepared its statements before."""
    async with await create_pool(database, min_size=2, max_size=2) as pool:
        await pool.execute(MAKE)
        async with pool.acquire() as one, pool.acquire() as other:
            for session in (one, other):
                assert await session.fetchval(COUNT, [(1,)]) == 1
                assert await session.fetchval(SHOW) is None
            await one.execute(f"{DROP} {MAKE_OTHERWISE}")
            for session in (one, other):
                assert await session.fetchval(COUNT, [(1,), (2,)]) == 2
                assert await session.fetchrow(SHOW) == (None, None)
            for statement, arguments in ((COUNT, [[(1,)]]), (SHOW, [])):
                await one.fetchrow(statement, *arguments)
                await one.execute(f"{DROP} {MAKE if statement == SHOW else MAKE_OTHERWISE}")
                with pytest.raises(ReplacedSchemaError) as refused:
                    async with one.transaction():
                        await one.fetchrow(statement, *arguments)
                assert isinstance(refused.value, AWAY)
                assert answer(refused.value, "1").status == 503
                async with one.transaction():
                    await one.fetchrow(statement, *arguments)


async def test_a_statement_that_names_nothing_fails_once(database: str) -> None:
    connection = await connect(database)
    with pytest.raises(asyncpg.UndefinedObjectError):
        await connection.fetchval("select $1::nothing")
    with pytest.raises(asyncpg.FeatureNotSupportedError):
        async with connection.transaction():
            await connection.fetchval("select distinct no from subnet for update")
    await connection.close()
