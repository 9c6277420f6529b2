"""Rows that no version of ours would write, or only a later one: they are left out and told of, the rest is served."""

from __future__ import annotations

from contextlib import closing

import pytest
from engine.serving import Relay, Servers, mac_of, reloaded
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.database import node
from dhcp_fast.server.serving import Serving

TOLD = "select state, detail from node"
LEASE_SECONDS = 600


@pytest.fixture(autouse=True)
def sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "BEAT_MICROSECONDS", 100_000)


async def bad_rows(site: Site, subnet: Subnet) -> None:
    """One of each kind that is compiled; the last makes its subnet useless as a whole."""
    named = {"tenant_no": site.tenant_no, "name": "later", "code": 224, "kind": "hologram"}
    await add(site.connection, "option_definition", **named)
    await site.client_class("later", match={"smell": "of roses"})
    await subnet.option(224, {"hologram": [1, 2]})
    await subnet.option(6, {"addresses": "many"})
    other = await site.subnet(6)
    await add(
        site.connection, "pool", subnet_no=subnet.no, start_ip=other.address(10), end_ip=other.address(20)
    )
    await other.pool(100, 110)
    await other.set(lease_time_seconds=-LEASE_SECONDS)


def unserved(server: Serving) -> float:
    (family,) = [each for each in server.families() if each.name == "ipam_dhcp4_unserved_rows"]
    return float(family.samples[0].value)


async def served(relay: Relay, number: int) -> None:
    ack = await relay.lease(mac_of(number))
    assert int.from_bytes(ack.options[51], "big") == LEASE_SECONDS


async def told(site: Site, what: str) -> None:
    async def found() -> bool:
        state, detail = await site.connection.fetchrow(TOLD)
        return (state, what in detail) == ("ready", True)

    await until(f"told: {what}", found)


async def test_what_is_there_at_the_start(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await bad_rows(site, subnet)
    server = await servers.start()
    await served(servers.relay(server, subnet.relay), 1)
    assert unserved(server) == len(server.plan.config.unserved()) >= 5
    assert server.not_ready() == ""
    await told(site, "not served: ")
    assert any("subnet 10.6.0.0/24" in problem for problem in server.plan.config.unserved())


async def test_what_comes_and_is_mended(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    """A subnet that cannot be served is not, and is again once its row is right; its neighbour notices nothing."""
    other = await site.subnet(6)
    await other.pool(100, 110)
    async with other.change():
        await other.set(lease_time_seconds=-LEASE_SECONDS)
    await told(site, "not served: subnet 10.6.0.0/24")
    await served(relay, 1)
    assert unserved(server) == 1
    with closing(Relay.of(server, other)) as beyond:
        await beyond.unanswered(say.discover(mac_of(2)))
        async with other.change():
            await other.set(lease_time_seconds=LEASE_SECONDS)
        await reloaded(server, other)
        await served(beyond, 2)
    assert unserved(server) == 0
