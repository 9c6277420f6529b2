"""RFC 2131 as a decision table: message, state and configuration, and what the server must do.

Every reply was judged by the oracle (table 3, sections 4.1 and 4.3) before a test sees it.
"""

from __future__ import annotations

import socket
from typing import Any

import pytest
from engine.serving import Relay, Servers, cached, counters, drops, mac_of, reloaded, server_id, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.message4 import ZERO, Message
from oracle.options4 import ACK, NAK

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
OTHER_SERVER = "192.0.2.99"


async def in_state(site: Site, address: Any, state: str) -> bool:
    return (await site.lease(address)).get("state") == state


async def kinds(site: Site, address: Any) -> list[str]:
    return [event["kind"] for event in await site.events(address)]


# --- 4.3.1 DISCOVER


async def test_discover_is_answered_with_an_offer(relay: Relay, subnet: Subnet) -> None:
    offer = await relay.offer(say.discover(MAC))
    assert subnet.address(100) <= offer.yiaddr <= subnet.address(199)
    assert offer.ciaddr == ZERO
    assert str(server_id(offer)) == relay.server[0]


async def test_offer_and_ack_agree(relay: Relay) -> None:
    """4.3.2: what the ACK binds is what was offered, the options included."""
    discover = say.discover(MAC).asking(1, 3, 6, 15, 28, 51, 58, 59)
    offer = await relay.offer(discover)
    ack = await relay.select(MAC, offer, discover)
    assert ack.yiaddr == offer.yiaddr
    assert ack.options | {53: b""} == offer.options | {53: b""}


@pytest.mark.parametrize(
    ("asked", "given"), [(None, 600), (60, 300), (450, 450), (86400, 900), (0xFFFFFFFF, 900)]
)
async def test_the_lease_time_asked_for_within_bounds(
    asked: int | None, given: int, site: Site, servers: Servers
) -> None:
    """4.3.1: the time that the client asked for, within local policy."""
    subnet = await site.subnet(min_lease_time_seconds=300, max_lease_time_seconds=900)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    discover = say.discover(MAC) if asked is None else say.discover(MAC).lease_time(asked)
    ack = await relay.lease(MAC, discover)
    assert int.from_bytes(ack.options[51], "big") == given
    row = await site.lease(ack.yiaddr)
    assert (row["expires_at"] - row["renewed_at"]).total_seconds() == given


# --- 4.3.2 REQUEST in its four states

BINDING = ["none", "own", "other's"]


@pytest.mark.parametrize("binding", BINDING)
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("selecting", {"none": ACK, "own": ACK, "other's": NAK}),
        ("init_reboot", {"none": NAK, "own": ACK, "other's": NAK}),
        ("rebinding", {"none": NAK, "own": ACK, "other's": NAK}),
    ],
)
async def test_request_by_state_and_binding(
    state: str, expected: dict[str, int], binding: str, relay: Relay, site: Site, subnet: Subnet
) -> None:
    address = subnet.address(150)
    if binding != "none":
        owner = MAC if binding == "own" else mac_of(2)
        await relay.lease(owner, say.discover(owner).requesting(address))
    packet = {
        "selecting": say.request_selecting(MAC, address, "127.0.0.1"),
        "init_reboot": say.request_init_reboot(MAC, address),
        "rebinding": say.request_rebinding(MAC, address),
    }[state]
    reply = await relay.ask(packet)
    assert reply.message_type == expected[binding]
    assert (reply.yiaddr == address) == (expected[binding] == ACK)


@pytest.mark.own_server
@pytest.mark.parametrize("binding", BINDING)
async def test_request_renewing(binding: str, site: Site, servers: Servers) -> None:
    """4.3.2, RENEWING: unicast, no giaddr, no option 50 or 54."""
    subnet = await site.direct_subnet()
    await subnet.pool(100, 199)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    owner = mac_of(2) if binding == "other's" else MAC
    address = subnet.address(150)
    if binding != "none":
        await relay.lease(owner, say.discover(owner).requesting(address))
    wanted = "ack" if binding == "own" else "nak"
    assert await verdict(server, say.request_renewing(MAC, address)) == wanted


