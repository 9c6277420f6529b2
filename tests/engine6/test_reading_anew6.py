"""Engine rule 26 over DHCPv6: while the rows of another history are read, nobody hears what is not known yet."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from engine.restored_rows import GO_BACK
from engine.serving import drops
from engine6.serving6 import Relay, chosen, duid, leases
from engine6.site6 import Site6
from oracle import packets6 as say

from dhcp_fast.database.leases import lease_feed
from dhcp_fast.database.leases.initial_load import load_leases
from dhcp_fast.server import duties
from dhcp_fast.server.serving import Serving

HOLDER, OTHER = duid(1), duid(2)
OF_ANOTHER = """
update lease set version = version + 2, duid = $1, client_key = set_byte('\\x06000300000001'::bytea || $1, 0, 6),
  renewed_at = now() + interval '1 s'"""


@pytest.fixture(autouse=True)
def read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)


@asynccontextmanager
async def reading(server: Serving, site: Site6, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """It has begun, and goes on behind the block."""
    begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def held_up(*arguments: Any) -> int:
        begun.set()
        await may_go_on.wait()
        return await load_leases(*arguments)

    monkeypatch.setattr(lease_feed, "load_leases", held_up)
    await site.connection.execute(GO_BACK)
    anew = asyncio.create_task(server.duties.read_feed(server))
    await begun.wait()
    yield
    may_go_on.set()
    await anew


async def test_whose_row_was_not_read_yet_hears_no_refusal(
    monkeypatch: pytest.MonkeyPatch, relay: Relay, server: Serving, site: Site6
) -> None:
    """By what the server knew it is another's; by the row it is the client's, and so the client hears in the end."""
    await site.connection.execute("select setval('lease_version', 1000)")
    held = await relay.lease(HOLDER)
    await server.duties.read_feed(server)
    await site.connection.execute(OF_ANOTHER, OTHER)
    async with reading(server, site, monkeypatch):
        await relay.unanswered(chosen(say.rebind(OTHER), held))
        assert drops(server, "database_away") == 1
    assert leases(await relay.reply(chosen(say.rebind(OTHER), held))) == leases(held)
