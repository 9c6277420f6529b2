"""Engine rule 18: a renewal in the first quarter of its lease costs no write, while nothing has changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.serving import Relay, Servers, counters, mac_of, octets, read_feed, reloaded, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import number
from oracle.packets import Packet

from dhcp_fast.database.leases.commit_stats import WARNED
from dhcp_fast.database.leases.feed_age import Horizon
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
STALE = 3_000_000


class Early:
    """One client with a lease, whose renewals are watched."""

    def __init__(self, site: Site, subnet: Subnet, server: Serving, relay: Relay) -> None:
        self.site = site
        self.subnet = subnet
        self.server = server
        self.relay = relay
        self.address = subnet.address(100)

    @property
    def renewal(self) -> Packet:
        return say.request_rebinding(MAC, self.address).hostname("host").client_id(b"\x00id")

    async def is_early(self, packet: Packet) -> bool:
        """Whether the ACK came from memory; what the row says must agree."""
        before, written = await self.site.lease(self.address), counters(self.server)["early_renewals"]
        await read_feed(self.server)
        await self.server.plan.read_changes()
        ack = await self.relay.ack(packet)
        after = await self.site.lease(self.address)
        early = bool(counters(self.server)["early_renewals"] > written)
        assert early == (before["version"] == after["version"])
        if early:
            left = after["expires_at"] - await self.site.connection.fetchval("select clock_timestamp()")
            assert left.total_seconds() - 3 < number(ack.options[51]) <= left.total_seconds() + 1
        return early

    async def works(self) -> None:
        """The control of each test that shows an exception: the plain renewal is early."""
        await until("early", lambda: self.is_early(self.renewal))

    def decide(self, packet: Packet) -> bool:
        """The packet is decided before the event loop reads anything; whether from memory."""
        before = counters(self.server)["early_renewals"]
        self.relay.send(packet)
        self.server.engine.receive(0)
        return bool(counters(self.server)["early_renewals"] > before)


@pytest.fixture
async def early(site: Site, servers: Servers) -> Early:
    subnet = await site.subnet(cache_threshold=0.25)
    await subnet.pool(100, 100)
    server = await servers.start()
    made = Early(site, subnet, server, servers.relay(server, subnet.relay))
    discover = say.discover(MAC).hostname("host").client_id(b"\x00id")
    await made.relay.lease(MAC, discover)
    return made


@pytest.mark.own_server
async def test_an_early_renewal_is_answered_from_memory(early: Early) -> None:
    """Rule 18: the answer is the remaining durable lifetime, and the row has no new version."""
    await early.works()
    assert counters(early.server)["early_renewals"] == 1


async def test_a_reboot_is_answered_from_memory_too(early: Early) -> None:
    await early.works()
    reboot = say.request_init_reboot(MAC, early.address).hostname("host").client_id(b"\x00id")
    await until("early", lambda: early.is_early(reboot))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda p: p.hostname("renamed"), id="host name"),
        pytest.param(lambda p: p.without(12).fqdn(""), id="an empty name in option 81"),
        pytest.param(lambda p: p.client_id(b"\x00other"), id="client id"),
        pytest.param(lambda p: p.circuit("eth1/4"), id="circuit"),
        pytest.param(lambda p: p.remote("switch"), id="remote id"),
    ],
)
async def test_what_would_be_written_is_written(change: Callable[[Packet], Packet], early: Early) -> None:
    """Rule 18: only while nothing that would be written differs."""
    await early.works()
    assert not await early.is_early(change(early.renewal))


async def test_a_renewal_without_a_name_changes_none(early: Early) -> None:
    """decisions: Client names in DNS. It is early, and so is the next one with the name; a late one keeps the name."""
    await early.works()
    unnamed = early.renewal.without(12)
    assert await early.is_early(unnamed)
    assert not await early.is_early(unnamed.circuit("eth1/4"))
    assert (await early.site.lease(early.address))["hostname"] == "host"
    assert await early.is_early(early.renewal.circuit("eth1/4"))
    assert not await early.is_early(early.renewal.circuit("eth1/4").hostname("renamed"))
    assert (await early.site.lease(early.address))["hostname"] == "renamed"


async def test_another_relay_is_written(servers: Servers, early: Early) -> None:
    await early.works()
    async with early.subnet.change():
        await early.subnet.set(relay_addresses=[early.subnet.relay, early.subnet.relay + 1])
    await early.works()
    early.relay = servers.relay(early.server, early.subnet.relay + 1)
    assert not await early.is_early(early.renewal)
    assert (await early.site.lease(early.address))["relay"] == early.subnet.relay + 1


async def test_another_lease_time_is_written(early: Early) -> None:
    """A subnet whose lease time was changed gives the new one at the next renewal."""
    await early.works()
    async with early.subnet.change():
        await early.subnet.set(lease_time_seconds=900)
    assert not await early.is_early(early.renewal)


async def test_a_lease_that_has_ended_is_not_answered_from_memory(early: Early) -> None:
    await early.works()
    await early.relay.unanswered(say.release(MAC, early.address, "127.0.0.1"))
    await early.relay.nak(early.renewal)


async def test_another_client_is_not_answered_from_memory(early: Early) -> None:
    await early.works()
    await early.relay.nak(say.request_rebinding(mac_of(2), early.address))


async def test_not_while_the_feed_is_old(early: Early) -> None:
    """Rule 18: only while the last feed read is under 2 s old."""
    await early.works()
    early.server.engine.note_feed_read(boot_clock() - STALE)
    assert not early.decide(early.renewal)


async def test_not_while_the_configuration_is_old(early: Early) -> None:
    """Rule 18: only while the configuration check is under 2 s old."""
    await early.works()
    early.server.engine.note_plan_read(boot_clock() - STALE)
    assert not early.decide(early.renewal)


@pytest.mark.parametrize(("age", "expected"), [(140, True), (155, False), (400, False)])
async def test_not_after_the_quarter(age: int, expected: bool, site: Site, servers: Servers) -> None:
    """Rule 18: within the first quarter of the lease (`cache_threshold`)."""
    subnet = await site.subnet(cache_threshold=0.25)
    await subnet.pool(100, 100)
    times = {"renewed_at": -age, "expires_at": 600.0 - age, "reuse_at": 610.0 - age}
    await site.put_lease(subnet.address(100), octets(MAC), subnet.no, relay=subnet.relay, **times)
    server = await servers.start()
    early = Early(site, subnet, server, servers.relay(server, subnet.relay))
    renewal = say.request_rebinding(MAC, early.address)
    if expected:
        await until("early", lambda: early.is_early(renewal))
    else:
        assert not await early.is_early(renewal)


@pytest.mark.own_server
async def test_a_threshold_of_nothing_writes_every_renewal(relay: Relay, server: Serving, site: Site) -> None:
    ack = await relay.lease(MAC)
    for _ in range(3):
        await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    assert counters(server)["early_renewals"] == 0
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g", "n", "n", "n"]


async def test_a_direct_renewal_keeps_what_the_relay_said(site: Site, servers: Servers) -> None:
    """A client renews by unicast, past its relay; that it came without one changes nothing."""
    subnet = await site.direct_subnet(cache_threshold=0.25)
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    ack = await relay.lease(MAC, say.discover(MAC).circuit("eth1/3"))

    async def is_early() -> bool:
        await read_feed(server)
        assert await verdict(server, say.request_renewing(MAC, ack.yiaddr)) == "ack"
        return bool(counters(server)["early_renewals"])

    await until("early", is_early)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr).hostname("host").circuit("eth1/3"))
    assert await verdict(server, say.request_renewing(MAC, ack.yiaddr).hostname("new")) == "ack"
    row = await site.lease(ack.yiaddr)
    assert (row["hostname"], row["relay"], row["circuit_id"]) == ("new", subnet.relay, b"eth1/3")


def test_the_age_of_the_feed_is_that_of_the_oldest_transaction_under_way() -> None:
    """Rule 18: a long transaction holds the window back, and what is behind it is not known."""
    horizon = Horizon()
    assert horizon.note(100, xmin=10, xmax=10) == 100
    assert horizon.note(200, xmin=10, xmax=12) == 100
    assert horizon.note(300, xmin=10, xmax=15) == 100
    assert horizon.note(400, xmin=13, xmax=15) == 200
    assert horizon.note(500, xmin=15, xmax=15) == 500


async def test_the_times_of_an_early_answer_are_those_of_what_is_left(early: Early) -> None:
    """RFC 2131 section 4.4.5: T1 and T2 are shares of the lease time that is told, which is the remaining one."""
    await early.works()
    await until("some seconds old", lambda: until_left(early, 598))
    ack = await early.relay.ack(early.renewal)
    left, t1, t2 = (number(ack.options[code]) for code in (51, 58, 59))
    assert left < 600
    assert t1 == left // 2
    assert t1 < t2 < left


async def until_left(early: Early, seconds: int) -> bool:
    ack = await early.relay.ack(early.renewal)
    return number(ack.options[51]) < seconds


async def test_a_client_that_must_move_is_not_answered_from_memory(early: Early) -> None:
    """A reservation made since the grant: the next renewal moves the client, however early it comes."""
    await early.works()
    async with early.subnet.change():
        await early.subnet.reserve(20, mac=MAC)
    await reloaded(early.server, early.subnet)
    await early.relay.nak(early.renewal)
    assert (await early.site.lease(early.address))["state"] == "v"


async def test_not_when_the_subnet_is_switched_off(early: Early) -> None:
    """`dhcp_enabled` false: nobody is answered there, from memory neither."""
    await early.works()
    async with early.subnet.change():
        await early.subnet.set(dhcp_enabled=False)
    await reloaded(early.server, early.subnet)
    await early.relay.unanswered(early.renewal)


async def test_not_while_a_commit_of_unknown_outcome_may_be_lost(early: Early) -> None:
    """What is committed here and not on the synchronous standby is gone after a failover, and the client would have
    been told the longer time. A commit that was begun later and succeeds ends the doubt."""
    await early.works()
    commits = early.server.writers.commits
    commits.failed(WARNED, "commit with a warning")
    assert not await early.is_early(early.renewal)
    await early.works()


async def test_a_statement_that_wrote_nothing_ends_no_doubt(early: Early) -> None:
    """There was nothing that the standby had to confirm: it says nothing of what came before."""
    await early.works()
    commits = early.server.writers.commits
    commits.failed(WARNED, "commit with a warning")
    await early.site.connection.execute("update lease set state = 'r', version = nextval('lease_version')")
    await early.relay.nak(early.renewal)
    assert commits.doubted_at


async def test_nor_while_a_commit_hangs(
    site: Site, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows that the feed tells meanwhile are other servers', whose wait for the standby may have been cancelled."""
    monkeypatch.setattr("dhcp_fast.database.leases.commit_stats.HUNG_SECONDS", 0.2)
    subnet = await site.subnet(cache_threshold=0.25)
    await subnet.pool(100, 101)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    one, other = [(await relay.lease(mac_of(number))).yiaddr for number in (1, 2)]
    commits = server.writers.commits

    async def is_early() -> bool:
        before = counters(server)["early_renewals"]
        await relay.ack(say.request_rebinding(mac_of(1), one))
        return bool(counters(server)["early_renewals"] > before)

    await until("early", is_early)
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", other)
        waiting = relay.send(say.request_rebinding(mac_of(2), other).hostname("other"))
        await until("in doubt", lambda: commits.doubted_at)
        assert not await is_early()
    assert await relay.answer_to(waiting) is not None
    await until("early again", is_early)