async def lease_on_line(relay: Relay) -> Message:
    offer = await relay.offer(say.discover(MAC).circuit("eth1/3"))
    return await relay.ack(say.request_selecting(MAC, offer.yiaddr, server_id(offer)).circuit("eth1/3"))


@pytest.mark.own_server
async def test_a_client_reserved_by_its_line_renews_without_its_relay(site: Site, servers: Servers) -> None:
    """RFC 3046 2.1: only what a relay passes on bears option 82; the renewal by unicast is the same client's. When the
    address is another line's by now, it is withdrawn from who comes through the relay again."""
    subnet = await site.direct_subnet()
    await subnet.reserve(42, circuit_id=b"eth1/3")
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    ack = await lease_on_line(relay)
    assert ack.yiaddr == subnet.address(42)
    assert await verdict(server, say.request_renewing(mac_of(2), ack.yiaddr)) == "nak"
    assert await verdict(server, say.request_renewing(MAC, ack.yiaddr)) == "ack"
    async with subnet.change("reservation"):
        await site.connection.execute("update reservation set circuit_id = 'eth1/4'")
    await reloaded(server, subnet)
    await relay.nak(say.request_init_reboot(MAC, ack.yiaddr).circuit("eth1/3"))
    assert await verdict(server, say.request_renewing(MAC, ack.yiaddr)) == "nak"


@pytest.mark.own_server
@pytest.mark.parametrize(("identity", "code"), [("remote_id", 2), ("subscriber_id", 6)])
async def test_so_does_a_subscriber(identity: str, code: int, site: Site, servers: Servers) -> None:
    """RFC 3993, and the other half of RFC 3046."""
    subnet = await site.direct_subnet()
    await subnet.reserve(42, **{identity: b"smith"})
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(say.discover(MAC).suboption(code, "smith"))
    assert offer.yiaddr == subnet.address(42)
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    await relay.ack(request.suboption(code, "smith"))
    assert await verdict(server, say.request_renewing(MAC, offer.yiaddr)) == "ack"
    assert await verdict(server, say.request_renewing(mac_of(2), offer.yiaddr)) == "nak"


@pytest.mark.own_server
async def test_a_line_that_is_reserved_no_more_does_not_renew(site: Site, servers: Servers) -> None:
    subnet = await site.direct_subnet()
    await subnet.reserve(42, circuit_id=b"eth1/3")
    server = await servers.start()
    ack = await lease_on_line(servers.relay(server, subnet.relay))
    async with subnet.change("reservation"):
        await site.connection.execute("delete from reservation")
    await reloaded(server, subnet)
    assert await verdict(server, say.request_renewing(MAC, ack.yiaddr)) == "nak"


async def test_selecting_with_ciaddr(relay: Relay, site: Site, subnet: Subnet) -> None:
    """4.3.2: a server identifier says SELECTING. The address of option 50 counts, as in the answer to any OFFER."""
    offer = await relay.offer(say.discover(MAC).requesting(subnet.address(150)))
    packet = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    assert (await relay.ack(packet.field(ciaddr=offer.yiaddr))).yiaddr == offer.yiaddr
    assert await in_state(site, offer.yiaddr, "a")


async def test_selecting_with_the_ciaddr_of_another_address(relay: Relay, subnet: Subnet) -> None:
    packet = say.request_selecting(MAC, subnet.address(150), "127.0.0.1").field(ciaddr=subnet.address(160))
    assert (await relay.ack(packet)).yiaddr == subnet.address(150)


async def test_selecting_with_an_unknown_ciaddr_is_refused_without_authority(
    site: Site, servers: Servers
) -> None:
    subnet = await site.subnet(authoritative=False)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    outside = subnet.address(20)
    await relay.nak(say.request_selecting(MAC, outside, "127.0.0.1").field(ciaddr=outside))


