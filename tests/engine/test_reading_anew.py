"""Engine rule 26 while a server reads the leases of a database whose history is another one: nobody loses by that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from engine.restored_rows import GO_BACK, OF_ANOTHER
from engine.serving import Servers, cached, drops, mac_of, octets, read_feed
from engine.site import Site, Subnet, until
from engine.test_lost_history import HOLDER, OTHER, served
from oracle import packets as say

from dhcp_fast.server import duties
from dhcp_fast.server.serving import Serving


@pytest.fixture(autouse=True)
def read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)


@asynccontextmanager
async def reading(server: Serving, site: Site) -> AsyncIterator[None]:
    """It has begun, and goes on behind the block."""
    await site.connection.execute(GO_BACK)
    async with site.connection.transaction():
        await site.connection.execute("lock table lease in access exclusive mode")
        anew = asyncio.create_task(read_feed(server))
        await until("read anew", lambda: is_waiting(server))
        yield
    await anew


async def test_clients_are_served_while_all_is_read_anew(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """What is leased stays so until its row has been seen, so nobody is offered it meanwhile."""
    server, relay = await served(servers, subnet)
    held = {(await relay.lease(mac_of(number))).yiaddr for number in range(10)}
    await read_feed(server)
    async with reading(server, site):
        offers = {(await relay.offer(say.discover(mac_of(number)))).yiaddr for number in range(20, 60)}
    assert not offers & held
    assert not any((cached(server, site.tenant_no, address) or {})["held"] for address in held)


async def test_whose_row_was_not_read_yet_hears_no_refusal(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """By what the server knew it is another's; by the row it is the client's, and so the client hears in the end."""
    server, relay = await served(servers, subnet)
    ack = await relay.lease(HOLDER)
    await read_feed(server)
    by_now = OF_ANOTHER.replace("2", "version + 2", 1)
    await site.connection.execute(f"{by_now}, renewed_at = now() + interval '1 s'", octets(OTHER))
    async with reading(server, site):
        await relay.unanswered(say.request_rebinding(OTHER, ack.yiaddr))
        assert drops(server, "database_away") == 1
    await relay.ack(say.request_rebinding(OTHER, ack.yiaddr))


async def is_waiting(server: Serving) -> bool:
    waiting = """select count(*) from pg_stat_activity
    where wait_event_type = 'Lock' and query ilike '%lease%' and datname = current_database()"""
    async with server.connections.plan.acquire() as connection:
        return bool(await connection.fetchval(waiting))
