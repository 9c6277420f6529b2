"""A session that PostgreSQL ends while nobody uses it, told so, and not closed yet.

What the driver answers to the next statement then is its own error, none of PostgreSQL's, and no defect.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from api.http.errors import answer
from dhcp_fast.database.retry_loop import repeat
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY, FAILED

SOCKET = ".s.PGSQL.5432"


@pytest.fixture
async def told(database: str, tmp_path: Path) -> AsyncIterator[asyncpg.Connection]:
    """A session whose end was said, on a connection that nobody closed: PostgreSQL is behind a relay that keeps its
    clients' side open."""
    real = await asyncpg.connect(database)
    host, port = real._addr if isinstance(real._addr, tuple) else (real._addr, None)
    streams: list[asyncio.StreamWriter] = []

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened = asyncio.open_connection(host, port) if port else asyncio.open_unix_connection(host)
        server_reader, server_writer = await opened
        streams.extend((writer, server_writer))
        await asyncio.gather(pass_on(reader, server_writer), pass_on(server_reader, writer))

    async with await asyncio.start_unix_server(join, tmp_path / SOCKET):
        connection = await connect(database, host=str(tmp_path), port=5432)
        await real.execute("select pg_terminate_backend($1)", connection.get_server_pid(), timeout=5)
        await asyncio.sleep(0.2)
        yield connection
        connection.terminate()
        await real.close()
        for stream in streams:
            stream.close()


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)


async def test_it_counts_as_away(told: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.InternalClientError) as found:
        await told.execute("select 1")
    assert isinstance(found.value, AWAY)
    assert isinstance(found.value, FAILED)
    assert answer(found.value, "1").status == 503


async def test_a_loop_goes_on_after_it(told: asyncpg.Connection) -> None:
    steps = 0

    async def step() -> None:
        nonlocal steps
        steps += 1
        await told.execute("select 1")

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(repeat("test", 0.01, step), 0.5)
    assert steps > 2
