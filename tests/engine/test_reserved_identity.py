"""A reservation follows its identity (decisions: Reservations): whoever has it is never another client.

The machine starts as PXE ROM, installer and system, or gets another card, and asks with other client ids or addresses.
The newest association takes the reserved address over; the one before it ends in the same statement.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, octets, reloaded, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.boot_clients import UUID
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC, OTHER = mac_of(1), mac_of(2)
DUID = bytes.fromhex("0004") + UUID
LATER_DUID = bytes.fromhex("000100012a3b4c5d525400123456")


@dataclass
class Who:
    """A client as it asks: its card, its client id, and what the relay says of its line."""

    mac: str = MAC
    client_id: bytes | None = None
    circuit: str = ""
    remote: str = ""
    subscriber: str = ""

    def tells(self, packet: Packet) -> Packet:
        if self.client_id is not None:
            packet = packet.client_id(self.client_id)
        for code, text in ((1, self.circuit), (2, self.remote), (6, self.subscriber)):
            packet = packet.suboption(code, text) if text else packet
        return packet

    @property
    def discover(self) -> Packet:
        return self.tells(say.discover(self.mac))

    def renewing(self, address: object) -> Packet:
        return self.tells(say.request_renewing(self.mac, address))

    def init_reboot(self, address: object) -> Packet:
        return self.tells(say.request_init_reboot(self.mac, address))


def rfc4361(iaid: int, duid: bytes) -> bytes:
    return b"\xff" + iaid.to_bytes(4) + duid


ROM = Who(client_id=b"\0" + UUID)
INSTALLER = Who(client_id=b"\1" + octets(MAC))
SYSTEM = Who(client_id=rfc4361(1, LATER_DUID))
BARE = Who()
NAMED = b"\0press-7"

# What the reservation is for, and the clients that have it, one after the other.
CASES: dict[str, tuple[dict[str, Any], tuple[Who, ...]]] = {
    "MAC": ({"mac": MAC}, (ROM, INSTALLER, SYSTEM, BARE)),
    "client id": ({"client_id": NAMED}, (Who(MAC, NAMED), Who(OTHER, NAMED), Who(mac_of(3), NAMED))),
    "DUID": (
        {"duid": DUID},
        tuple(Who(mac, rfc4361(iaid, DUID)) for mac, iaid in ((MAC, 1), (MAC, 2), (OTHER, 2), (MAC, 2))),
    ),
    "circuit": (
        {"circuit_id": b"port 7"},
        (Who(MAC, None, "port 7"), Who(OTHER, NAMED, "port 7"), Who(mac_of(3), None, "port 7")),
    ),
    "remote": ({"remote_id": b"modem 7"}, (Who(MAC, remote="modem 7"), Who(OTHER, NAMED, remote="modem 7"))),
    "subscriber": (
        {"subscriber_id": b"smith"},
        (Who(MAC, circuit="a", subscriber="smith"), Who(OTHER, NAMED, circuit="b", subscriber="smith")),
    ),
    "MAC and line": ({"mac": MAC, "circuit_id": b"port 7"}, (ROM, Who(OTHER, NAMED, "port 7"), SYSTEM)),
}


async def serve(
    site: Site, servers: Servers, identity: dict[str, Any], **fields: Any
) -> tuple[Subnet, Relay]:
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    await subnet.reserve(20, **identity)
    return subnet, servers.relay(await servers.start(), subnet.relay)


async def lease(relay: Relay, who: Who) -> Any:
    """DISCOVER to ACK: the address."""
    offer = await relay.offer(who.discover)
    request = who.tells(say.request_selecting(who.mac, offer.yiaddr, server_id(offer)))
    return (await relay.ack(request)).yiaddr


async def history(site: Site, address: object) -> list[str]:
    rows = await site.connection.fetch(
        "select kind::text from lease_event where address = $1 order by version", str(address)
    )
    return [row["kind"] for row in rows]


@pytest.mark.parametrize("match_client_id", [False, True])
@pytest.mark.parametrize("name", CASES)
async def test_each_client_with_the_identity_gets_the_address(
    name: str, match_client_id: bool, site: Site, servers: Servers
) -> None:
    """At once and for the usual time, while the lease of the one before runs on; twice round."""
    identity, clients = CASES[name]
    subnet, relay = await serve(site, servers, identity, match_client_id=match_client_id)
    for who in clients * 2:
        offer = await relay.offer(who.discover)
        assert (offer.yiaddr, offer.options[51]) == (subnet.address(20), (600).to_bytes(4))
        assert await lease(relay, who) == subnet.address(20)
        await relay.ack(who.renewing(subnet.address(20)))
    row = await site.lease(subnet.address(20))
    assert (row["state"], row["hw_address"]) == ("a", octets(clients[-1].mac))
    held = "select count(*) from lease where state = 'a' and subnet_no = $1"
    assert await site.connection.fetchval(held, subnet.no) == 1


async def test_the_lease_before_ends_with_the_grant(site: Site, servers: Servers) -> None:
    """In one statement, so that no moment of the address's history has two clients or none; its time is cut."""
    subnet, relay = await serve(site, servers, {"mac": MAC}, match_client_id=True)
    for who in (ROM, SYSTEM):
        await lease(relay, who)
    events = await site.connection.fetch(
        "select kind::text, client_id, expires_at, at from lease_event where address = $1 order by version",
        str(subnet.address(20)),
    )
    assert [(row["kind"], row["client_id"]) for row in events] == [
        ("g", ROM.client_id),
        ("v", ROM.client_id),
        ("g", SYSTEM.client_id),
    ]
    assert events[1]["expires_at"] == events[1]["at"] == events[2]["at"]


