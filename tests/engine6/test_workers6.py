"""Two workers of one DHCPv6 host (engine rule 21): each knows all leases, and what is done once is done by one of them.

Each has a socket of its own here, and the test sends where the kernel would; see engine/sharing.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv6Address, ip_network
from typing import Any

import pytest
from engine.serving import drops, read_feed, running
from engine.sharing import NOW, WORKER_HASH6, Sharing
from engine.site import until
from engine6.serving6 import Relay, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from engine6.test_reserved_identity6 import CASES, valid
from oracle import packets6 as say
from oracle.options6 import NO_BINDING

from dhcp_fast.engine.configure import RELAY_RATE_OCTETS
from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

NO_ADDRESSES = 2


class Pair6:
    """Both workers, and where the packets of a client with a given link-local address go."""

    def __init__(self, workers: tuple[Serving, Serving], subnet: Subnet6) -> None:
        self.workers = workers
        self.relays = Relay.of(workers[0], subnet), Relay.of(workers[1], subnet)

    def close(self) -> None:
        for relay in self.relays:
            relay.close()

    async def heard(self) -> None:
        """Each has read what the other has written."""
        async with self.workers[0].connections.plan.acquire() as connection:
            before = int(await connection.fetchval(NOW))
        for worker in self.workers:
            while int(worker.feed.cursor) < before:
                await read_feed(worker)


@asynccontextmanager
async def pair(dsn: str, subnet: Subnet6, **fields: Any) -> AsyncIterator[Pair6]:
    memory = bytearray(RELAY_RATE_OCTETS)
    told = {"dhcp6_listen": (Endpoint("::1", 0),), "trusted_relays": (ip_network("::1/128"),)} | fields

    def worker(index: int) -> Any:
        def make(settings: Settings) -> Server:
            return Server(settings, dsn, Sharing(settings, index, memory, 6), family=6)

        return running(make, **told)

    async with worker(0) as first, worker(1) as second:
        made = Pair6((first, second), subnet)
        try:
            yield made
        finally:
            made.close()


def peer_of(worker: int, number: int = 0) -> IPv6Address:
    """A client's link-local address that belongs to this worker."""
    found = (IPv6Address(f"fe80::{n:x}") for n in range(1, 1000))
    return [peer for peer in found if WORKER_HASH6.worker(peer.packed) == worker][number]


def solicit(client: int, peer: IPv6Address, subnet: Subnet6, line: str = "ge-1") -> say.Packet:
    return say.solicit(duid(client)).ia_na(1).through(subnet.link, peer=peer).at_interface(line)


async def test_what_is_sent_astray_is_served_and_counted(database: str, site: Site6, subnet: Subnet6) -> None:
    """As a kernel may send it that looks at several datagrams as one."""
    async with pair(database, subnet) as host:
        for peer in (peer_of(0), peer_of(1)):
            assert leases(await host.relays[0].advertise(solicit(1, peer, subnet)))
        assert host.workers[0].counters()["astray"] == 1


async def test_an_address_of_another_workers_client_is_not_given(database: str, site: Site6) -> None:
    subnet = await site.subnet()
    await subnet.pool(0x100, 0x100)
    async with pair(database, subnet) as host:
        await host.relays[0].lease(duid(1))
        await host.heard()
        assert statuses(await host.relays[1].advertise(solicit(2, peer_of(1), subnet))) == [NO_ADDRESSES]


async def test_each_lease_is_counted_and_expired_by_one_worker(database: str, site: Site6) -> None:
    subnet = await site.subnet(lease_time_seconds=2, reuse_margin_seconds=1)
    await subnet.whole_pool()
    async with pair(database, subnet) as host:
        given = [leases(await host.relays[n % 2].lease(duid(n)))[0] for n in range(1, 9)]
        await host.heard()
        known = [worker.counters()["leases_known"] for worker in host.workers]
        assert sum(known) == len(given)
        assert all(known)
        for worker in host.workers:
            worker.engine.set_expirer(True)

        async def all_expired() -> bool:
            kinds = [[event["kind"] for event in await site.events(address)] for address in given]
            return kinds == [["g", "x"]] * len(given)

        await until("expired, each once", all_expired)


async def test_a_circuit_is_full_at_every_worker(database: str, subnet: Subnet6) -> None:
    async with pair(database, subnet, dhcp4_leases_per_circuit=1) as host:
        first = host.relays[0]
        offer = await first.advertise(solicit(1, peer_of(0), subnet))
        request = say.request(duid(1), first.server_id).ia_na(1, leases(offer)[0])
        assert leases(await first.reply(request.through(subnet.link, peer=peer_of(0)).at_interface("ge-1")))
        await host.heard()
        assert statuses(await host.relays[1].advertise(solicit(2, peer_of(1), subnet))) == [NO_ADDRESSES]
        assert leases(await host.relays[1].advertise(solicit(2, peer_of(1), subnet, "ge-2")))


async def test_a_relays_rate_is_that_of_both_workers_together(database: str, subnet: Subnet6) -> None:
    async with pair(database, subnet, dhcp4_relay_rate=2) as host:
        for number in range(1, 21):
            host.relays[number % 2].send(solicit(number, peer_of(number % 2), subnet))
        for worker in host.workers:
            worker.engine.receive(0)
        refused = sum(drops(worker, "relay_rate") for worker in host.workers)
        assert 8 <= 20 - refused <= 10


@pytest.mark.parametrize("name", ["MAC", "DUID", "interface"])
async def test_a_client_of_another_worker_takes_the_reserved_address_over(
    name: str, database: str, site: Site6
) -> None:
    """At once and for the usual time, from worker to worker; see test_reserved_identity6.py."""
    identity, (former, later, *_) = CASES[name]
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x52, **identity)
    address = str(subnet.address(0x52))
    async with pair(database, subnet) as host:
        for number, who in enumerate((former, later, former, later)):
            relay = host.relays[number % 2]
            reply = await who.lease(relay)
            assert (leases(reply), valid(reply)) == ([address], [800])
            assert leases(await who.renew(relay, address)) == [address]
            await host.heard()
        assert statuses(await former.renew(host.relays[0], address)) == [NO_BINDING]
    kinds = [row["kind"] for row in await site.events(address)]
    assert "".join(kinds).replace("n", "") == "gvgvgvg"
