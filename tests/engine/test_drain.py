"""A server that an operator takes out of service: no offers, renewals for a while, then nothing."""

from __future__ import annotations

import pytest
from engine.serving import Relay, Servers, drops, mac_of
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database import node
from dhcp_fast.server import drain
from dhcp_fast.server.serving import Serving

DRAIN = "update node set drain = true"
STATE = "select state from node"


@pytest.fixture(autouse=True)
def sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "BEAT_MICROSECONDS", 50_000)
    monkeypatch.setattr(drain, "DRAIN_SECONDS", 2.5)


async def silent(relay: Relay, server: Serving) -> bool:
    before = drops(server, "database_away")
    answer = await relay.answer_to(relay.send(say.discover(mac_of(9))), 0.1)
    return answer is None and drops(server, "database_away") > before


async def test_it_offers_nothing_renews_and_stops(relay: Relay, server: Serving, site: Site) -> None:
    ack = await relay.lease(mac_of(1))
    offer = await relay.offer(say.discover(mac_of(2)))
    await site.connection.execute(DRAIN)
    await until("silent", lambda: silent(relay, server))
    assert await site.connection.fetchval(STATE) == "draining"
    assert server.not_ready() == drain.DRAINING
    assert (await relay.select(mac_of(2), offer)).yiaddr == offer.yiaddr
    assert (await relay.ack(say.request_rebinding(mac_of(1), ack.yiaddr))).yiaddr == ack.yiaddr

    async def stopped() -> bool:
        return str(await site.connection.fetchval(STATE)) == "stopped"

    await until("stopped", stopped)
    assert server.not_ready() == drain.STOPPED
    assert await relay.answer_to(relay.send(say.request_rebinding(mac_of(1), ack.yiaddr)), 0.3) is None


async def test_one_that_is_started_anew_serves(servers: Servers, subnet: Subnet, site: Site) -> None:
    """What it was asked before its end holds no more; and what another one is asked is that one's."""
    await servers.start()
    second = await servers.start()
    await site.connection.execute(f"{DRAIN} where no = $1", second.writers.node_no)
    await until("draining", lambda: bool(second.not_ready()))
    third = await servers.start()
    relay = servers.relay(third, subnet.relay)
    assert (await relay.lease(mac_of(1))).yiaddr
    assert third.not_ready() == ""
