"""Who a client is (decisions: Reservations): the MAC, or option 61 where the subnet says so."""

from typing import Any

import pytest
from engine.serving import Relay, Servers, drops, mac_of, octets, reloaded
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
LOADER = say.discover(MAC)
SYSTEM = say.discover(MAC).client_id(b"\xff\x00\x00\x00\x01\x00\x02\x00\x00\xab\x11")


async def serve(site: Site, servers: Servers, **fields: Any) -> tuple[Subnet, Serving, Relay]:
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    server = await servers.start()
    return subnet, server, servers.relay(server, subnet.relay)


async def test_a_boot_loader_and_its_system_share_an_address(site: Site, servers: Servers) -> None:
    """MAC first, so that a PXE loader, an installer and the system get one address."""
    _, _, relay = await serve(site, servers)
    loader = await relay.lease(MAC, LOADER)
    system = await relay.lease(MAC, SYSTEM)
    assert loader.yiaddr == system.yiaddr
    assert (await site.lease(system.yiaddr))["client_key"] == b"\x01\x01" + octets(MAC)


async def test_option_61_separates_leases_of_one_mac(site: Site, servers: Servers) -> None:
    """A subnet's match_client_id lets option 61 separate leases of one MAC."""
    _, _, relay = await serve(site, servers, match_client_id=True)
    loader = await relay.lease(MAC, LOADER)
    system = await relay.lease(MAC, SYSTEM)
    assert loader.yiaddr != system.yiaddr
    assert (await site.lease(system.yiaddr))["client_key"] == b"\x02" + dict(SYSTEM.options)[61]


async def test_a_client_id_used_by_two_machines_is_two_clients(site: Site, servers: Servers) -> None:
    """By MAC, a copied virtual machine with the client id of its original is another client."""
    subnet, server, relay = await serve(site, servers, match_client_id=True)
    first = await relay.lease(MAC, SYSTEM)
    async with subnet.change():
        await subnet.set(match_client_id=False)
    await reloaded(server, subnet)
    copy = say.discover(mac_of(2)).client_id(dict(SYSTEM.options)[61])
    assert (await relay.lease(mac_of(2), copy)).yiaddr != first.yiaddr


@pytest.mark.parametrize("before", [False, True])
async def test_a_change_of_match_client_id_recognises_the_old_key(
    before: bool, site: Site, servers: Servers
) -> None:
    """It recognises the old key until leases are renewed; then the row bears the new one."""
    subnet, server, relay = await serve(site, servers, match_client_id=before)
    lease = await relay.lease(MAC, SYSTEM)
    async with subnet.change():
        await subnet.set(match_client_id=not before)
    await reloaded(server, subnet)
    assert (await relay.offer(SYSTEM)).yiaddr == lease.yiaddr
    renewing = say.request_renewing(MAC, lease.yiaddr).client_id(dict(SYSTEM.options)[61])
    assert (await relay.ack(renewing)).yiaddr == lease.yiaddr
    key = b"\x01\x01" + octets(MAC) if before else b"\x02" + dict(SYSTEM.options)[61]
    assert (await site.lease(lease.yiaddr))["client_key"] == key


async def test_without_a_hardware_address_the_client_id_counts(site: Site, servers: Servers) -> None:
    _, _, relay = await serve(site, servers)
    nobody = say.message(1, b"").client_id(b"\x00name")
    offer = await relay.offer(nobody)
    request = say.message(3, b"").requesting(offer.yiaddr).server_id("127.0.0.1").client_id(b"\x00name")
    await relay.ack(request)
    assert (await site.lease(offer.yiaddr))["client_key"] == b"\x02\x00name"


async def test_without_any_identity_there_is_no_answer(relay: Relay, server: Serving) -> None:
    """No hardware address: client id, else drop."""
    await relay.unanswered(say.message(1, b""))
    assert drops(server, "no_identity") == 1


async def test_a_hardware_address_of_zeros_is_one_like_any_other(relay: Relay, site: Site) -> None:
    """By its own lease, and refused like any other where the address is another client's."""
    zeros = "00:00:00:00:00:00"
    lease = await relay.lease(zeros)
    assert (await site.lease(lease.yiaddr))["client_key"] == b"\x01\x01" + bytes(6)
    taken = await relay.lease(MAC)
    await relay.nak(say.request_selecting(zeros, taken.yiaddr, "127.0.0.1"))


