"""Engine rule 17: expiry is derived, not written; one elected server writes its events, a takeover its own."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from ipaddress import IPv4Address

import pytest
from engine.serving import Servers, mac_of, octets, read_feed, serving
from engine.site import Site, Subnet, until
from engine.statements import Operation, write
from oracle import packets as say

from dhcp_fast.server.serving import Serving

FIRST, SECOND = mac_of(1), mac_of(2)
SHORT = {"lease_time_seconds": 1, "reuse_margin_seconds": 1}
HOLDERS = """
select pid from pg_locks
where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())"""

EXPIRED_LEASES = """
insert into lease (tenant_no, address, subnet_no, prefix_length, state, hw_type, hw_address, client_key, version,
  granted_at, renewed_at, expires_at, reuse_at)
select $1, '10.77.0.0'::inet + n, $2, 32, 'a', 1, decode(lpad(to_hex(n), 12, '0'), 'hex'),
  decode('0101' || lpad(to_hex(n), 12, '0'), 'hex'), nextval('lease_version'),
  now() - interval '2 h', now() - interval '2 h', now() - interval '1 h', now() - interval '1 h'
from generate_series(1, 20000) n"""


@pytest.fixture
async def short(site: Site) -> Subnet:
    """One address, leased for a second."""
    subnet = await site.subnet(**SHORT)
    await subnet.pool(100, 100)
    return subnet


async def kinds(site: Site, subnet: Subnet) -> list[str]:
    return [event["kind"] for event in await site.events(subnet.address(100))]


async def has_expired(site: Site, subnet: Subnet) -> bool:
    return "x" in await kinds(site, subnet)


async def is_elected(site: Site, besides: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The session that holds the lock, if it is another one than before."""
    holders = tuple(row["pid"] for row in await site.connection.fetch(HOLDERS))
    return () if holders == besides else holders


async def test_an_expired_lease_is_taken_over_without_having_been_written(
    servers: Servers, site: Site, short: Subnet
) -> None:
    """Rule 17: a wheel in memory wakes the server, and an expired row may be taken over by a bind."""
    server = await servers.start()
    await until("elected", lambda: is_elected(site))
    server.engine.set_expirer(False)
    relay = servers.relay(server, short.relay)
    await relay.lease(FIRST)
    await relay.unanswered(say.discover(SECOND))
    await relay.offer_in_time(SECOND)
    assert await kinds(site, short) == ["g"]
    await relay.ack(say.request_selecting(SECOND, short.address(100), "127.0.0.1"))
    granted, expired, taken = await site.events(short.address(100))
    assert [granted["kind"], expired["kind"], taken["kind"]] == ["g", "x", "g"]
    assert expired["hw_address"] == granted["hw_address"] == octets(FIRST)
    assert expired["expires_at"] == granted["expires_at"]
    assert taken["hw_address"] == octets(SECOND)


async def test_a_takeover_writes_two_events_in_one_statement(site: Site, subnet: Subnet) -> None:
    """Rule 17: `expired` for the previous owner and `granted`, with ordered versions."""
    address = subnet.address(100)
    old = await site.put_lease(
        address,
        octets(FIRST),
        subnet.no,
        expires_at=-20.0,
        reuse_at=-10.0,
        hostname="first",
        client_id=b"\x00old",
    )
    bind = Operation(site.tenant_no, address, subnet.no, 1, "b", octets(SECOND))
    await write(site.connection, [bind], node_no=7)
    expired, granted = await site.events(address)
    assert old < expired["version"] < granted["version"] == (await site.lease(address))["version"]
    assert expired["xid"] == granted["xid"]
    assert (expired["kind"], expired["hw_address"], expired["hostname"]) == ("x", octets(FIRST), "first")
    assert (expired["client_id"], expired["node_no"]) == (b"\x00old", 7)
    assert (granted["kind"], granted["hw_address"], granted["hostname"]) == ("g", octets(SECOND), None)


@pytest.mark.parametrize("state", ["r", "x", "v", "d"])
async def test_what_has_ended_in_another_way_has_no_second_end(
    state: str, site: Site, subnet: Subnet
) -> None:
    """Rule 17: only an active row that ran out is `expired` by its takeover."""
    address = subnet.address(100)
    await site.put_lease(address, octets(FIRST), subnet.no, state=state, expires_at=-20.0, reuse_at=-10.0)
    await write(site.connection, [Operation(site.tenant_no, address, subnet.no, 1, "b", octets(SECOND))])
    assert [event["kind"] for event in await site.events(address)] == ["g"]


