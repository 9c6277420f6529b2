"""What a server's row among the nodes tells of its work."""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Relay, mac_of
from engine.site import Site, until

from dhcp_fast.database import node, work_rates
from dhcp_fast.server.serving import Serving

TOLD = "select packets_per_second as packets, acks_per_second as acks, commit_p50_ms, commit_p99_ms from node"


@pytest.fixture(autouse=True)
def sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "BEAT_MICROSECONDS", 100_000)
    monkeypatch.setattr(work_rates, "SHORTEST_SECONDS", 0.0)


async def test_packets_acks_and_commits_since_the_last_heartbeat(
    relay: Relay, server: Serving, site: Site
) -> None:
    """Two packets a lease, one of them an ACK after a commit; then nobody asks, and so it says."""
    told: dict[str, Any] = {}

    async def has_told() -> bool:
        row = dict(await site.connection.fetchrow(TOLD))
        if row["acks"]:
            told.update(row)
        return bool(told)

    async def is_idle() -> bool:
        return tuple(await site.connection.fetchrow(TOLD)) == (0.0, 0.0, None, None)

    await until("idle", is_idle)
    await relay.lease(mac_of(1))
    await until("told", has_told)
    assert told["packets"] >= told["acks"] > 0
    assert 0 < told["commit_p50_ms"] <= told["commit_p99_ms"]
    await until("idle", is_idle)
    work = server.work()
    assert (work.packets, work.acks, sum(work.commits)) == (2, 1, 1)


async def test_a_beat_that_the_end_has_overtaken(server: Serving, site: Site) -> None:
    """They are written by two connections; what came last is still that the server has stopped, under one name."""
    beating = server.duties.heartbeat  # type: ignore[attr-defined]  # of a server that is alone
    await beating.deregister(server.connections.feed)
    await beating.beat(site.connection, "", server.work())
    assert await site.connection.fetchval("select array_agg(state) from node") == ["stopped"]