async def test_a_duid_reservation_is_for_the_client_id_that_holds_the_duid(
    site: Site, servers: Servers
) -> None:
    """RFC 4361 section 6.1: whatever its IAID; a client id of another type that happens to end so is not it."""
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    duid = bytes.fromhex("000102334455")
    await subnet.reserve(30, duid=duid)
    relay = servers.relay(await servers.start(), subnet.relay)
    for iaid in (0x01020304, 7):
        assert (await relay.offer(say.discover(MAC).duid(iaid, duid))).yiaddr == subnet.address(30)
    other = await relay.offer(say.discover(mac_of(2)).client_id(b"\x01\x01\x02\x03\x04" + duid))
    assert other.yiaddr != subnet.address(30)
    bare = await relay.offer(say.discover(mac_of(3)).client_id(b"\xff\0\0\0\1"))
    assert bare.yiaddr != subnet.address(30)
    lease = await relay.lease(MAC, say.discover(MAC).duid(1, duid))
    assert lease.yiaddr == subnet.address(30)


async def test_who_sends_no_client_id_has_no_duid(site: Site, servers: Servers) -> None:
    """In a slot that a client with one had before; nothing of it is looked at."""
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    duid = bytes.fromhex("000102334455")
    await subnet.reserve(30, duid=duid)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.offer(say.discover(MAC).duid(1, duid))
    assert (await relay.offer(say.discover(mac_of(2)))).yiaddr != subnet.address(30)


async def test_a_client_id_reservation_goes_before_one_by_duid(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    duid = bytes.fromhex("000102334455")
    await subnet.reserve(30, duid=duid)
    await subnet.reserve(31, client_id=b"\xff\0\0\0\1" + duid)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(say.discover(MAC).duid(1, duid))).yiaddr == subnet.address(31)
    assert (await relay.offer(say.discover(mac_of(2)).duid(2, duid))).yiaddr == subnet.address(30)


@pytest.mark.parametrize(
    ("identity", "told"),
    [
        ({"mac": MAC}, say.discover(MAC)),
        ({"client_id": b"\x00printer"}, say.discover(MAC).client_id(b"\x00printer")),
        ({"circuit_id": b"eth1/3"}, say.discover(MAC).circuit("eth1/3")),
        ({"remote_id": b"modem 3"}, say.discover(MAC).remote("modem 3")),
        ({"subscriber_id": b"smith"}, say.discover(MAC).circuit("eth1/3").suboption(6, "smith")),
    ],
)
async def test_a_reservation_is_found_by_each_identity(
    identity: dict[str, Any], told: Packet, site: Site, servers: Servers
) -> None:
    """What beyond the document's MAC tells who it is; in a shared network by the reservation of a sibling too."""
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await subnet.reserve(42, **identity)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(told)).yiaddr == subnet.address(42)


async def test_reservations_are_matched_in_order(site: Site, servers: Servers) -> None:
    """MAC first, then client_id, then circuit_id, remote_id and subscriber_id."""
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await subnet.reserve(41, mac=MAC)
    await subnet.reserve(42, client_id=b"\x00printer")
    await subnet.reserve(43, circuit_id=b"eth1/3")
    relay = servers.relay(await servers.start(), subnet.relay)
    everything = say.discover(MAC).client_id(b"\x00printer").circuit("eth1/3")
    assert (await relay.offer(everything)).yiaddr == subnet.address(41)
    other = say.discover(mac_of(2)).client_id(b"\x00printer").circuit("eth1/3")
    assert (await relay.offer(other)).yiaddr == subnet.address(42)


async def test_what_the_relay_says_is_matched_in_order(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5, shared_network="wire")
    sibling = await site.subnet(6, shared_network="wire")
    await subnet.pool(100, 199)
    await subnet.reserve(43, circuit_id=b"eth1/3")
    await sibling.reserve(44, remote_id=b"modem 3")
    await sibling.reserve(45, subscriber_id=b"smith")
    relay = servers.relay(await servers.start(), subnet.relay)
    everything = say.discover(MAC).circuit("eth1/3").remote("modem 3").suboption(6, "smith")
    assert (await relay.offer(everything)).yiaddr == subnet.address(43)
    unknown = say.discover(mac_of(2)).circuit("eth1/4")
    assert (await relay.offer(unknown.remote("modem 3").suboption(6, "smith"))).yiaddr == sibling.address(44)
    assert (await relay.offer(unknown.remote("modem 4").suboption(6, "smith"))).yiaddr == sibling.address(45)