async def test_selecting_without_an_address_means_our_offer(
    relay: Relay, site: Site, server: Serving, subnet: Subnet
) -> None:
    """Table 5 makes option 50 a MUST; our offer to this client says which address it forgot."""
    request = say.message(3, MAC).server_id("127.0.0.1")
    await relay.unanswered(request)
    assert drops(server, "no_address_asked") == 1
    offer = await relay.offer(say.discover(MAC).requesting(subnet.address(150)))
    assert offer.yiaddr == subnet.address(150)
    await relay.unanswered(say.message(3, mac_of(2)).server_id("127.0.0.1"))
    assert (await relay.ack(request)).yiaddr == offer.yiaddr
    assert await in_state(site, offer.yiaddr, "a")


async def test_a_relayed_inform_without_ciaddr(relay: Relay, subnet: Subnet, site: Site) -> None:
    """The client breaks 4.4.3; its relay reaches it all the same."""
    await subnet.option(15, {"string": "example.org"})
    ack = await relay.ack(say.inform(MAC, ZERO).asking(1, 3))
    assert (ack.ciaddr, ack.yiaddr) == (ZERO, ZERO)
    assert {1, 3} <= set(ack.options)
    assert 51 not in ack.options
    assert await site.count("lease") == 0


async def test_selecting_another_server(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    """3.1 step 4: the servers that were not chosen keep silent."""
    await relay.unanswered(say.request_selecting(MAC, subnet.address(150), OTHER_SERVER))
    assert drops(server, "other_server") == 1
    assert await site.count("lease") == 0


@pytest.mark.own_server
async def test_a_request_for_nothing(relay: Relay, server: Serving) -> None:
    await relay.unanswered(say.message(3, MAC))
    assert drops(server, "no_address_asked") == 1


@pytest.mark.parametrize("last", [0, 1, 20, 255])
async def test_what_the_configuration_does_not_give_is_refused(
    last: int, relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Network, gateway, an address outside the pools, broadcast: nobody's, in whatever state."""
    await relay.nak(say.request_selecting(MAC, subnet.address(last), "127.0.0.1"))
    await relay.nak(say.request_init_reboot(MAC, subnet.address(last)))
    assert await site.count("lease") == 0


# --- 4.3.3 DECLINE


async def test_a_declined_address_is_in_quarantine_and_then_free(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(decline_quarantine_seconds=5)
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    ack = await relay.lease(MAC)
    relay.send(say.decline(MAC, ack.yiaddr, server_id(ack)))
    await until("declined", lambda: in_state(site, ack.yiaddr, "d"))
    row = await site.lease(ack.yiaddr)
    assert (row["reuse_at"] - row["expires_at"]).total_seconds() == 5
    for mac in (MAC, mac_of(2)):
        await relay.unanswered(say.discover(mac))
        await relay.nak(say.request_selecting(mac, ack.yiaddr, "127.0.0.1"))
    reply = await relay.offer_in_time(mac_of(3))
    assert reply.yiaddr == ack.yiaddr
    await relay.select(mac_of(3), reply)
    assert await kinds(site, ack.yiaddr) == ["g", "d", "g"]


async def test_other_servers_and_the_next_start_keep_the_quarantine(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 101, allocation="sequential")
    server, other = await servers.start(), await servers.start()
    relay = servers.relay(server, subnet.relay)
    ack = await relay.lease(MAC)
    relay.send(say.decline(MAC, ack.yiaddr, server_id(ack)))
    await until("known", lambda: (cached(other, site.tenant_no, ack.yiaddr) or {}).get("state") == "d")
    for one in (server, other, await servers.start()):
        relay = servers.relay(one, subnet.relay)
        for mac in (MAC, mac_of(2)):
            assert (await relay.offer(say.discover(mac))).yiaddr == subnet.address(101)
            await relay.nak(say.request_selecting(mac, ack.yiaddr, "127.0.0.1"))


@pytest.mark.own_server
@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        pytest.param(
            lambda ack: say.decline(mac_of(2), ack.yiaddr, server_id(ack)), "refused_row", id="another's"
        ),
        pytest.param(
            lambda ack: say.decline(MAC, ack.yiaddr, OTHER_SERVER), "other_server", id="another server's"
        ),
        pytest.param(
            lambda ack: say.message(4, MAC).server_id("127.0.0.1"), "no_address_asked", id="no address"
        ),
        pytest.param(
            lambda ack: say.release(mac_of(2), ack.yiaddr, server_id(ack)),
            "refused_row",
            id="release of another's",
        ),
        pytest.param(
            lambda ack: say.release(MAC, ack.yiaddr, OTHER_SERVER), "other_server", id="release elsewhere"
        ),
        pytest.param(
            lambda ack: say.message(7, MAC).server_id("127.0.0.1"),
            "no_address_asked",
            id="release of nothing",
        ),
    ],
)
async def test_an_end_that_is_not_the_clients_own(
    packet: Any, reason: str, relay: Relay, server: Serving, site: Site
) -> None:
    ack = await relay.lease(MAC)
    relay.send(packet(ack))
    await until("dropped", lambda: drops(server, reason) == 1)
    assert await in_state(site, ack.yiaddr, "a")


# --- 4.3.4 RELEASE


async def test_a_released_address_is_kept_for_its_client(relay: Relay, site: Site) -> None:
    """4.3.4: the server should keep the client's parameters for a later request."""
    ack = await relay.lease(MAC)
    await relay.unanswered(say.release(MAC, ack.yiaddr, server_id(ack)))
    await until("released", lambda: in_state(site, ack.yiaddr, "r"))
    assert (await relay.lease(MAC)).yiaddr == ack.yiaddr
    assert await kinds(site, ack.yiaddr) == ["g", "r", "g"]


async def test_a_direct_release(site: Site, servers: Servers) -> None:
    """4.4.4: RELEASE is unicast to the server, without relay."""
    subnet = await site.direct_subnet()
    await subnet.pool(100, 199)
    server = await servers.start()
    ack = await servers.relay(server, subnet.relay).lease(MAC)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(say.release(MAC, ack.yiaddr, server_id(ack)).bytes(), server.sockets[0].address)
    await until("released", lambda: in_state(site, ack.yiaddr, "r"))
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["state"] == "r"


# --- 4.3.5 INFORM


@pytest.mark.parametrize("last", [20, 150])
async def test_inform_gives_parameters_and_no_lease(
    last: int, relay: Relay, site: Site, subnet: Subnet
) -> None:
    ack = await relay.ack(say.inform(MAC, subnet.address(last)).asking(1, 3))
    assert ack.yiaddr == ZERO
    assert ack.ciaddr == subnet.address(last)
    assert {1, 3, 54} <= set(ack.options)
    assert not {51, 58, 59} & set(ack.options)
    assert await site.count("lease") == 0


# --- who is served


@pytest.mark.own_server
async def test_an_untrusted_relay_is_dropped_and_counted(
    site: Site, servers: Servers, subnet: Subnet
) -> None:
    """Specification 1.7: relays must be listed before their requests are served."""
    server = await servers.start(trusted_relays=())
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.discover(MAC))
    assert drops(server, "untrusted_relay") == 1
    await site.connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), '127.0.5.0/24')"
    )
    await site.record(None, "trusted_relay")
    await site.connection.execute("select pg_notify('ipam_change', '')")
    await relay.offer_in_time(MAC)


