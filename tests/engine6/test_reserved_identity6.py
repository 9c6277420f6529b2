"""A reservation follows its identity in DHCPv6 (decisions: Reservations); see engine/test_reserved_identity.py.

UEFI, installer and system of a machine have a DUID and an IAID each; the relay tells one MAC of them all (RFC 6939).
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Network
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.boot_clients import UUID
from oracle.message6 import Message
from oracle.options6 import NO_BINDING
from oracle.packets6 import Packet

pytestmark = pytest.mark.shared_server

MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:02"
REMOTE, SUBSCRIBER = 37, 38
PREFIX = "2001:db8:ff00::/60"


@dataclass
class Who:
    """A client as it asks: its DUID and association, and what its relay says."""

    duid: bytes
    iaid: int = 1
    mac: str = MAC
    port: str = ""
    remote: bytes = b""
    subscriber: bytes = b""
    prefix: bool = False

    def through(self, relay: Relay, packet: Packet) -> Packet:
        packet = packet.through(relay.link)
        packet = packet.from_hardware(self.mac) if self.mac else packet
        packet = packet.at_interface(self.port) if self.port else packet
        packet = packet.relay_option(REMOTE, b"\0\0\x01\x37" + self.remote) if self.remote else packet
        return packet.relay_option(SUBSCRIBER, self.subscriber) if self.subscriber else packet

    def association(self, packet: Packet, *named: str) -> Packet:
        return packet.ia_pd(self.iaid, *named) if self.prefix else packet.ia_na(self.iaid, *named)

    async def lease(self, relay: Relay) -> Message:
        offer = await relay.advertise(self.through(relay, self.association(say.solicit(self.duid))))
        request = self.association(say.request(self.duid, relay.server_id), *held(offer))
        return await relay.reply(self.through(relay, request))

    async def renew(self, relay: Relay, *named: str) -> Message:
        return await relay.reply(
            self.through(relay, self.association(say.renew(self.duid, relay.server_id), *named))
        )

    async def rebind(self, relay: Relay, *named: str) -> Message:
        return await relay.reply(self.through(relay, self.association(say.rebind(self.duid), *named)))


def held(answer: Message) -> list[str]:
    return [
        f"{lease.address}/{lease.length}" if ia.code == 25 else str(lease.address)
        for ia in answer.associations
        for lease in ia.leases
        if lease.valid
    ]


def valid(answer: Message) -> list[int]:
    return [lease.valid for ia in answer.associations for lease in ia.leases]


UEFI = Who(b"\0\4" + UUID, iaid=0)
INSTALLER = Who(say.duid_llt(MAC, 7), iaid=7)
SYSTEM = Who(b"\0\2\0\0\xab\x11" + bytes(8), iaid=9)

CASES: dict[str, tuple[dict[str, Any], tuple[Who, ...]]] = {
    "MAC": ({"mac": MAC}, (UEFI, INSTALLER, SYSTEM)),
    "MAC of the DUID": (
        {"mac": MAC},
        (Who(say.duid_llt(MAC, 7), mac=""), Who(say.duid_ll(MAC), mac=""), Who(say.duid_llt(MAC, 9), mac="")),
    ),
    "DUID": (
        {"duid": duid(1)},
        (Who(duid(1), 1), Who(duid(1), 2), Who(duid(1), 2, OTHER), Who(duid(1), 2)),
    ),
    "interface": (
        {"circuit_id": b"port 7"},
        (Who(duid(1), 1, port="port 7"), Who(duid(2), 1, OTHER, port="port 7")),
    ),
    "remote id": (
        {"remote_id": b"modem 7"},
        (Who(duid(1), 1, remote=b"modem 7"), Who(duid(2), 1, OTHER, remote=b"modem 7")),
    ),
    "subscriber id": (
        {"subscriber_id": b"smith"},
        (Who(duid(1), 1, subscriber=b"smith"), Who(duid(2), 1, OTHER, subscriber=b"smith")),
    ),
}


async def serve(
    site: Site6, servers: Servers, identity: dict[str, Any], **reserved: Any
) -> tuple[Subnet6, Relay]:
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x52, **identity, **reserved)
    return subnet, servers.relay(await servers.start(), subnet.link)


@pytest.mark.parametrize("name", CASES)
async def test_each_client_with_the_identity_gets_the_address(
    name: str, site: Site6, servers: Servers
) -> None:
    """At once and for the usual time, while the lease of the one before runs on; twice round."""
    identity, clients = CASES[name]
    subnet, relay = await serve(site, servers, identity)
    address = str(subnet.address(0x52))
    for who in clients * 2:
        reply = await who.lease(relay)
        assert (leases(reply), valid(reply)) == ([address], [800])
        assert leases(await who.renew(relay, address)) == [address]
    row = await site.lease(address)
    assert (row["state"], row["duid"], row["iaid"]) == ("a", clients[-1].duid, clients[-1].iaid)
    active = "select count(*) from lease where state = 'a' and subnet_no = $1"
    assert await site.connection.fetchval(active, subnet.no) == 1


async def test_a_reserved_prefix_follows_too(site: Site6, servers: Servers) -> None:
    """A router that is set up anew has another DUID, and its customers the same prefix."""
    subnet = await site.subnet(7)
    await subnet.reserve_prefix(PREFIX, mac=MAC)
    relay = servers.relay(await servers.start(), subnet.link)
    for who in (UEFI, INSTALLER, SYSTEM) * 2:
        router = Who(who.duid, who.iaid, prefix=True)
        assert held(await router.lease(relay)) == [PREFIX]
        assert held(await router.renew(relay, PREFIX)) == [PREFIX]
    events = await site.events(PREFIX.partition("/")[0])
    assert [row["kind"] for row in events].count("v") == 5


async def test_the_lease_before_ends_with_the_grant(site: Site6, servers: Servers) -> None:
    subnet, relay = await serve(site, servers, {"mac": MAC})
    for who in (UEFI, SYSTEM):
        await who.lease(relay)
    events = await site.events(subnet.address(0x52))
    assert [(row["kind"], row["duid"]) for row in events] == [
        ("g", UEFI.duid),
        ("v", UEFI.duid),
        ("g", SYSTEM.duid),
    ]
    assert events[1]["expires_at"] == events[2]["at"]


async def test_a_system_that_boots_rebinds(site: Site6, servers: Servers) -> None:
    """dhclient and dhcpcd ask for what they had by Rebind, after UEFI took it over."""
    subnet, relay = await serve(site, servers, {"mac": MAC})
    address = str(subnet.address(0x52))
    for _ in range(3):
        await UEFI.lease(relay)
        assert leases(await SYSTEM.rebind(relay, address)) == [address]
        assert (await site.lease(address))["duid"] == SYSTEM.duid


async def test_the_client_that_lost_the_address_hears_so(site: Site6, servers: Servers) -> None:
    """Renew: NoBinding; it begins again and takes the address over."""
    subnet, relay = await serve(site, servers, {"mac": MAC})
    address = str(subnet.address(0x52))
    await UEFI.lease(relay)
    await SYSTEM.lease(relay)
    assert statuses(await UEFI.renew(relay, address)) == [NO_BINDING]
    assert (await site.lease(address))["duid"] == SYSTEM.duid
    assert leases(await UEFI.lease(relay)) == [address]


async def test_two_machines_do_not_fight_for_ever(site: Site6, servers: Servers) -> None:
    one, two = Who(duid(1), port="port 7"), Who(duid(2), mac=OTHER, port="port 7")
    subnet, relay = await serve(site, servers, {"circuit_id": b"port 7"})
    address = str(subnet.address(0x52))
    server = await servers.start()
    await one.lease(relay)
    assert leases(await two.lease(relay)) == [address]
    assert statuses(await one.renew(relay, address)) == [NO_BINDING]
    assert leases(await one.lease(relay)) == [address]
    assert statuses(await two.renew(relay, address)) == [NO_BINDING]
    (other,) = leases(await two.lease(relay))
    assert other != address
    for _ in range(3):
        assert leases(await one.renew(relay, address)) == [address]
        assert leases(await two.renew(relay, other)) == [other]
    await server.watch_pools()
    shared = "select data from event where type = 'client.identity_shared' and tenant_no = $1"
    told = [row["data"] for row in await site.connection.fetch(shared, site.tenant_no)]
    assert [data["identities"] for data in told] == [[one.duid.hex(), two.duid.hex()]]
    assert (told[0]["mac"], told[0]["ip"]) == (MAC, address)


async def test_another_server_and_a_restarted_one(site: Site6, servers: Servers) -> None:
    subnet, relay = await serve(site, servers, {"mac": MAC})
    address = str(subnet.address(0x52))
    await UEFI.lease(relay)
    later = servers.relay(await servers.start(), subnet.link)
    late = Who(SYSTEM.duid, SYSTEM.iaid)
    offer = await later.advertise(
        late.through(later, late.association(say.solicit(late.duid).without(8).elapsed(200)))
    )
    assert held(offer) == [address]
    request = late.association(say.request(late.duid, later.server_id).without(8).elapsed(200), address)
    assert leases(await later.reply(late.through(later, request))) == [address]
    assert [row["kind"] for row in await site.events(address)] == ["g", "v", "g"]


async def test_address_and_prefix_of_one_message(site: Site6, servers: Servers) -> None:
    """Both are under the key of the machine's former system; both are taken over by one Solicit and Request."""
    subnet, relay = await serve(site, servers, {"mac": MAC}, prefix=IPv6Network(PREFIX))
    for who in (UEFI, INSTALLER, SYSTEM):
        solicit = say.solicit(who.duid).ia_na(who.iaid).ia_pd(who.iaid + 1)
        offer = await relay.advertise(who.through(relay, solicit))
        assert held(offer) == [str(subnet.address(0x52)), PREFIX]
        request = say.request(who.duid, relay.server_id)
        request = request.ia_na(who.iaid, held(offer)[0]).ia_pd(who.iaid + 1, held(offer)[1])
        assert held(await relay.reply(who.through(relay, request))) == held(offer)
