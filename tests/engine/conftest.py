"""A site, a server and a relay for each test that names them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import asyncpg
import pytest
from engine.serving import Relay, Servers
from engine.shared import Shared, connection, of_module, shared
from engine.site import Site, Subnet
from system.conftest import pytest_runtest_setup as pytest_runtest_setup  # a test may need a peer here too

from dhcp_fast.server.serving import Serving

__all__ = ["connection", "of_module", "shared"]


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
