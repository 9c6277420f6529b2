"""Engine rule 16: no wall clock of a node enters a decision; times are the database's, and its steps are waited out."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from engine.serving import Relay, Servers, cached, counters, drops, mac_of, octets, read_feed
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server import duties
from dhcp_fast.server import serving as serving_module
from dhcp_fast.server.serving import Serving

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
HOLDER, OTHER = mac_of(1), mac_of(2)


async def one_address(site: Site, servers: Servers, **fields: object) -> tuple[Subnet, Serving, Relay]:
    """A pool of one, so that only the holder's address could be given."""
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 100)
    server = await servers.start()
    return subnet, server, servers.relay(server, subnet.relay)


def step(server: Serving, by: timedelta) -> None:
    """The database's clock now says something else than a moment ago, as far as the engine has heard."""
    now = boot_clock()
    database = datetime.now(UTC) - EPOCH + by
    server.engine.set_clock(round(database.total_seconds() * 1e6), now - 100, now)


def decide(server: Serving, relay: Relay, packet: Packet) -> None:
    """The packet is decided before the event loop can do anything else, such as measure the clock again."""
    relay.send(packet)
    server.engine.receive(0)


async def test_times_are_the_databases(relay: Relay, server: Serving, site: Site) -> None:
    """Rule 16: what the cache knows are the row's times: end rounded down, free to others rounded up."""
    ack = await relay.lease(HOLDER)
    row = await site.lease(ack.yiaddr)
    known = cached(server, site.tenant_no, ack.yiaddr) or {}
    assert known["renewed"] == int((row["renewed_at"] - EPOCH).total_seconds())
    assert known["expires"] == int((row["expires_at"] - EPOCH).total_seconds())
    assert known["reuse"] == -int(-(row["reuse_at"] - EPOCH).total_seconds() // 1)


async def test_after_a_step_takeovers_pause(site: Site, servers: Servers) -> None:
    """Rule 16: the clock steps by more than 5 s: takeovers pause until it is measured again."""
    subnet, server, relay = await one_address(site, servers)
    await relay.lease(HOLDER)
    step(server, timedelta(days=1))
    decide(server, relay, say.discover(OTHER))
    assert drops(server, "exhausted") == 1
    step(server, timedelta(days=2))
    decide(server, relay, say.request_selecting(OTHER, subnet.address(100), "127.0.0.1"))
    assert counters(server)["replied"]["nak"] == 1
    assert counters(server)["lost"] == 0


async def test_after_a_step_expiry_pauses(site: Site, servers: Servers) -> None:
    """A wheel that has seen the future must not call a running lease over."""
    subnet, server, relay = await one_address(site, servers)
    await relay.lease(HOLDER)
    step(server, timedelta(days=1))
    assert server.engine.tick() == 0
    step(server, timedelta())
    decide(server, relay, say.discover(OTHER))
    assert drops(server, "exhausted") == 1
    assert [event["kind"] for event in await site.events(subnet.address(100))] == ["g"]


async def test_what_is_offered_after_a_step_is_given(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    """A lease that had ended before counts as running again then; its address is not offered, to be refused."""
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)
    subnet = await site.subnet()
    await subnet.pool(100, 163)
    for last in range(100, 132):
        ended = {"expires_at": -20.0, "reuse_at": -10.0}
        await site.put_lease(subnet.address(last), octets(mac_of(1000 + last)), subnet.no, **ended)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    step(server, timedelta(days=1))
    for number in range(20):
        await relay.lease(mac_of(number))


async def held_address(site: Site, servers: Servers) -> tuple[Subnet, Serving, Relay]:
    """A pool of one, leased a minute ago for eleven."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    await site.put_lease(subnet.address(100), octets(HOLDER), subnet.no)
    server = await servers.start()
    return subnet, server, servers.relay(server, subnet.relay)


def measure(server: Serving, by: float) -> None:
    """The same, as measured ten seconds ago: what pauses until the clock is measured again goes on."""
    then = boot_clock() - 10_000_000
    database = (datetime.now(UTC) - EPOCH).total_seconds() + by - 10
    server.engine.set_clock(round(database * 1e6), then - 100, then)


async def test_a_clock_that_was_put_forward_ends_no_lease(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    """By the boot clock the lease still runs, and its client counts by such a one: neither is the address given to
    others, whatever the database would say, nor is the lease called over; until it has ended by that clock too."""
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)
    monkeypatch.setattr(serving_module, "TICK_SECONDS", 3600.0)
    subnet, server, relay = await held_address(site, servers)
    measure(server, 3600)
    decide(server, relay, say.discover(OTHER))
    assert drops(server, "exhausted") == 1
    decide(server, relay, say.request_selecting(OTHER, subnet.address(100), "127.0.0.1"))
    assert counters(server)["replied"]["nak"] == 1
    server.engine.tick()
    assert await site.events(subnet.address(100)) == []
    for passed in range(0, 700, 4):
        measure(server, 3600 + passed)
    while server.engine.tick():
        pass
    decide(server, relay, say.discover(OTHER))
    assert counters(server)["replied"]["offer"] == 1


async def test_a_clock_that_was_put_back_again_ends_leases_in_time(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)
    _, server, relay = await held_address(site, servers)
    measure(server, 3600)
    measure(server, 0)
    for passed in range(0, 700, 4):
        measure(server, passed)
    while server.engine.tick():
        pass
    decide(server, relay, say.discover(OTHER))
    assert counters(server)["replied"]["offer"] == 1


async def test_what_was_granted_by_a_clock_that_was_put_back_lasts(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    """By the true clock again the row ended long ago, also one that is dated five seconds after the false one
    because its address had been written by the true one before (dhcp_lease.sql)."""
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)
    monkeypatch.setattr(serving_module, "TICK_SECONDS", 3600.0)
    subnet, server, relay = await one_address(site, servers)
    measure(server, -90)
    dated = {"renewed_at": -95.5, "expires_at": -35.5, "reuse_at": -25.5}  # measured ten seconds ago
    await site.put_lease(subnet.address(100), octets(HOLDER), subnet.no, **dated)
    await server.feed.read_rows(site.connection, [(site.tenant_no, subnet.address(100))])
    measure(server, 0)
    server.engine.tick()
    assert await site.events(subnet.address(100)) == []
    decide(server, relay, say.discover(OTHER))
    assert drops(server, "exhausted") == 1
    for passed in range(0, 100, 4):
        measure(server, passed)
    while server.engine.tick():
        pass
    decide(server, relay, say.discover(OTHER))
    assert counters(server)["replied"]["offer"] == 1


async def test_after_a_step_early_renewals_pause(site: Site, servers: Servers) -> None:
    """Rule 16: and so do early renewals, which the database then answers."""
    subnet, server, relay = await one_address(site, servers, cache_threshold=0.9)
    await relay.lease(HOLDER)
    renewal = say.request_rebinding(HOLDER, subnet.address(100))
    step(server, timedelta(seconds=-60))
    decide(server, relay, renewal)
    assert counters(server)["early_renewals"] == 0
    await until("written", lambda: is_renewed(site, subnet))


async def is_renewed(site: Site, subnet: Subnet) -> bool:
    return [event["kind"] for event in await site.events(subnet.address(100))] == ["g", "n"]


async def test_a_small_drift_is_followed(site: Site, servers: Servers) -> None:
    """Rule 16: the offset is refreshed; less than a step pauses nothing."""
    subnet, server, relay = await one_address(site, servers, cache_threshold=0.9)
    await relay.lease(HOLDER)

    async def is_early() -> bool:
        await read_feed(server)
        await server.plan.read_changes()
        step(server, timedelta(seconds=1))
        decide(server, relay, say.request_rebinding(HOLDER, subnet.address(100)))
        return bool(counters(server)["early_renewals"])

    await until("answered from memory", is_early)


async def test_an_address_is_free_to_another_client_only_after_the_margin(
    site: Site, servers: Servers
) -> None:
    """Rule 16: free to another client only `reuse_margin_seconds` after `expires_at`."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    server = await servers.start()
    await site.put_lease(subnet.address(100), octets(HOLDER), subnet.no, expires_at=-5.0, reuse_at=5.0)
    await server.feed.load(site.connection)
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.discover(OTHER))
    await relay.nak(say.request_selecting(OTHER, subnet.address(100), "127.0.0.1"))
    async with asyncio.timeout(20):
        while await relay.answer_to(relay.send(say.discover(OTHER)), 0.2) is None:
            row = await site.lease(subnet.address(100))
    assert row["hw_address"] == octets(HOLDER)
    now = await site.connection.fetchval("select now()")
    assert now >= row["reuse_at"]
    await relay.ack(say.request_selecting(OTHER, subnet.address(100), "127.0.0.1"))


async def test_its_own_client_renews_within_the_margin(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    await site.put_lease(subnet.address(100), octets(HOLDER), subnet.no, expires_at=-7.0, reuse_at=30.0)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.ack(say.request_rebinding(HOLDER, subnet.address(100)))
