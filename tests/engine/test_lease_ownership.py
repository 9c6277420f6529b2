"""What a worker knows of the leases of its host's other workers (engine rule 21, sharing/lease_ownership.pxd)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from ipaddress import IPv4Address

import pytest
from engine.serving import Relay, Servers, cached, drops, octets
from engine.sharing import WORKER_HASH, Pair, macs_of, pair
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database.leases.log_bounds import UNBOUNDED
from dhcp_fast.engine.pool_usage import addresses
from dhcp_fast.server.serving import Serving

OURS, THEIRS, THIRD = macs_of(0, 1)[0], *macs_of(1, 2)
GRACE_SECONDS = 5
LOCKS = "select count(*) from pg_locks where locktype = 'advisory' and granted"


@pytest.fixture
async def tight(site: Site) -> Subnet:
    """One address; leases of ten minutes."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 100)
    return subnet


@pytest.fixture
async def workers(database: str, tight: Subnet) -> AsyncIterator[Pair]:
    async with pair(database, tight) as made:
        yield made


async def forgotten(workers: Pair, site: Site, address: IPv4Address) -> None:
    """Wait until the second worker has read the first one's lease, and then ended its entry."""
    await workers.read_feeds()
    await until("forgotten", lambda: cached(workers.workers[1], site.tenant_no, address) is None)


async def test_an_address_of_another_workers_client_is_not_given(
    workers: Pair, site: Site, tight: Subnet
) -> None:
    """Whether its entry still lives or only its bit is left."""
    await workers.relay(OURS).lease(OURS)
    await workers.read_feeds()
    theirs = workers.workers[1]
    assert not (cached(theirs, site.tenant_no, tight.address(100)) or {})["own"]
    await workers.relay(THEIRS).unanswered(say.discover(THEIRS))
    await until("forgotten", lambda: cached(theirs, site.tenant_no, tight.address(100)) is None)
    await workers.relay(THEIRS).unanswered(say.discover(THEIRS))
    assert drops(theirs, "exhausted") == 2


async def test_each_lease_is_counted_by_one_worker(workers: Pair) -> None:
    await workers.relay(OURS).lease(OURS)
    await workers.read_feeds()
    assert [worker.counters()["leases_known"] for worker in workers.workers] == [1, 0]


async def test_the_first_load_keeps_the_bit_alone(database: str, site: Site, tight: Subnet) -> None:
    await site.put_lease(tight.address(100), octets(OURS), tight.no)
    async with pair(database, tight) as workers:
        assert (cached(workers.workers[0], site.tenant_no, tight.address(100)) or {})["own"]
        assert cached(workers.workers[1], site.tenant_no, tight.address(100)) is None
        await workers.relay(THEIRS).unanswered(say.discover(THEIRS))
        assert await workers.relay(OURS).offer(say.discover(OURS))


async def test_what_its_client_released_is_anybodys(workers: Pair, site: Site, tight: Subnet) -> None:
    """Long after its entry was forgotten; and it is taken again when the other worker's client has it."""
    ack = await workers.relay(OURS).lease(OURS)
    await forgotten(workers, site, ack.yiaddr)
    workers.relay(OURS).send(say.release(OURS, ack.yiaddr, "127.0.0.1"))
    assert (await workers.relay(THEIRS).offer_in_time(THEIRS)).yiaddr == ack.yiaddr
    await workers.relay(THEIRS).lease(THEIRS)
    await workers.read_feeds()
    await workers.relay(OURS).unanswered(say.discover(OURS))


async def test_the_elected_host_expires_every_workers_leases(database: str, site: Site) -> None:
    """Each worker those of its own clients, once; what expired is free to all after the margin."""
    subnet = await site.subnet(lease_time_seconds=1, reuse_margin_seconds=1)
    await subnet.pool(100, 101)
    async with pair(database, subnet) as workers:
        for worker in workers.workers:
            worker.engine.set_expirer(True)
        for mac in (OURS, THEIRS):
            await workers.relay(mac).lease(mac)
            await workers.read_feeds()
        assert (await workers.relay(THIRD).offer_in_time(THIRD)).yiaddr in subnet.network
        for last in (100, 101):
            await until("expired", lambda last=last: has_kinds(site, subnet.address(last), ["g", "x"]))


async def has_kinds(site: Site, address: IPv4Address, wanted: list[str]) -> bool:
    return [event["kind"] for event in await site.events(address)] == wanted


