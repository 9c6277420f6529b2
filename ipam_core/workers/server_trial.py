"""Trying a DNS server for an operator: whether updates of its zones would be taken, and what is wrong if not.

Nothing is changed there: the updates that are tried have nothing to do, or a condition that does not hold.
"""

import asyncio

import asyncpg

from ipam_core.db import queries
from ipam_core.errors import SecretKeyError
from ipam_core.model.actor import Actor
from ipam_core.model.dns_server import DnsServerTest, DnsServerTestStep
from ipam_core.outbound.guard import Guard
from ipam_core.services.dns_servers import DNS_SERVERS
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import UpdateError
from ipam_core.workers.adapters.embedded import Embedded
from ipam_core.workers.ddns_sender import adapter_for

SQL = queries.load("ddns")
SERVERS = queries.load("dns_server")

MOST_ZONES = 20
SECONDS = 30.0


async def try_server(pool: asyncpg.Pool, guard: Guard, actor: Actor, id_: str) -> DnsServerTest:
    """Test the server, within half a minute. Raises NotFound."""
    async with pool.acquire() as connection:
        shown = await crud.fetch(connection, DNS_SERVERS, actor, id_)
        server, zones = await read(connection, shown["no"])
    assert actor.sealer is not None
    try:
        async with asyncio.timeout(SECONDS):
            if server["adapter"] == "embedded":
                return await Embedded(pool, server["tenant_no"]).test(zones)
            adapter = adapter_for(server, actor.sealer.open, guard)
            try:
                return await adapter.test(zones)
            finally:
                await adapter.close()
    except TimeoutError:
        return failed("time", f"the test did not finish within {SECONDS:.0f} s")
    except (UpdateError, SecretKeyError) as error:
        return failed("credentials", str(error))


async def read(connection: Connection, no: int) -> tuple[Row, list[str]]:
    """Return the server with its sealed secret, and the zones that are updated there."""
    server = await SQL.server(connection, no=no)
    zones = [row["name"] async for row in SERVERS.zones_of(connection, no=no, at_most=MOST_ZONES)]
    return server, zones


def failed(name: str, detail: str) -> DnsServerTest:
    return DnsServerTest(False, [DnsServerTestStep(name, False, detail)])
