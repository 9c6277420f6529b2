"""DECLINE of DHCPv6: three addresses of a client (its DUID) and ten of a line within an hour (decisions: DECLINE)."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from engine.site import until
from engine.wire import unrouted
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.options6 import IA_NA

__all__ = ["unrouted"]

OF_CLIENT, OF_LINE, OF_SUBNET = 3, 10, 100


@pytest.fixture(params=["bitmap", "hashed"])
async def subnet_of_either(site: Site6, request: pytest.FixtureRequest) -> Subnet6:
    subnet = await site.subnet()
    if request.param == "hashed":
        await subnet.whole_pool()
    else:
        await subnet.pool(0x100, 0x1FF)
    return subnet


async def quarantined(site: Site6) -> int:
    query = "select count(*) from lease where tenant_no = $1 and state = 'd' and reuse_at > now()"
    return int(await site.connection.fetchval(query, site.tenant_no))


async def is_ended(site: Site6, address: Any) -> bool:
    return (await site.lease(address)).get("state") == "d"


async def declined(
    relay: Relay, site: Site6, client: bytes, iaid: int = 1, line: bytes = b"", outer: bytes = b""
) -> str:
    """The address that the association got and declined. `outer`: of a second relay around the first."""

    def through(packet: say.Packet) -> say.Packet:
        for name in filter(None, (line, outer)):
            packet = packet.through(relay.link).at_interface(name)
        return packet

    offer = await relay.advertise(through(say.solicit(client).ia_na(iaid)))
    got = await relay.reply(through(chosen(say.request(client, relay.server_id), offer)))
    (address,) = leases(got)
    await relay.reply(through(say.decline(client, relay.server_id).ia_na(iaid, address)))
    assert await is_ended(site, address)
    return address


async def test_one_client_takes_three_whatever_its_associations(
    site: Site6, servers: Servers, subnet_of_either: Subnet6
) -> None:
    """Afterwards it is offered none that it has declined; others are."""
    relay = servers.relay(await servers.start(), subnet_of_either.link)
    got = [await declined(relay, site, duid(1), iaid=n) for n in range(1, 4)]
    got += [await declined(relay, site, duid(1), iaid=1) for _ in range(4)]
    assert len(set(got)) == 7
    assert await quarantined(site) == OF_CLIENT
    for n, address in enumerate(got[OF_CLIENT:], 20):
        row = await site.lease(address)
        assert row["reuse_at"] == row["expires_at"]
        assert leases(await relay.advertise(say.solicit(duid(n)).ia_na(1, address))) == [address]
        assert leases(await relay.advertise(say.solicit(duid(1)).ia_na(1, address)))[0] not in got


async def test_the_next_start_knows(site: Site6, servers: Servers, subnet_of_either: Subnet6) -> None:
    relay = servers.relay(await servers.start(), subnet_of_either.link)
    got = [await declined(relay, site, duid(1)) for _ in range(5)]
    server = await servers.start()
    await until("read in full", lambda: not server.counters()["pages_to_read"])
    got.append(await declined(servers.relay(server, subnet_of_either.link), site, duid(1)))
    assert len(set(got)) == 6
    assert await quarantined(site) == OF_CLIENT


async def test_a_line_takes_ten(site: Site6, servers: Servers, subnet_of_either: Subnet6) -> None:
    """By the interface-id, else by the relay, however many clients there seem to be."""
    relay = servers.relay(await servers.start(), subnet_of_either.link)
    for n in range(13):
        await declined(relay, site, duid(100 + n), line=b"eth1/3")
    assert await quarantined(site) == OF_LINE
    for n in range(13):
        await declined(relay, site, duid(200 + n))
    assert await quarantined(site) == 2 * OF_LINE


async def test_a_subnet_takes_a_hundred_whatever_clients_put_around(site: Site6, servers: Servers) -> None:
    """Each message comes in a Relay-forward that its client made, with an interface-id of its own."""
    subnet = await site.subnet()
    await subnet.whole_pool()
    relay = servers.relay(await servers.start(), subnet.link)
    for n in range(OF_SUBNET + 5):
        await declined(relay, site, duid(1000 + n), line=b"made up %d" % n, outer=b"eth1/3")
    assert await quarantined(site) == OF_SUBNET


async def test_a_message_that_is_sent_again_counts_once(
    site: Site6, servers: Servers, subnet_of_either: Subnet6
) -> None:
    relay = servers.relay(await servers.start(), subnet_of_either.link)
    for _ in range(OF_CLIENT):
        address = await declined(relay, site, duid(1))
        for _ in range(3):
            await relay.reply(say.decline(duid(1), relay.server_id).ia_na(1, address))
    assert await quarantined(site) == OF_CLIENT
    await declined(relay, site, duid(1))
    assert await quarantined(site) == OF_CLIENT


@pytest.mark.peer("namespaces")
@pytest.mark.usefixtures("unrouted")
async def test_the_oldest_comes_back_where_nothing_else_is_left(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(0x100, 0x102)
    for last, ago in ((0x100, 2000.0), (0x101, 4000.0), (0x102, 3000.0)):
        key = association_key(IA_NA, 1, duid(last))
        times = {"expires_at": -ago, "reuse_at": 80_000.0}
        await site.put_lease(subnet.address(last), key, subnet.no, state="d", **times)
    relay = servers.relay(await servers.start(), subnet.link)

    async def given() -> list[str]:
        return leases(await relay.ask(say.solicit(duid(1)).ia_na(1)))

    found = await until("given", given)
    assert IPv6Address(found[0]) == subnet.address(0x101)
    assert await is_ended(site, subnet.address(0x100))
