"""A host that falls silent while sessions are open: they are ended, and their owners find another."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import asyncpg
import pytest

from ipam_core.db import pulse
from ipam_core.db.connect import connect, create_pool


class Line:
    """A TCP port in front of the database that can be made deaf: what comes is taken, nothing is passed on, and nothing
    is closed, as by a machine that hangs."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.port = 0
        self.passing = asyncio.Event()
        self.passing.set()
        self.tasks: set[asyncio.Task[None]] = set()

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.passing.wait()
        behind = await asyncio.open_unix_connection(f"{self.folder}/.s.PGSQL.5432")
        self.tasks.add(asyncio.ensure_future(self.copy(reader, behind[1])))
        self.tasks.add(asyncio.ensure_future(self.copy(behind[0], writer)))

    async def copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self.passing.wait()
            writer.write(data)
        writer.close()


@pytest.fixture
async def line(database: str) -> AsyncIterator[Line]:
    probe = await connect(database)
    made = Line(str(await probe.fetchval("show unix_socket_directories")))
    await probe.close()
    server = await asyncio.start_server(made.join, "127.0.0.1", 0, family=socket.AF_INET)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    made.passing.set()
    server.close()
    for task in made.tasks:
        task.cancel()


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "SILENT_SECONDS", 0.5)
    monkeypatch.setattr(pulse, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr("ipam_core.db.hosts.CONNECT_SECONDS", 1.0)


async def test_a_statement_on_a_silent_host_ends(database: str, line: Line) -> None:
    """And the pool serves again by itself."""
    async with (
        await create_pool(database, host="127.0.0.1", port=line.port, min_size=2, max_size=2) as pool,
        pulse_of(database, line),
    ):
        assert await pool.fetchval("select 1") == 1
        await asyncio.sleep(0.3)
        line.passing.clear()
        for _ in range(2):
            with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError)):
                await asyncio.wait_for(pool.fetchval("select 1"), 10)
        line.passing.set()
        assert await asyncio.wait_for(pool.fetchval("select 1"), 10) == 1


async def test_a_long_statement_is_no_silence(database: str, line: Line) -> None:
    async with (
        await create_pool(database, host="127.0.0.1", port=line.port) as pool,
        pulse_of(database, line),
    ):
        await pool.execute("select pg_sleep(2)")


async def test_sessions_elsewhere_are_left_alone(database: str, line: Line) -> None:
    here = await connect(database)
    there = await connect(database, host="127.0.0.1", port=line.port)
    line.passing.clear()
    with pytest.raises(pulse.SilentHostError, match=f"127.0.0.1:{line.port} has not answered"):
        await pulse.feel(there)
    assert there.is_closed()
    assert await here.fetchval("select 1") == 1
    await here.close()


def pulse_of(database: str, line: Line) -> AbstractAsyncContextManager[None]:
    """The pulse by way of the line: the URL names it as its host."""
    user, _, rest = database.partition("@")
    name = rest.partition("/")[2].partition("?")[0]
    return pulse.pulse(f"{user}@127.0.0.1:{line.port}/{name}")