async def test_an_expiry_that_nobody_wrote_is_seen_before_the_pool_counts_as_full(
    database: str, site: Site
) -> None:
    subnet = await site.subnet(lease_time_seconds=1, reuse_margin_seconds=1)
    await subnet.pool(100, 100)
    async with pair(database, subnet) as workers:
        await until("elected", lambda: site.connection.fetchval(LOCKS))
        for worker in workers.workers:
            worker.engine.set_expirer(False)
        await workers.relay(OURS).lease(OURS)
        assert (await workers.relay(THEIRS).offer_in_time(THEIRS)).yiaddr == subnet.address(100)
        assert [event["kind"] for event in await site.events(subnet.address(100))] == ["g"]


async def test_a_client_with_another_hardware_address_keeps_its_lease(database: str, site: Site) -> None:
    """Rule 20: where the client id tells clients apart, each worker knows them all."""
    subnet = await site.subnet(match_client_id=True)
    await subnet.pool(100, 199)
    async with pair(database, subnet) as workers:
        before = say.discover(OURS).client_id(b"\x00the same")
        after = say.discover(THEIRS).client_id(b"\x00the same")
        ack = await workers.relay(OURS).lease(OURS, before)
        await workers.read_feeds()
        await asyncio.sleep(GRACE_SECONDS + 2)
        assert (await workers.relay(THEIRS).offer(after)).yiaddr == ack.yiaddr
        assert (await workers.relay(THEIRS).lease(THEIRS, after)).yiaddr == ack.yiaddr
        row = await site.lease(ack.yiaddr)
        assert row["hw_address"] == octets(THEIRS)
        await workers.read_feeds()
        assert (await workers.relay(OURS).offer(before)).yiaddr == ack.yiaddr


async def test_a_reserved_address_that_another_workers_client_holds(database: str, site: Site) -> None:
    """The reserved client gets one of the pool until the holder is gone."""
    subnet = await site.subnet()
    await subnet.pool(100, 101)
    await site.put_lease(subnet.address(100), octets(OURS), subnet.no)
    await subnet.reserve(100, mac=THEIRS)
    async with pair(database, subnet) as workers:
        ack = await workers.relay(THEIRS).lease(THEIRS)
        assert ack.yiaddr == subnet.address(101)
        await workers.relay(OURS).nak(say.request_rebinding(OURS, subnet.address(100)))  # revoked
        await workers.read_feeds()

        async def is_moved() -> bool:
            return (await workers.relay(THEIRS).offer(say.discover(THEIRS))).yiaddr == subnet.address(100)

        await until("moved", is_moved)


async def test_an_address_that_another_workers_client_has_is_denied(workers: Pair, tight: Subnet) -> None:
    """In every state: the database knows whose it is."""
    await workers.relay(OURS).lease(OURS)
    relay = workers.relay(THEIRS)
    await relay.nak(say.request_rebinding(THEIRS, tight.address(100)))
    await relay.nak(say.request_init_reboot(THEIRS, tight.address(100)))
    await relay.nak(say.request_selecting(THEIRS, tight.address(100), "127.0.0.1"))


async def test_a_quarantine_holds_at_every_worker_and_ends(database: str, site: Site) -> None:
    subnet = await site.subnet(decline_quarantine_seconds=3)
    await subnet.pool(100, 100)
    async with pair(database, subnet) as workers:
        ack = await workers.relay(OURS).lease(OURS)
        workers.relay(OURS).send(say.decline(OURS, ack.yiaddr, "127.0.0.1"))
        await until("declined", lambda: has_state(site, subnet, "d"))
        await workers.read_feeds()
        await workers.relay(THEIRS).unanswered(say.discover(THEIRS))
        assert (await workers.relay(THEIRS).offer_in_time(THEIRS)).yiaddr == ack.yiaddr


async def has_state(site: Site, subnet: Subnet, state: str) -> bool:
    return bool((await site.lease(subnet.address(100)))["state"] == state)


