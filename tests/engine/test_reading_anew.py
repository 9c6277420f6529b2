"""Engine rule 26 while a server reads the leases of a database whose history is another one: nobody loses by that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from engine.restored_rows import GO_BACK, OF_ANOTHER
from engine.serving import Servers, cached, drops, mac_of, octets, read_feed
from engine.site import Site, Subnet, until
from engine.test_lost_history import HOLDER, OTHER, served
from oracle import packets as say

from dhcp_fast.server import duties
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect

LOCK = "lock table lease in access exclusive mode"


@pytest.fixture(autouse=True)
def read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)


@asynccontextmanager
async def reading(site: Site, server: Serving, database: str) -> AsyncIterator[None]:
    """It has begun, and goes on behind the block. The plan is read before, and looks at leases too: the lock that stops
    the leases waits in line behind it."""
    await site.connection.execute(GO_BACK)
    first: asyncpg.Connection = await connect(database)
    second: asyncpg.Connection = await connect(database)
    before = first.transaction()
    await before.start()
    await first.execute(LOCK)
    anew = asyncio.create_task(read_feed(server))
    await until("plan", lambda: is_waiting(site, "%addresses_in_pools%"))
    async with second.transaction():
        in_line = asyncio.create_task(second.execute(LOCK))
        await until("in line", lambda: is_waiting(site, LOCK))
        await before.commit()
        await in_line
        await until("leases", lambda: is_waiting(site, "%lease%"))
        yield
    await anew
    await first.close()
    await second.close()


async def test_clients_are_served_while_all_is_read_anew(
    servers: Servers, site: Site, subnet: Subnet, database: str
) -> None:
    """What is leased stays so until its row has been seen, so nobody is offered it meanwhile."""
    server, relay = await served(servers, subnet)
    held = {(await relay.lease(mac_of(number))).yiaddr for number in range(10)}
    await read_feed(server)
    async with reading(site, server, database):
        offers = {(await relay.offer(say.discover(mac_of(number)))).yiaddr for number in range(20, 60)}
    assert not offers & held
    assert not any((cached(server, site.tenant_no, address) or {})["held"] for address in held)


async def test_whose_row_was_not_read_yet_hears_no_refusal(
    servers: Servers, site: Site, subnet: Subnet, database: str
) -> None:
    """By what the server knew it is another's; by the row it is the client's, and so the client hears in the end."""
    server, relay = await served(servers, subnet)
    ack = await relay.lease(HOLDER)
    await read_feed(server)
    by_now = OF_ANOTHER.replace("2", "version + 2", 1)
    await site.connection.execute(f"{by_now}, renewed_at = now() + interval '1 s'", octets(OTHER))
    async with reading(site, server, database):
        await relay.unanswered(say.request_rebinding(OTHER, ack.yiaddr))
        assert drops(server, "database_away") == 1
    await relay.ack(say.request_rebinding(OTHER, ack.yiaddr))


async def is_waiting(site: Site, query: str) -> bool:
    waiting = """select count(*) from pg_stat_activity
    where wait_event_type = 'Lock' and query ilike $1 and datname = current_database()"""
    return bool(await site.connection.fetchval(waiting, query))
