"""One server for all tests of a file: `pytestmark = pytest.mark.shared_server`.

A database and a server's start are most of what a short test costs. Where a file shares them, each test has a tenant
and subnets of its own: `site.subnet(5)` takes the next number that the file has not had, and `servers.start()` gives
the file's server once it has read what the test wrote. A test that asks for settings of its own gets a server of its
own, on the file's database; for DHCPv6 it says `own_server`, because servers that are ready share the clients. What
counts for the whole server or database, as counters and drops do, is the file's.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import pytest
from harness.marks import shares_server

from ipam_core.db.connect import connect

if TYPE_CHECKING:
    from dhcp_fast.server.serving import Serving

Start = Callable[..., AbstractAsyncContextManager["Serving"]]

# A change that concerns all subnets, so that the server reads whatever was written.
RECORD = """
insert into change (tenant_no, object_type, object_id, action)
select no, 'tenant', id::text, 'updated' from tenant where is_default"""


class Shared:
    """What lasts as long as a file: its session, the numbers of its subnets, and its server from the first test that
    asks for it."""

    @classmethod
    @asynccontextmanager
    async def of(cls, dsn: str) -> AsyncIterator[Shared]:
        async with AsyncExitStack() as stack:
            connection = await connect(dsn)
            stack.push_async_callback(connection.close)
            yield cls(dsn, connection, stack)

    def __init__(self, dsn: str, connection: asyncpg.Connection, stack: AsyncExitStack) -> None:
        self.dsn = dsn
        self.connection = connection
        self.stack = stack
        self.numbers = itertools.count(5)
        self.server: Serving | None = None

    async def current(self, start: Start) -> Serving:
        """The file's server, which serves what stands in the database now."""
        if self.server is None:
            self.server = await self.stack.enter_async_context(start(self.dsn))
        else:
            await self.connection.execute(RECORD)
            await self.server.plan.read_changes()
        return self.server


@pytest.fixture(scope="module")
async def of_module(module_database: str) -> AsyncIterator[Shared]:
    async with Shared.of(module_database) as shared:
        yield shared


@pytest.fixture
def shared(request: pytest.FixtureRequest) -> Shared | None:
    """What the tests of this file share, if they do."""
    if not shares_server(request.node):
        return None
    found: Shared = request.getfixturevalue("of_module")
    return found


@pytest.fixture
async def connection(database: str, shared: Shared | None) -> AsyncIterator[asyncpg.Connection]:
    if shared is not None:
        yield shared.connection
        return
    session = await connect(database)
    yield session
    await session.close()
