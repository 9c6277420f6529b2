"""A site, a server and a relay for each test that names them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import asyncpg
import pytest
from engine.serving import Relay, Servers
from engine.shared import Shared
from engine.site import Site, Subnet
from sharing import shares_server
from system.conftest import pytest_runtest_setup as pytest_runtest_setup  # a test may need a peer here too

from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect


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


@pytest.fixture
async def site(connection: asyncpg.Connection, shared: Shared | None) -> Site:
    return await Site.create(connection, shared and shared.numbers)


@pytest.fixture
async def subnet(site: Site) -> Subnet:
    """10.5.0.0/24 with the pool .100 to .199; leases of ten minutes."""
    made = await site.subnet(5)
    await made.pool(100, 199)
    return made


@pytest.fixture
async def servers(database: str, shared: Shared | None) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as stack:
        yield Servers(database, stack, shared)


@pytest.fixture
async def server(servers: Servers, subnet: Subnet) -> Serving:
    return await servers.start()


@pytest.fixture
def relay(server: Serving, subnet: Subnet) -> Iterator[Relay]:
    made = Relay.of(server, subnet)
    yield made
    made.close()