@pytest.mark.own_server
async def test_a_relay_that_nobody_knows(server: Serving, servers: Servers) -> None:
    relay = servers.relay(server, "127.0.99.1")
    await relay.unanswered(say.discover(MAC))
    assert drops(server, "no_subnet") == 1


async def test_a_unicast_renewal_of_an_address_in_no_subnet(server: Serving, relay: Relay) -> None:
    """Specification 1.6: an address that this service never acknowledged is answered with a NAK. A relay that carries
    such a request may have others behind it, so there silence."""
    assert await verdict(server, say.request_renewing(MAC, "127.200.0.9")) == "nak"
    await relay.unanswered(say.request_renewing(MAC, "127.200.0.9").link_selection("127.200.0.0"))


async def test_a_subnet_that_is_switched_off(site: Site, servers: Servers) -> None:
    """Nobody is answered there, reservations included (decisions: Which addresses are given)."""
    subnet = await site.subnet(dhcp_enabled=False)
    await subnet.pool(100, 199)
    await subnet.reserve(42, mac=MAC)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for packet in (say.discover(MAC), say.request_init_reboot(MAC, subnet.address(42))):
        await relay.unanswered(packet)
    assert drops(server, "dhcp_disabled") == 2


async def test_a_denied_class(site: Site, servers: Servers) -> None:
    """`deny`: nobody of it is answered (decisions: Classes)."""
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await site.client_class("unwanted", mac_prefix=bytes.fromhex("0200000000"), deny=True)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.discover(mac_of(5)))
    assert drops(server, "denied_class") == 1
    await relay.offer(say.discover("02:00:00:01:00:05"))


