"""DECLINE: three addresses of a client and ten of a line an hour are put out of service (decisions: DECLINE)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from functools import partial
from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.serving import Relay, Servers, cached, drops, mac_of, octets, server_id
from engine.site import Site, Subnet, until
from engine.wire import Wire, unrouted
from oracle import packets as say
from oracle.decisions4 import Declines
from oracle.packets import Packet
from system.namespaces import Network

from dhcp_fast.database.leases import echo, reclaim
from dhcp_fast.server.serving import Serving

__all__ = ["unrouted"]

MAC = mac_of(1)
OF_CLIENT, OF_LINE, OF_SUBNET = 3, 10, 100
STORM = "pool.decline_storm"
Dress = Callable[[Packet], Packet]


def plain(packet: Packet) -> Packet:
    return packet


def on_line(name: str) -> Dress:
    return lambda packet: packet.circuit(name.encode())


@pytest.fixture
async def wide(site: Site) -> Subnet:
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    return subnet


async def quarantined(site: Site) -> int:
    query = "select count(*) from lease where tenant_no = $1 and state = 'd' and reuse_at > now()"
    return int(await site.connection.fetchval(query, site.tenant_no))


async def is_ended(site: Site, address: IPv4Address) -> bool:
    return (await site.lease(address))["state"] == "d"


async def declined(relay: Relay, site: Site, mac: str, dress: Dress = plain) -> IPv4Address:
    """The address that the client got and declined."""
    offer = await relay.offer(dress(say.discover(mac)))
    ack = await relay.ack(dress(say.request_selecting(mac, offer.yiaddr, server_id(offer))))
    relay.send(dress(say.decline(mac, ack.yiaddr, server_id(ack))))
    await until("declined", lambda: is_ended(site, ack.yiaddr))
    return IPv4Address(ack.yiaddr)


async def storms(site: Site) -> list[dict[str, Any]]:
    return [
        row["data"] for row in await site.connection.fetch("select data from event where type = $1", STORM)
    ]


def noticed(server: Serving, name: str) -> int:
    return int(server.counters()["noticed"].get(name, 0))


async def test_one_client_takes_three(site: Site, servers: Servers, wide: Subnet) -> None:
    """What it declines afterwards stays in service for others, and is not offered to it."""
    server = await servers.start()
    relay = servers.relay(server, wide.relay)
    refused = noticed(server, "decline_refused")
    got = [await declined(relay, site, MAC) for _ in range(8)]
    assert len(set(got)) == 8
    assert await quarantined(site) == OF_CLIENT
    assert noticed(server, "decline_refused") - refused == 8 - OF_CLIENT
    for n, address in enumerate(got[OF_CLIENT:], 20):
        row = await site.lease(address)
        assert row["reuse_at"] == row["expires_at"]
        assert (await relay.offer(say.discover(mac_of(n)).requesting(address))).yiaddr == address
        assert (await relay.offer(say.discover(MAC).requesting(address))).yiaddr not in got


async def test_the_next_start_and_other_servers_know(site: Site, servers: Servers, wide: Subnet) -> None:
    first = await servers.start()
    relay = servers.relay(first, wide.relay)
    got = [await declined(relay, site, MAC) for _ in range(5)]
    for server in (await servers.start(dhcp4_ping_ms=500), await servers.start(dhcp4_ping_ms=501)):
        await until("read in full", lambda server=server: not server.counters()["pages_to_read"])
        await until("known", lambda server=server: known(server, site, got[-1]))
        other = servers.relay(server, wide.relay)
        assert (await other.offer(say.discover(MAC).requesting(got[-1]))).yiaddr not in got
        got.append(await declined(other, site, MAC))
        assert await quarantined(site) == OF_CLIENT


async def test_a_line_takes_ten_whatever_its_clients_are_called(
    site: Site, servers: Servers, wide: Subnet
) -> None:
    relay = servers.relay(await servers.start(), wide.relay)
    for n in range(14):
        await declined(relay, site, mac_of(100 + n), on_line("eth1/3"))
    assert await quarantined(site) == OF_LINE
    await declined(relay, site, mac_of(200), on_line("eth1/4"))
    assert await quarantined(site) == OF_LINE + 1


async def test_without_a_circuit_the_relay_is_the_line(site: Site, servers: Servers, wide: Subnet) -> None:
    relay = servers.relay(await servers.start(), wide.relay)
    for n in range(14):
        await declined(relay, site, mac_of(100 + n))
    assert await quarantined(site) == OF_LINE


async def test_a_line_counts_what_other_servers_saw(site: Site, servers: Servers, wide: Subnet) -> None:
    one, two = await servers.start(), await servers.start()
    relays = [servers.relay(server, wide.relay) for server in (one, two)]
    for n in range(14):
        address = await declined(relays[n % 2], site, mac_of(100 + n), on_line("eth1/3"))
        for server in (one, two):
            await until("known", lambda server=server, address=address: known(server, site, address))
    assert await quarantined(site) == OF_LINE


async def test_a_subnet_takes_a_hundred_whatever_lines_are_named(site: Site, servers: Servers) -> None:
    """On two servers; a client with every line of its own gets no further with the second."""
    subnet = await site.subnet()
    await subnet.pool(10, 240)
    both = await servers.start(dhcp4_ping_ms=0), await servers.start(dhcp4_ping_ms=0)
    relays = [servers.relay(server, subnet.relay) for server in both]
    for n in range(OF_SUBNET + 5):
        address = await declined(relays[n % 2], site, mac_of(100 + n), on_line(f"eth{n}"))
        for server in both:
            await until("known", lambda server=server, address=address: known(server, site, address))
    assert await quarantined(site) == OF_SUBNET


def known(server: Serving, site: Site, address: IPv4Address) -> bool:
    return (cached(server, site.tenant_no, address) or {}).get("state") == "d"


async def test_many_at_once_take_no_more(site: Site, servers: Servers, wide: Subnet) -> None:
    """In one batch, before the database has said anything."""
    relay = servers.relay(await servers.start(), wide.relay)
    line = on_line("eth1/3")
    held = [
        (mac_of(100 + n), await relay.lease(mac_of(100 + n), line(say.discover(mac_of(100 + n)))))
        for n in range(30)
    ]
    for mac, ack in held:
        relay.send(line(say.decline(mac, ack.yiaddr, server_id(ack))))
    await until("declined", lambda: all_ended(site, [ack.yiaddr for _, ack in held]))
    assert await quarantined(site) == OF_LINE


async def all_ended(site: Site, addresses: list[Any]) -> bool:
    return all([await is_ended(site, address) for address in addresses])


@pytest.mark.parametrize("seed", range(3))
async def test_any_sequence_marks_what_the_oracle_marks(
    site: Site, servers: Servers, wide: Subnet, seed: int
) -> None:
    """Some clients on some lines, in any order."""
    relay, draw, oracle = servers.relay(await servers.start(), wide.relay), random.Random(seed), Declines()
    for _ in range(35):
        client, line = mac_of(draw.randrange(1, 8)), draw.choice(["eth1/1", "eth1/2"])
        marked = oracle.mark(0, client, line)
        row = await site.lease(await declined(relay, site, client, on_line(line)))
        assert (row["reuse_at"] > row["expires_at"]) == marked
    assert await quarantined(site) == len(oracle.marked)


async def test_what_the_database_refuses_does_not_count(site: Site, servers: Servers, wide: Subnet) -> None:
    """Declines of others' leases cost nobody a place: neither who is named nor who sends."""
    server = await servers.start()
    relay = servers.relay(server, wide.relay)
    ack = await relay.lease(mac_of(9))
    before = drops(server, "refused_row")
    for _ in range(12):
        relay.send(say.decline(MAC, ack.yiaddr, server_id(ack)))
    await until("refused", lambda: drops(server, "refused_row") - before == 12)
    for _ in range(OF_CLIENT):
        await declined(relay, site, MAC)
    assert await quarantined(site) == OF_CLIENT


