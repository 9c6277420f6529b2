"""Engine rule 19: in which order an address is looked for, and that what was given back can be given again."""

import asyncio
from ipaddress import IPv4Address

import pytest
from engine.serving import (
    Relay,
    Servers,
    cached,
    drops,
    mac_of,
    octets,
    reloaded,
    server_id,
    serving,
)
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server


async def small_pool(site: Site, servers: Servers, first: int, last: int, **fields: object) -> Relay:
    subnet = await site.subnet()
    await subnet.pool(first, last, **fields)
    return servers.relay(await servers.start(), subnet.relay)


async def test_the_reservation_comes_first(relay: Relay, server: Serving, subnet: Subnet) -> None:
    """Rule 19: reservation before last address, requested address and pools."""
    mac = mac_of(1)
    ack = await relay.lease(mac)
    async with subnet.change("reservation"):
        await subnet.reserve(42, mac=mac)
    await reloaded(server, subnet)
    offer = await relay.offer(say.discover(mac).requesting(ack.yiaddr))
    assert offer.yiaddr == subnet.address(42)


async def test_the_last_address_comes_before_the_requested_one(relay: Relay, subnet: Subnet) -> None:
    """Rule 19: the client's last address, although it asks for another free one."""
    ack = await relay.lease(mac_of(1))
    wanted = subnet.address(150 if ack.yiaddr != subnet.address(150) else 151)
    assert (await relay.offer(say.discover(mac_of(1)).requesting(wanted))).yiaddr == ack.yiaddr


async def test_the_requested_address_comes_before_the_hashed_place(relay: Relay, subnet: Subnet) -> None:
    """Rule 19: the address asked for, when nobody has it."""
    for number, last in ((1, 117), (2, 171)):
        offer = await relay.offer(say.discover(mac_of(number)).requesting(subnet.address(last)))
        assert offer.yiaddr == subnet.address(last)


async def test_a_requested_address_that_is_not_to_be_had_is_passed_over(relay: Relay, subnet: Subnet) -> None:
    held = await relay.lease(mac_of(1))
    for wanted in (held.yiaddr, subnet.address(20), IPv4Address("192.0.2.1")):
        offer = await relay.offer(say.discover(mac_of(2)).requesting(wanted))
        assert offer.yiaddr != wanted


async def test_the_hashed_place_is_the_same_after_a_restart(database: str, subnet: Subnet) -> None:
    """Rule 19: the place that the keyed hash of the identity names; every start hashes alike."""
    seen = []
    for _ in range(2):
        async with serving(database) as server:
            relay = Relay.of(server, subnet)
            seen.append([(await relay.offer(say.discover(mac_of(n)))).yiaddr for n in range(10)])
            relay.close()
    assert seen[0] == seen[1]
    assert seen[0] != sorted(seen[0])


@pytest.mark.own_server
async def test_sequential_pools_give_the_lowest_first(site: Site, servers: Servers) -> None:
    """Rule 19: lowest first where the pool says `sequential`."""
    relay = await small_pool(site, servers, 100, 110, allocation="sequential")
    got = [(await relay.lease(mac_of(n))).yiaddr for n in range(5)]
    assert got == [IPv4Address(f"10.5.0.{100 + n}") for n in range(5)]


async def test_a_full_pool_gives_every_address_once(site: Site, servers: Servers) -> None:
    relay = await small_pool(site, servers, 100, 109)
    got = {(await relay.lease(mac_of(n))).yiaddr for n in range(10)}
    assert len(got) == 10
    await relay.unanswered(say.discover(mac_of(11)))


async def test_pools_of_the_clients_class_come_first(site: Site, servers: Servers) -> None:
    """Rule 19: a class's pools are tried first, and serve nobody else."""
    subnet = await site.subnet()
    phones = await site.client_class("phones", vendor_class="phone")
    await subnet.pool(100, 199)
    await subnet.pool(200, 201, class_no=phones)
    relay = servers.relay(await servers.start(), subnet.relay)
    phone = [(await relay.offer(say.discover(mac_of(n)).vendor("phone 7"))).yiaddr for n in range(3)]
    assert {int(a) & 255 for a in phone[:2]} == {200, 201}
    assert int(phone[2]) & 255 < 200
    others = [(await relay.offer(say.discover(mac_of(n)).vendor("laptop"))).yiaddr for n in range(10, 15)]
    assert all(int(address) & 255 < 200 for address in others)


async def test_a_released_address_is_free_again(site: Site, servers: Servers) -> None:
    """Rule 19 finds what was given back; a pool of one address shows it."""
    relay = await small_pool(site, servers, 100, 100)
    ack = await relay.lease(mac_of(1))
    await relay.unanswered(say.release(mac_of(1), ack.yiaddr, server_id(ack)))
    await until("released", lambda: released(site, ack.yiaddr))
    assert (await relay.offer_in_time(mac_of(2))).yiaddr == ack.yiaddr