CALLS = {
    "discover": (say.discover(MAC), 2),
    "selecting": (say.request_selecting(MAC, "10.5.0.150", "127.0.0.1"), 5),
    "refused": (say.request_selecting(MAC, "10.5.0.1", "127.0.0.1"), 6),
    "init-reboot on another network": (say.request_init_reboot(MAC, "192.0.2.7"), 6),
    "inform": (say.inform(MAC, "10.5.0.20"), 5),
}


@pytest.mark.own_server
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("client_id", [None, b"\1" + octets(MAC), b"\xff" + bytes(250)])
async def test_the_client_id_comes_back(name: str, client_id: bytes | None, relay: Relay) -> None:
    """RFC 6842 3: in each kind of reply, NAK included, and only if it was sent."""
    packet, kind = CALLS[name]
    reply = await relay.ask(packet if client_id is None else packet.client_id(client_id))
    assert (reply.message_type, reply.options.get(61)) == (kind, client_id)


DUID = bytes.fromhex("000100012a3b4c5d525400123456")


@pytest.mark.parametrize(
    ("match_client_id", "same"), [(True, True), (False, False)], ids=["by client id", "by MAC"]
)
async def test_a_client_of_rfc_4361_changes_its_hardware(
    match_client_id: bool, same: bool, site: Site, servers: Servers
) -> None:
    """RFC 4361 6.1: type 255, IAID and DUID outlive the network card; the lease follows where option 61 counts."""
    _, _, relay = await serve(site, servers, match_client_id=match_client_id)
    before = await relay.lease(MAC, say.discover(MAC).duid(1, DUID))
    after = await relay.lease(mac_of(2), say.discover(mac_of(2)).duid(1, DUID))
    assert (before.yiaddr == after.yiaddr) == same
    if same:
        row = await site.lease(after.yiaddr)
        assert (row["client_key"], row["hw_address"]) == (b"\2\xff\0\0\0\1" + DUID, octets(mac_of(2)))


async def test_two_interfaces_of_one_machine_are_two_clients(site: Site, servers: Servers) -> None:
    """RFC 4361 6.1: the IAID tells the interfaces of one DUID apart."""
    _, _, relay = await serve(site, servers, match_client_id=True)
    first = await relay.lease(MAC, say.discover(MAC).duid(1, DUID))
    second = await relay.lease(MAC, say.discover(MAC).duid(2, DUID))
    assert first.yiaddr != second.yiaddr


async def test_a_reservation_by_duid_holds_for_any_card(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await subnet.reserve(42, client_id=b"\xff\0\0\0\1" + DUID)
    relay = servers.relay(await servers.start(), subnet.relay)
    for card in (MAC, mac_of(2)):
        assert (await relay.offer(say.discover(card).duid(1, DUID))).yiaddr == subnet.address(42)


async def test_nobody_else_gets_a_reserved_address(site: Site, servers: Servers) -> None:
    """Neither offered nor granted, in the pool or outside, not even to who asks for it, while its owner is away."""
    subnet = await site.subnet()
    await subnet.pool(100, 101)
    await subnet.reserve(100, mac=MAC)
    await subnet.reserve(42, circuit_id=b"eth1/3")
    relay = servers.relay(await servers.start(), subnet.relay)
    other = mac_of(2)
    for last in (100, 42):
        assert (
            await relay.offer(say.discover(other).requesting(subnet.address(last)))
        ).yiaddr == subnet.address(101)
        await relay.nak(say.request_selecting(other, subnet.address(last), "127.0.0.1"))
        await relay.nak(say.request_init_reboot(other, subnet.address(last)))
    await relay.lease(other)
    assert (await relay.lease(MAC)).yiaddr == subnet.address(100)


async def test_a_reservation_outside_the_pools_renews(site: Site, servers: Servers) -> None:
    """At T1 and T2 as any lease does: the address is the client's by its reservation alone."""
    subnet = await site.subnet()
    await subnet.reserve(42, mac=MAC)
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC)
    assert int.from_bytes(ack.options[58]) == 300
    granted = (await site.lease(ack.yiaddr))["version"]
    for packet in (say.request_renewing(MAC, ack.yiaddr), say.request_init_reboot(MAC, ack.yiaddr)):
        assert (await relay.ack(packet)).yiaddr == subnet.address(42)
        row = await site.lease(ack.yiaddr)
        assert row["version"] > granted
        granted = row["version"]