async def test_after_an_hour_it_may_again(site: Site, servers: Servers, wide: Subnet) -> None:
    for n in range(OF_CLIENT):
        times = {"expires_at": -3605.0, "reuse_at": 80_000.0}
        await site.put_lease(wide.address(100 + n), octets(MAC), wide.no, state="d", **times)
    relay = servers.relay(await servers.start(), wide.relay)
    for _ in range(OF_CLIENT + 1):
        await declined(relay, site, MAC)
    assert await quarantined(site) == 2 * OF_CLIENT


async def test_a_storm_is_told_once_an_hour(site: Site, servers: Servers, wide: Subnet) -> None:
    server = await servers.start()
    relay = servers.relay(server, wide.relay)
    for _ in range(OF_CLIENT):
        await declined(relay, site, MAC)
    await server.watch_pools()
    assert await storms(site) == []
    last = None
    for _ in range(3):
        last = last or await declined(relay, site, MAC)
        await declined(relay, site, MAC)
        await server.watch_pools()
    (told,) = await storms(site)
    assert (told["ip"], told["start_ip"], told["cidr"]) == (
        str(last),
        str(wide.address(100)),
        str(wide.network),
    )
    await site.connection.execute("update pool_alert set since = now() - interval '61 minutes'")
    await declined(relay, site, MAC)
    await server.watch_pools()
    assert len(await storms(site)) == 2


