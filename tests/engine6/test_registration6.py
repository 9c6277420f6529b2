"""Address registration (RFC 9686): SLAAC hosts show up as leases in state `registered`, which nobody else is given."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

from engine.site import until
from engine6.serving6 import Relay, Servers, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import ADDR_REG_REPLY, Message
from oracle.packets6 import Packet

CLIENT, OTHER = duid(1), duid(2)
ADDR_REG_ENABLE = 148


async def planned(site: Site6, **fields: Any) -> Subnet6:
    subnet = await site.subnet(7, **{"address_registration": True} | fields)
    await subnet.pool(0x100, 0x10F)
    return subnet


def from_itself(subnet: Subnet6, packet: Packet, address: IPv6Address) -> Packet:
    """As the relay next to the host passes it on: its peer is the address."""
    return packet.through(subnet.link, peer=address)


async def register(
    relay: Relay, subnet: Subnet6, address: IPv6Address, client: bytes = CLIENT, valid: int = 7200
) -> Message:
    answer = await relay.ask(from_itself(subnet, say.register(client, address, valid // 2, valid), address))
    assert answer.message_type == ADDR_REG_REPLY
    return answer


async def test_an_address_that_a_host_made_is_stored(site: Site6, servers: Servers) -> None:
    """4.2.1, 4.3: the option comes back as it came, which the oracle checks."""
    subnet = await planned(site)
    relay = servers.relay(await servers.start(), subnet.link)
    address = subnet.address(0xABCDEF)
    await register(relay, subnet, address)
    lease = await site.lease(address)
    assert (lease["state"], lease["duid"], lease["preferred_lifetime"]) == ("i", CLIENT, 3600)
    assert (lease["expires_at"] - lease["renewed_at"]).total_seconds() == 7200
    assert lease["subnet_no"] == subnet.no
    assert [event["kind"] for event in await site.events(address)] == ["i"]
    await register(relay, subnet, address, valid=600)
    again = await site.lease(address)
    assert again["granted_at"] == lease["granted_at"]
    assert (again["expires_at"] - again["renewed_at"]).total_seconds() == 600


async def test_a_registered_address_is_offered_to_nobody(site: Site6, servers: Servers) -> None:
    """Section 4.2.1; the last address of a pool."""
    subnet = await planned(site)
    await site.connection.execute("update pool set end_ip = $1", subnet.address(0x101))
    relay = servers.relay(await servers.start(), subnet.link)
    await register(relay, subnet, subnet.address(0x100))
    assert leases(await relay.lease(OTHER)) == [str(subnet.address(0x101))]


async def test_it_is_known_after_a_restart_and_to_other_servers(site: Site6, servers: Servers) -> None:
    subnet = await planned(site)
    await site.connection.execute("update pool set end_ip = $1", subnet.address(0x101))
    relay = servers.relay(await servers.start(), subnet.link)
    await register(relay, subnet, subnet.address(0x100))
    second = servers.relay(await servers.start(), subnet.link)
    patient = say.solicit(OTHER).ia_na(1).without(8).elapsed(200)
    assert leases(await second.advertise(patient)) == [str(subnet.address(0x101))]


async def test_a_registration_ends_with_its_lifetime(site: Site6, servers: Servers) -> None:
    subnet = await planned(site)
    await site.connection.execute("update pool set end_ip = start_ip")
    relay = servers.relay(await servers.start(), subnet.link)
    await register(relay, subnet, subnet.address(0x100), valid=1)

    async def is_free() -> bool:
        return bool(leases(await relay.advertise(say.solicit(OTHER).ia_na(1))))

    await until("free", is_free)


async def test_one_host_takes_the_address_over_from_another(site: Site6, servers: Servers) -> None:
    """Only one can use it on a link, so the last who says so does."""
    subnet = await planned(site)
    relay = servers.relay(await servers.start(), subnet.link)
    address = subnet.address(0xABC)
    await register(relay, subnet, address)
    await register(relay, subnet, address, client=OTHER)
    assert (await site.lease(address))["duid"] == OTHER


async def test_a_lease_is_not_overwritten(site: Site6, servers: Servers) -> None:
    """The host is told that it was heard (section 4.3), and the lease stands."""
    subnet = await planned(site)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    (leased,) = leases(await relay.lease(OTHER))
    before = await site.lease(leased)
    await register(relay, subnet, IPv6Address(leased))
    assert await site.lease(leased) == before


async def test_what_is_discarded(site: Site6, servers: Servers) -> None:
    """4.2.1: another's address; one that is not of the link; and a subnet that does not want it."""
    subnet = await planned(site)
    silent = await site.subnet(8)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    address = subnet.address(0xABC)
    await relay.unanswered(from_itself(subnet, say.register(CLIENT, address), subnet.address(0xABD)))
    elsewhere = silent.address(0xABC)
    await relay.unanswered(from_itself(subnet, say.register(CLIENT, elsewhere), elsewhere))
    await relay.unanswered(from_itself(silent, say.register(CLIENT, elsewhere), elsewhere))
    assert server.counters()["drops"]["anothers_address"] == 1
    assert server.counters()["drops"]["no_registration"] == 2


async def test_who_asks_is_told_that_hosts_may_register(site: Site6, servers: Servers) -> None:
    """Section 4.4: option 148, empty."""
    subnet = await planned(site)
    await site.subnet(8)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    told = await relay.reply(say.information_request(CLIENT).asking(ADDR_REG_ENABLE))
    assert (ADDR_REG_ENABLE, b"") in told.options
    unasked = await relay.reply(say.information_request(CLIENT))
    assert ADDR_REG_ENABLE not in dict(unasked.options)
    other = servers.relay(server, "2001:db8:8::1")
    off = await other.reply(say.information_request(CLIENT).asking(ADDR_REG_ENABLE))
    assert ADDR_REG_ENABLE not in dict(off.options)