@pytest.mark.own_server
async def test_a_released_address_is_given_at_once(site: Site, servers: Servers) -> None:
    """Not a second later: a full pool would otherwise give no more a second than it has free addresses."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for number in range(1, 5):
        ack = await relay.lease(mac_of(number))
        relay.send(say.release(mac_of(number), ack.yiaddr, server_id(ack)))
        await until(
            "known", lambda: (cached(server, site.tenant_no, subnet.address(100)) or {}).get("state") == "r"
        )
    assert drops(server, "exhausted") == 0


async def released(site: Site, address: IPv4Address) -> bool:
    return (await site.lease(address))["state"] == "r"


async def test_a_client_that_released_long_ago_gets_the_same_address(
    relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 19: the last address is remembered beyond its lease; rows are kept for that (decisions: States)."""
    wanted = subnet.address(177)
    ack = await relay.lease(mac_of(1), say.discover(mac_of(1)).requesting(wanted))
    assert ack.yiaddr == wanted
    await relay.unanswered(say.release(mac_of(1), ack.yiaddr, server_id(ack)))
    await until("released", lambda: released(site, ack.yiaddr))
    await asyncio.sleep(1.2)
    assert (await relay.offer(say.discover(mac_of(1)))).yiaddr == wanted


@pytest.mark.parametrize("state", ["r", "x", "v", "a"])
async def test_rows_that_hold_nothing_any_more_leave_their_addresses_free_after_a_start(
    state: str, site: Site, servers: Servers
) -> None:
    """Rule 19: rows are kept after their lease has ended; the first load must not count them as taken."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    mac = octets(mac_of(1))
    await site.put_lease("10.5.0.100", mac, subnet.no, state=state, expires_at=-30.0, reuse_at=-20.0)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    assert (await relay.lease(mac_of(2))).yiaddr == subnet.address(100)


@pytest.mark.own_server
async def test_a_returning_client_gets_its_old_address_after_a_start(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await site.put_lease(
        "10.5.0.123", octets(mac_of(1)), subnet.no, state="x", expires_at=-30.0, reuse_at=-20.0
    )
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(say.discover(mac_of(1)))).yiaddr == subnet.address(123)


async def test_a_pool_is_read_again_before_it_counts_as_exhausted(site: Site, servers: Servers) -> None:
    """Rule 19: before "exhausted" the pool is refreshed from the database once."""
    relay = await small_pool(site, servers, 100, 100)
    ack = await relay.lease(mac_of(1))
    # Freed behind the server's back: no event tells the feed of it.
    await site.connection.execute(
        "update lease set state = 'r', expires_at = now(), reuse_at = now(), version = nextval('lease_version')"
    )
    await relay.unanswered(say.discover(mac_of(2)))
    assert (await relay.offer_in_time(mac_of(2))).yiaddr == ack.yiaddr


@pytest.mark.own_server
async def test_leases_of_a_deleted_subnet_are_still_taken_in_its_successor(
    site: Site, servers: Servers
) -> None:
    """The row of an address is one a tenant, whatever subnet it was granted in."""
    old = await site.subnet()
    await old.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, old.relay)
    ack = await relay.lease(mac_of(1))
    async with site.connection.transaction():
        await site.connection.execute("delete from pool")
        await site.connection.execute("delete from subnet")
        new = await site.subnet()
        await new.pool(100, 100)
        await site.record(old.no, "subnet")
        await site.record(new.no, "subnet")
        await site.connection.execute("select pg_notify('ipam_change', '')")
    await until("served", lambda: new.no in server.engine.plan.subnets)
    await relay.unanswered(say.discover(mac_of(2)))
    assert drops(server, "exhausted") == 1
    assert (await relay.lease(mac_of(1))).yiaddr == ack.yiaddr


@pytest.mark.own_server
@pytest.mark.parametrize("others", [0, 300], ids=["fewer leases than addresses", "more"])
async def test_a_new_subnet_knows_what_is_leased_in_it(others: int, site: Site, servers: Servers) -> None:
    """Leases outlive their subnet; where it comes again, what runs is not free. Found by address or by leases,
    whichever are fewer."""
    old = await site.subnet(7)
    for number in range(others):
        await site.put_lease(
            f"10.7.{number // 250}.{number % 250 + 1}", octets(mac_of(1000 + number)), old.no
        )
    for last in (100, 101):
        await site.put_lease(f"10.5.0.{last}", octets(mac_of(last)), 99)
    server = await servers.start()
    subnet = await site.subnet()
    async with subnet.change():
        await subnet.pool(100, 102)
    await reloaded(server, subnet)
    relay = servers.relay(server, subnet.relay)
    assert (await relay.lease(mac_of(1))).yiaddr == subnet.address(102)
    await relay.unanswered(say.discover(mac_of(2)))
