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
    before = drops(server, "drained")
    answer = await relay.answer_to(relay.send(say.discover(mac_of(9))), 0.1)
    return answer is None and drops(server, "drained") > before


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
    assert drops(server, "database_away") == 0


async def test_packets_do_not_wait_for_the_undrain(relay: Relay, server: Serving, site: Site) -> None:
    """They are discarded and counted when they arrive, whatever they contain. Packets that waited in the socket would
    be dropped as stale later, and those without room there by the kernel, as in an overload."""
    ack = await relay.lease(mac_of(1))
    await site.connection.execute(DRAIN)
    await until("drained", lambda: server.not_ready() == drain.STOPPED)
    before, received = drops(server, "drained"), server.counters()["received"]
    sent = [say.discover(mac_of(2)), say.request_rebinding(mac_of(1), ack.yiaddr)]
    for packet in sent:
        relay.send(packet)
    relay.socket.sendto(b"no DHCP", relay.server)
    await until("counted", lambda: drops(server, "drained") == before + len(sent) + 1)
    assert server.counters()["received"] == received
    await site.connection.execute(UNDRAIN)
    await until("ready", lambda: not server.not_ready())
    assert (await relay.ack(say.request_rebinding(mac_of(1), ack.yiaddr))).yiaddr == ack.yiaddr
    assert drops(server, "stale") == 0
    assert drops(server, "drained") == before + len(sent) + 1


UNDRAIN = "update node set drain = false, state = 'starting'"


async def test_it_serves_again_when_it_is_undrained(relay: Relay, server: Serving, site: Site) -> None:
    """While it drains, and once it is drained: its process stays, and says so among the nodes."""
    ack = await relay.lease(mac_of(1))
    for reason, state in ((drain.DRAINING, "draining"), (drain.STOPPED, "stopped")):
        await site.connection.execute(DRAIN)
        await until(reason, lambda reason=reason: server.not_ready() == reason)

        async def is_told(state: str = state) -> bool:
            return str(await site.connection.fetchval(STATE)) == state

        await until(state, is_told)
        if state == "stopped":
            before = await site.connection.fetchval("select heartbeat_at from node")
            assert (
                await relay.answer_to(relay.send(say.request_rebinding(mac_of(1), ack.yiaddr)), 0.3) is None
            )

            async def beats_on(before: object = before) -> bool:
                return bool(await site.connection.fetchval("select heartbeat_at > $1 from node", before))

            await until("a heartbeat", beats_on)
            assert await site.connection.fetchval(STATE) == "stopped"
        await site.connection.execute(UNDRAIN)
        await until("ready", lambda: not server.not_ready())
        assert (await relay.ack(say.request_rebinding(mac_of(1), ack.yiaddr))).yiaddr == ack.yiaddr
        assert (await relay.offer_in_time(mac_of(2))).yiaddr

        async def is_ready() -> bool:
            return str(await site.connection.fetchval(STATE)) == "ready"

        await until("ready among the nodes", is_ready)


async def test_a_drained_one_that_lost_its_row_stays_drained(server: Serving, site: Site) -> None:
    """Another process has claimed the name, because this one was silent for long."""
    await site.connection.execute(DRAIN)
    await until("drained", lambda: server.not_ready() == drain.STOPPED)
    await site.connection.execute("update node set started_at = now() + interval '1 s', drain = false")

    async def drained_again() -> bool:
        rows = await site.connection.fetch("select state, drain from node order by no")
        return [tuple(row) for row in rows[1:]] == [("stopped", True)]

    await until("under another name", drained_again)
    assert server.not_ready() == drain.STOPPED


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