async def test_a_client_on_no_wire_of_ours(server: Serving) -> None:
    """Without giaddr and ciaddr a client must be on an interface that is served."""
    assert await verdict(server, say.discover(MAC)) == "not_served_here"


@pytest.mark.own_server
async def test_link_selection_and_server_override(servers: Servers, site: Site, subnet: Subnet) -> None:
    """RFC 3527: the subnet is the link's; RFC 5107: the server calls itself what the relay says."""
    other = await site.subnet(6)
    await other.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    discover = say.discover(MAC).link_selection("10.6.0.0").server_override(subnet.relay)
    offer = await relay.offer(discover)
    assert offer.yiaddr in other.network
    assert server_id(offer) == subnet.relay
    request = say.request_selecting(MAC, offer.yiaddr, subnet.relay)
    await relay.ack(request.link_selection("10.6.0.0").server_override(subnet.relay))


# --- 4.1 where replies go


async def test_option_82_comes_back(relay: Relay) -> None:
    """RFC 3046 2.2: echoed as it came, in every kind of reply."""
    packet = say.discover(MAC).circuit("eth1/3").remote(b"\x00\x01switch").suboption(9, b"vendor")
    offer = await relay.offer(packet)
    assert 82 in offer.options
    wrong = say.request_init_reboot(MAC, "192.0.2.7").circuit("eth1/3")
    assert 82 in (await relay.nak(wrong)).options


@pytest.mark.parametrize("flags", [0, 0x8000])
async def test_the_broadcast_flag_through_a_relay(flags: int, relay: Relay, subnet: Subnet) -> None:
    """4.1: copied; 4.3.2: set in a NAK, because the client may have no address on which to hear it."""
    assert (await relay.offer(say.discover(MAC).field(flags=flags))).flags == flags
    nak = await relay.nak(say.request_init_reboot(MAC, "192.0.2.7").field(flags=flags))
    assert nak.flags == 0x8000


async def test_replies_come_to_the_relays_own_port(relay: Relay) -> None:
    """RFC 8357: to the source port where the relay asks for it, and the sub-option comes back."""
    offer = await relay.offer(say.discover(MAC))
    assert b"\x13\x00" in offer.options[82]


async def test_without_it_replies_go_to_the_server_port(server: Serving, subnet: Subnet) -> None:
    """4.1: to the relay's port 67, where nobody listens here; that it left is what the counter says."""
    assert await verdict(server, say.discover(MAC).with_relay(subnet.relay)) == "offer"


@pytest.mark.parametrize("octets_long", [300, 576, 1400])
async def test_requests_of_any_size(octets_long: int, relay: Relay) -> None:
    await relay.offer(say.discover(MAC).padded_to(octets_long))


MALFORMED: dict[str, Any] = {
    "too_short": lambda data: data[:200],
    "not_a_request": lambda data: b"\x02" + data[1:],
    "no_cookie": lambda data: data[:236] + b"\0\0\0\0" + data[240:],
    "bad_hardware_length": lambda data: data[:2] + b"\x11" + data[3:],
    "bad_message_type": lambda data: data[:242] + b"\x0d" + data[243:],
    "option_overrun": lambda data: data[:240] + b"\x0c\xff" + b"x" * 20,
}


@pytest.mark.own_server
@pytest.mark.parametrize(("reason", "damage"), MALFORMED.items(), ids=MALFORMED)
async def test_garbage_is_counted_and_never_answered(
    reason: str, damage: Any, relay: Relay, server: Serving
) -> None:
    relay.socket.sendto(damage(relay.dress(say.discover(MAC)).bytes()), relay.server)
    await until("dropped", lambda: drops(server, reason) == 1)
    assert counters(server)["replied"] == {}
    await relay.offer(say.discover(MAC))
