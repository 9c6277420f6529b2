"""A change that concerns every subnet comes into force some subnets at a time, and packets have their turn between."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Network
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of
from engine.site import Site, until
from oracle import packets as say

from dhcp_fast.bench.generator.filling import fill_plan
from dhcp_fast.database.plan import plan_loader
from dhcp_fast.plan.compile import SubnetView

SUBNETS = 60
TELL = "select pg_notify('ipam_change', '')"


class Turns:
    """What the server's subnets were at each turn of the event loop."""

    def __init__(self, subnets: dict[int, SubnetView]) -> None:
        self.subnets = subnets
        self.before = dict(subnets)
        self.seen: list[frozenset[int]] = []
        self.task = asyncio.create_task(self.watch())

    async def watch(self) -> None:
        while True:
            renewed = frozenset(no for no, view in self.subnets.items() if self.before.get(no) is not view)
            if not self.seen or self.seen[-1] != renewed:
                self.seen.append(renewed)
            await asyncio.sleep(0)

    async def until_all(self) -> None:
        await until("all renewed", lambda: self.seen and len(self.seen[-1]) == len(self.subnets))
        self.task.cancel()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets have their turn after each subnet."""
    monkeypatch.setattr(plan_loader, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(plan_loader, "PORTION", 10)


async def change_all(site: Site) -> None:
    await site.option(15, {"string": "new.test"})
    await site.record(None, "dhcp_option")
    await site.connection.execute(TELL)


async def test_packets_are_answered_in_the_midst_of_it(
    database: str, site: Site, servers: Servers, hasty: None
) -> None:
    first = await site.subnet(5)
    await first.pool(100, 199)
    await fill_plan(database, subnets=SUBNETS, reservations_per_subnet=2, length=26)
    server = await servers.start()
    relay = servers.relay(server, first.relay)
    assert (await relay.offer(asking(1))).options.get(15) is None
    turns = Turns(server.engine.plan.subnets)
    await change_all(site)
    await turns.until_all()
    assert len(turns.seen) > SUBNETS // 2
    assert (await relay.offer(asking(2))).options[15] == b"new.test"


def asking(number: int) -> say.Packet:
    return say.discover(mac_of(number)).option(55, bytes((1, 3, 15)))


async def test_subnets_of_one_wire_change_together(site: Site, servers: Servers, hasty: None) -> None:
    """Their pools are for classes by place, and a place means another class once there is a new one in front."""
    wire = [await site.subnet(number, shared_network="wire") for number in (5, 9, 17)]
    others = [await site.subnet(number) for number in (6, 7, 8, 10, 11, 12, 13)]
    server = await servers.start()
    turns = Turns(server.engine.plan.subnets)
    await change_all(site)
    await turns.until_all()
    mates = {subnet.no for subnet in wire}
    assert all(mates & seen in (set(), mates) for seen in turns.seen)
    assert len(turns.seen) > len(others)


async def test_a_change_of_one_reads_its_wire(site: Site, servers: Servers) -> None:
    first, second = [await site.subnet(number, shared_network="wire") for number in (5, 9)]
    other = await site.subnet(6)
    server = await servers.start()
    turns = Turns(server.engine.plan.subnets)
    async with first.change():
        await first.set(lease_time_seconds=700)
    await until("renewed", lambda: turns.seen[-1])
    turns.task.cancel()
    assert turns.seen[-1] == {first.no, second.no}
    assert other.no in turns.subnets


@pytest.mark.parametrize("length", [16, 25])
async def test_a_new_large_subnet_knows_its_leases_before_it_serves(
    length: int, monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers, relay_of: Any
) -> None:
    """Counted in slices: by address where the lease table is larger, else by lease."""
    monkeypatch.setattr(plan_loader, "RECOUNTED", 7)
    old = await site.subnet(5)
    for last in range(2, 202):
        third = 0 if last < 120 else 200
        await site.put_lease(f"10.16.{third}.{last}", bytes((2, 0, 0, 0, 0, last)), old.no)
    server = await servers.start()
    async with site.connection.transaction():
        new = await site.subnet(16, cidr=IPv4Network(("10.16.0.0", length)), gateway=None)
        await new.pool(2, 125)
        await site.record(new.no, "subnet")
        await site.connection.execute(TELL)
    relay: Relay = relay_of(server, new)
    offered = set()
    for number in range(6):
        offered.add((await relay.offer_in_time(mac_of(1000 + number))).yiaddr)
    assert offered == {new.address(last) for last in range(120, 126)}


@pytest.fixture
def relay_of(servers: Servers) -> Any:
    return lambda server, subnet: servers.relay(server, subnet.relay)
