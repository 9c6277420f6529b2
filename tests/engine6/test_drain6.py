"""A DHCPv6 server that an operator takes out of service: what it answers nobody is counted as `drained`."""

from __future__ import annotations

import pytest
from engine.serving import drops
from engine.site import until
from engine6.serving6 import Relay, chosen, duid, leases
from engine6.site6 import Site6
from oracle import packets6 as say

from dhcp_fast.database import node
from dhcp_fast.server import drain
from dhcp_fast.server.serving import Serving


async def test_it_offers_nothing_then_discards_and_serves_again(
    relay: Relay, server: Serving, site: Site6, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "BEAT_MICROSECONDS", 50_000)
    monkeypatch.setattr(drain, "DRAIN_SECONDS", 2.5)
    held = await relay.lease(duid(1))
    renewal = chosen(say.renew(duid(1), relay.server_id), held)
    await site.connection.execute("update node set drain = true")
    await until("draining", lambda: server.not_ready() == drain.DRAINING)
    await relay.unanswered(say.solicit(duid(2)).ia_na(1))
    assert drops(server, "drained") == 1
    assert leases(await relay.reply(renewal)) == leases(held)
    await until("drained", lambda: server.not_ready() == drain.STOPPED)
    relay.send(renewal)
    await until("discarded", lambda: drops(server, "drained") == 2)
    await site.connection.execute("update node set drain = false, state = 'starting'")
    await until("ready", lambda: not server.not_ready())
    assert leases(await relay.reply(renewal)) == leases(held)
    assert {"stale", "database_away"}.isdisjoint(server.counters()["drops"])