async def test_a_released_quarantine_is_over(site: Site, servers: Servers) -> None:
    """As POST /leases/{id}/release ends it; the client itself may have the address again."""
    subnet = await site.subnet()
    await subnet.pool(100, 101, allocation="sequential")
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    address = await declined(relay, site, MAC)
    version = (await site.lease(address))["version"]
    ended = await reclaim.SQL.end_quarantines(
        site.connection, tenants=[site.tenant_no], addresses=[address], versions=[version]
    )
    assert ended == 1
    await until("known", lambda: (cached(server, site.tenant_no, address) or {}).get("state") == "r")
    assert (await relay.lease(MAC)).yiaddr == address
    assert [event["kind"] for event in await site.events(address)] == ["g", "d", "r", "g"]


# --- a pool that has nothing else left


@pytest.fixture(scope="module")
def joined() -> Iterator[Wire]:
    with Network() as network:
        wire = Wire.create(network)
        yield wire
        wire.close()


async def put_declined(site: Site, subnet: Subnet, last: int, seconds_ago: float) -> None:
    times = {"expires_at": -seconds_ago, "reuse_at": 80_000.0}
    await site.put_lease(subnet.address(last), octets(mac_of(last)), subnet.no, state="d", **times)


@pytest.mark.peer("namespaces")
async def test_the_oldest_that_are_silent_come_back(
    site: Site, servers: Servers, joined: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pinged on the wire: one that answers stays where it is, as does what was declined a moment ago."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 103)
    for last, ago in ((100, 4000), (101, 3000), (102, 2000), (103, 2)):
        await put_declined(site, subnet, last, ago)
    joined.answer(subnet.address(100))
    monkeypatch.setattr(echo, "ask", partial(echo.ask, opened=joined.near_socket.dup(), seconds=0.3))
    relay = servers.relay(await servers.start(), subnet.relay)
    offers = {(await relay.offer_in_time(mac_of(n))).yiaddr for n in (1, 2)}
    assert offers == {subnet.address(101), subnet.address(102)}
    for last in (100, 103):
        assert await is_ended(site, subnet.address(last))
    joined.clear()


@pytest.mark.peer("namespaces")
async def test_addresses_in_use_do_not_stand_before_others(
    site: Site, servers: Servers, joined: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More devices answer than are pinged at a look; what was declined after them is silent."""
    subnet, used = await site.subnet(5), reclaim.AT_ONCE + 1
    await subnet.pool(100, 100 + used)
    for n in range(used + 1):
        await put_declined(site, subnet, 100 + n, 4000 - n)
    joined.answer(*(subnet.address(100 + n) for n in range(used)))
    monkeypatch.setattr(echo, "ask", partial(echo.ask, opened=joined.near_socket.dup(), seconds=0.3))
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer_in_time(MAC)).yiaddr == subnet.address(100 + used)
    assert await quarantined(site) == used
    joined.clear()


@pytest.mark.peer("namespaces")
@pytest.mark.usefixtures("unrouted")
async def test_without_a_ping_the_oldest_alone_comes_back(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 102)
    for last, ago in ((100, 2000), (101, 4000), (102, 3000)):
        await put_declined(site, subnet, last, ago)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer_in_time(MAC)).yiaddr == subnet.address(101)
    for last in (100, 102):
        assert await is_ended(site, subnet.address(last))


async def test_where_something_is_free_all_stay(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 101)
    await put_declined(site, subnet, 100, 4000)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.lease(MAC)).yiaddr == subnet.address(101)
    await asyncio.sleep(0.5)
    assert await is_ended(site, subnet.address(100))


async def test_one_client_cannot_empty_a_pool(site: Site, servers: Servers) -> None:
    """As in the review: whatever it declines, the next client gets an address."""
    subnet = await site.subnet()
    await subnet.pool(100, 105)
    relay = servers.relay(await servers.start(), subnet.relay)
    for _ in range(6):
        await declined(relay, site, MAC)
    await relay.unanswered(say.discover(MAC))
    for n in range(2, 5):
        assert (await relay.lease(mac_of(n))).yiaddr