async def test_older_news_that_come_later_change_nothing(workers: Pair, site: Site, tight: Subnet) -> None:
    """The feed promises no order: the grant that is read last is the older one here."""
    ack = await workers.relay(OURS).lease(OURS)
    workers.relay(OURS).send(say.release(OURS, ack.yiaddr, "127.0.0.1"))
    await until("released", lambda: has_state(site, tight, "r"))
    await workers.read_feeds()
    theirs = workers.workers[1].feed
    query = theirs.queries.copy_events.sql.rstrip().rstrip(";") + " order by version desc"
    await theirs.copy(site.connection, query, "0", "9000000000", -1, *UNBOUNDED, 4)
    assert (cached(workers.workers[1], site.tenant_no, ack.yiaddr) or {})["state"] == "r"
    assert (await workers.relay(THEIRS).offer_in_time(THEIRS)).yiaddr == ack.yiaddr


async def test_a_subnet_that_is_new_to_the_workers_brings_its_leases(
    database: str, site: Site, tight: Subnet
) -> None:
    """It grew: its addresses are counted anew, also those that only the database knows whose they are."""
    async with pair(database, tight) as workers:
        ack = await workers.relay(OURS).lease(OURS)
        await forgotten(workers, site, ack.yiaddr)
        async with tight.change():
            await site.connection.execute("update subnet set cidr = '10.5.0.0/23' where no = $1", tight.no)
        theirs = workers.workers[1]
        await until("grown", lambda: theirs.engine.plan.subnets[tight.no].span[2] == 0x0A0501FF)
        await until("counted in", lambda: pools_used(theirs) == 1)
        await workers.relay(THEIRS).unanswered(say.discover(THEIRS))


def pools_used(worker: Serving) -> int:
    return addresses(worker.engine)[1]


async def test_workers_take_the_lowest_addresses_in_turn(database: str, site: Site) -> None:
    """A sequential pool: they do not all offer the same address, and when a lane is empty any address will do."""
    subnet = await site.subnet()
    await subnet.pool(100, 103, allocation="sequential")
    async with pair(database, subnet) as workers:
        first, second = macs_of(0, 4), macs_of(1, 2)
        offers = [(await workers.relay(mac).offer(say.discover(mac))).yiaddr for mac in (first[0], second[0])]
        assert offers == [subnet.address(100), subnet.address(101)]
        got = [(await workers.relay(mac).lease(mac)).yiaddr for mac in first[1:]]
        assert got == [subnet.address(last) for last in (102, 101, 103)]


async def test_a_circuit_is_full_at_every_worker(database: str, site: Site, subnet: Subnet) -> None:
    async with pair(database, subnet, dhcp4_leases_per_circuit=1) as workers:
        relay = workers.relay(OURS)
        offer = await relay.offer(say.discover(OURS).circuit(b"line 1"))
        await relay.ack(say.request_selecting(OURS, offer.yiaddr, "127.0.0.1").circuit(b"line 1"))
        await workers.read_feeds()
        await asyncio.sleep(GRACE_SECONDS + 2)
        await workers.relay(THEIRS).unanswered(say.discover(THEIRS).circuit(b"line 1"))
        assert drops(workers.workers[1], "circuit_full") == 1
        await workers.relay(THEIRS).offer(say.discover(THEIRS).circuit(b"line 2"))


async def test_a_relays_rate_is_that_of_all_workers_together(database: str, subnet: Subnet) -> None:
    """Four seconds' worth at once, wherever they arrive: 80 packets, and what the time of the test adds."""
    async with pair(database, subnet, dhcp4_relay_rate=20) as workers:
        began = asyncio.get_running_loop().time()
        for mac in macs_of(0, 100) + macs_of(1, 100):
            workers.relay(mac).send(say.discover(mac))
        await until("all decided", lambda: sum(map(received, workers.workers)) == 200)
        refused = sum(drops(worker, "relay_rate") for worker in workers.workers)
        passed = asyncio.get_running_loop().time() - began
        assert 80 <= 200 - refused <= 82 + 20 * passed
        assert drops(workers.workers[0], "relay_rate") >= 100 - 82 - 20 * passed


def received(worker: Serving) -> int:
    return int(worker.counters()["received"].get("discover", 0))


async def test_a_server_that_is_alone_keeps_every_entry(servers: Servers, site: Site, tight: Subnet) -> None:
    await site.put_lease(tight.address(100), octets(THEIRS), tight.no)
    server = await servers.start()
    assert (cached(server, site.tenant_no, tight.address(100)) or {})["own"]
    assert WORKER_HASH.worker(octets(THEIRS)) == 1
    assert isinstance(servers.relay(server, tight.relay), Relay)
