"""An IPv6 site, a server and a relay for each test that names them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import asyncpg
import pytest
from engine.shared import Shared, connection, of_module, shared
from engine6.serving6 import Relay, Servers
from engine6.site6 import Site6, Subnet6

from dhcp_fast.server.serving import Serving

__all__ = ["connection", "of_module", "shared"]


@pytest.fixture
async def site(connection: asyncpg.Connection, shared: Shared | None) -> Site6:
    return await Site6.create(connection, shared and shared.numbers)


@pytest.fixture
async def subnet(site: Site6) -> Subnet6:
    """2001:db8:5::/64 with a pool of 256 addresses and one of /56 out of 2001:db8:f00::/48."""
    made = await site.subnet(5)
    await made.pool(0x100, 0x1FF)
    await made.delegation_pool("2001:db8:f00::/48", 56)
    return made


@pytest.fixture
async def servers(database: str, shared: Shared | None) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as stack:
        yield Servers(database, stack, shared)


@pytest.fixture
async def server(servers: Servers, subnet: Subnet6) -> Serving:
    return await servers.start()


@pytest.fixture
def relay(server: Serving, subnet: Subnet6) -> Iterator[Relay]:
    made = Relay.of(server, subnet)
    yield made
    made.close()