async def test_a_client_that_takes_its_own_lease_again_has_not_lost_it(site: Site, subnet: Subnet) -> None:
    address = subnet.address(100)
    await site.put_lease(address, octets(FIRST), subnet.no, expires_at=-20.0, reuse_at=-10.0)
    await write(site.connection, [Operation(site.tenant_no, address, subnet.no, 1, "b", octets(FIRST))])
    assert [event["kind"] for event in await site.events(address)] == ["g"]


async def test_the_elected_server_writes_each_expiry_once(
    servers: Servers, site: Site, short: Subnet
) -> None:
    """Rule 17: one elected server writes expiry events."""
    both = [await servers.start(), await servers.start()]
    await until("elected", lambda: is_elected(site))
    await servers.relay(both[1], short.relay).lease(FIRST)
    await until("expired", lambda: has_expired(site, short))
    await asyncio.sleep(0.5)
    assert await kinds(site, short) == ["g", "x"]
    row, event = await site.lease(short.address(100)), (await site.events(short.address(100)))[1]
    assert (row["state"], row["version"]) == ("x", event["version"])
    assert event["at"] >= event["expires_at"]
    assert event["reuse_at"] > event["expires_at"], "the margin holds for an expiry that was written, too"


async def test_two_holders_do_no_harm(servers: Servers, site: Site, short: Subnet) -> None:
    """Rule 17: conditional writes, so that two holders of the lock write an expiry once."""
    both = [await servers.start(), await servers.start()]
    await until("elected", lambda: is_elected(site))
    relay = servers.relay(both[0], short.relay)
    await relay.lease(FIRST)
    for server in both:
        await read_feed(server)
        server.engine.set_expirer(True)
    await until("expired", lambda: has_expired(site, short))
    await asyncio.sleep(0.5)
    assert await kinds(site, short) == ["g", "x"]


async def test_a_renewed_lease_does_not_expire(servers: Servers, site: Site) -> None:
    """Rule 17: the version is the one seen, and the wheel looks again at what was renewed."""
    subnet = await site.subnet(lease_time_seconds=5)
    await subnet.pool(100, 100)
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(FIRST)
    first = (await site.lease(ack.yiaddr))["expires_at"]
    while await site.connection.fetchval("select clock_timestamp() < $1", first + timedelta(seconds=1)):
        await asyncio.sleep(0.5)
        await relay.ack(say.request_rebinding(FIRST, subnet.address(100)))
    assert set(await kinds(site, subnet)) == {"g", "n"}
    await until("expired", lambda: has_expired(site, subnet))


async def test_another_server_is_elected_when_the_first_has_ended(
    database: str, servers: Servers, site: Site, short: Subnet
) -> None:
    """Rule 17: the lock is the session's, so it falls to another server by itself."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serving(database))
        before = await until("elected", lambda: is_elected(site))
        second: Serving = await servers.start()
    await until("elected again", lambda: is_elected(site, before))
    await servers.relay(second, short.relay).lease(FIRST)
    await until("expired", lambda: has_expired(site, short))
    assert second.duties.heartbeat.node is not None
    assert (await site.events(short.address(100)))[1]["node_no"] == second.duties.heartbeat.node.no


async def test_a_flood_of_expiries_leaves_room_for_clients(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """Rule 17: expiry events are written in batches, and never at the cost of those who ask."""
    server = await servers.start()
    engine = server.engine
    await until("elected", lambda: is_elected(site))
    await site.connection.execute(EXPIRED_LEASES, site.tenant_no, subnet.no)
    span = IPv4Address("10.77.0.0"), IPv4Address("10.77.255.255")
    async with site.connection.transaction():
        await site.connection.execute("select from lease for update")  # the batches wait for us
        engine.set_expirer(True)
        await server.feed.read_subnet(site.connection, site.tenant_no, *span)
        await until("expiring", lambda: engine.counters()["slots_in_use"] > 4000)
        for _ in range(20):
            engine.tick()
        assert engine.counters()["slots_in_use"] < 5000
        await servers.relay(server, subnet.relay).offer(say.discover(FIRST))