async def test_a_system_that_boots_asks_for_its_address_again(site: Site, servers: Servers) -> None:
    """INIT-REBOOT after the boot loader took the address over: acknowledged, without a DISCOVER in between."""
    subnet, relay = await serve(site, servers, {"mac": MAC}, match_client_id=True)
    for _ in range(3):
        await lease(relay, ROM)
        ack = await relay.ack(SYSTEM.init_reboot(subnet.address(20)))
        assert (ack.yiaddr, ack.options[51]) == (subnet.address(20), (600).to_bytes(4))
        assert (await site.lease(subnet.address(20)))["client_id"] == SYSTEM.client_id


async def test_the_client_that_lost_the_address_hears_so(site: Site, servers: Servers) -> None:
    """RENEWING goes on with a lease that ended: NAK. The client begins again, and takes the address over."""
    subnet, relay = await serve(site, servers, {"mac": MAC}, match_client_id=True)
    await lease(relay, ROM)
    await lease(relay, SYSTEM)
    await relay.nak(ROM.renewing(subnet.address(20)))
    assert (await site.lease(subnet.address(20)))["client_id"] == SYSTEM.client_id
    assert await lease(relay, ROM) == subnet.address(20)


async def test_two_machines_do_not_fight_for_ever(site: Site, servers: Servers) -> None:
    """Two that renew what the other one took are alive: from the second time within the hour on the holder keeps it."""
    identity = {"circuit_id": b"port 7"}
    one, two = Who(MAC, circuit="port 7"), Who(OTHER, circuit="port 7")
    subnet, relay = await serve(site, servers, identity)
    await lease(relay, one)
    assert await lease(relay, two) == subnet.address(20)
    await relay.nak(one.renewing(subnet.address(20)))
    assert await lease(relay, one) == subnet.address(20)
    await relay.nak(two.renewing(subnet.address(20)))
    other = await lease(relay, two)
    assert subnet.address(100) <= other <= subnet.address(199)
    for _ in range(3):
        await relay.ack(one.renewing(subnet.address(20)))
        await relay.ack(two.renewing(other))


async def test_the_lease_of_a_stranger_is_waited_for(site: Site, servers: Servers) -> None:
    """A client that had the address before it was reserved keeps it until it renews; the owner waits in the pool."""
    subnet = await site.subnet(match_client_id=True)
    await subnet.pool(100, 199)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    stranger = Who(OTHER, b"\0stranger")
    address = await lease(relay, stranger)
    async with subnet.change():
        await subnet.reserve(int(address) & 255, mac=MAC)
    await reloaded(server, subnet)
    for who in (ROM, SYSTEM):
        offer = await relay.offer(who.discover)
        assert (offer.yiaddr != address, offer.options[51]) == (True, (120).to_bytes(4))
    await relay.nak(stranger.renewing(address))
    await asyncio.sleep(1)  # by the second
    assert await lease(relay, SYSTEM) == address


async def test_another_server_and_a_restarted_one(site: Site, servers: Servers) -> None:
    """They know the row in brief or by the feed, and ask it whose it is."""
    subnet, relay = await serve(site, servers, {"mac": MAC}, match_client_id=True)
    await lease(relay, ROM)
    later = servers.relay(await servers.start(), subnet.relay)
    assert await lease(later, SYSTEM) == subnet.address(20)
    assert await lease(relay, INSTALLER) == subnet.address(20)
    await later.nak(SYSTEM.renewing(subnet.address(20)))
    assert await history(site, subnet.address(20)) == ["g", "v", "g", "v", "g"]


async def test_two_interfaces_of_a_machine_do_not_take_it_from_each_other(
    site: Site, servers: Servers
) -> None:
    """RFC 4361 6.1: a DUID names the machine, an IAID with its own card one of its interfaces."""
    subnet, relay = await serve(site, servers, {"duid": DUID})
    wired, wireless = Who(MAC, rfc4361(1, DUID)), Who(OTHER, rfc4361(2, DUID))
    assert await lease(relay, wired) == subnet.address(20)
    assert await lease(relay, wireless) != subnet.address(20)
    await relay.ack(wired.renewing(subnet.address(20)))


async def test_rapid_commit_and_a_shared_network(site: Site, servers: Servers) -> None:
    """The reservation is a sibling's, and the first packet is the whole conversation (RFC 4039)."""
    subnet = await site.subnet(5, shared_network="wire", match_client_id=True, rapid_commit=True)
    sibling = await site.subnet(6, shared_network="wire", match_client_id=True, rapid_commit=True)
    await subnet.pool(100, 199)
    await sibling.reserve(20, mac=MAC)
    relay = servers.relay(await servers.start(), subnet.relay)
    for who in (ROM, SYSTEM, INSTALLER):
        assert (await relay.ack(who.discover.option(80, b""))).yiaddr == sibling.address(20)
    assert (await relay.offer(BARE.discover)).yiaddr == sibling.address(20)
