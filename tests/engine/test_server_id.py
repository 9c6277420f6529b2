"""Which of its addresses a server names in option 54 (docs/reference/reply-address.md), decided by the engine itself.

127.64.0.0/16 and 127.65.0.0/16 share interface 7, the first one is behind a relay too; 127.66.0.0/16 is on interface 8.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.test_reply_address import copied
from fuzz.engine import CLOCK, FIELDS, KEY, NETWORK, RELAY, SUBNET, TENANT
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK, NAK, OFFER
from oracle.packets import Packet

from dhcp_fast.engine.configure import set_own_addresses
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

MAC = "02:00:00:00:00:01"
WIRE, OTHER_WIRE, LOOPBACK = 7, 8, 1
GLOBAL, LINK, HOST = 0, 253, 254
FIRST, SIBLING, ALONE = (NETWORK + (number << 16) for number in range(3))
ARRIVED = "203.0.113.67"  # what the kernel would answer from
INSIDE, INSIDE_TOO, IN_SIBLING = "127.64.0.2", "127.64.0.3", "127.65.0.2"
OUTSIDE, OUTSIDE_TOO, LINK_LOCAL = "198.18.0.1", "198.18.0.2", "169.254.3.4"
ELSEWHERE = "192.0.2.99"  # of the other interface


def engine(*addresses: str, on: int = WIRE) -> Engine:
    """It has these addresses on the interface, in this order, and others elsewhere."""
    made = Engine(KEY)
    made.plan.set_relays([(RELAY, 0xFFFFFFFF, 0)], TENANT)
    for place, interface in ((FIRST, WIRE), (SIBLING, WIRE), (ALONE, OTHER_WIRE)):
        pools = [PoolRow(1, place + 16, place + 0xFF00)]
        told = {"no": SUBNET + (place - FIRST >> 16), "network": place, "pools": pools}
        shared = {"shared_network": "wire"} if interface == WIRE else {}
        view = SubnetView(TenantView(TENANT, []), KEY, FIELDS | told | shared)
        made.put_subnet(view, [RELAY] if place == FIRST else [], [interface])
    now = boot_clock()
    made.set_clock(CLOCK, now, now)
    own = [(on, int(IPv4Address(each)), 16, LINK if each == LINK_LOCAL else GLOBAL) for each in addresses]
    rest = [(LOOPBACK, int(IPv4Address("127.0.0.1")), 8, HOST), (99, int(IPv4Address(ELSEWHERE)), 24, GLOBAL)]
    set_own_addresses(made, [*rest, *own])
    return made


def decide(made: Engine, packet: Packet, interface: int = WIRE, *, broadcast: bool = True) -> Any:
    return explain(made, packet.bytes(), int(IPv4Address(ARRIVED)), interface, 68, broadcast)


def named(made: Engine, packet: Packet, interface: int = WIRE, *, broadcast: bool = True) -> str:
    found = decide(made, packet, interface, broadcast=broadcast)
    assert found["drop"] is None
    reply = parse_reply(found["reply"])
    assert isinstance(reply, Message)
    return str(reply.address(54))


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        ((INSIDE,), INSIDE),
        ((OUTSIDE, INSIDE), INSIDE),
        ((LINK_LOCAL, OUTSIDE, INSIDE), INSIDE),
        ((INSIDE, INSIDE_TOO), INSIDE),
        ((INSIDE_TOO, INSIDE), INSIDE_TOO),
        ((OUTSIDE, OUTSIDE_TOO), OUTSIDE),
        ((LINK_LOCAL, OUTSIDE), OUTSIDE),
        ((LINK_LOCAL,), LINK_LOCAL),
    ],
    ids=str,
)
def test_on_a_link_the_interfaces_address_in_the_subnet_counts(
    addresses: tuple[str, ...], expected: str
) -> None:
    made = engine(*addresses)
    for packet in (
        say.discover(MAC),
        say.request_init_reboot(MAC, IPv4Address(FIRST + 100)),
        say.request_init_reboot(MAC, "203.0.113.5"),  # refused
        say.inform(MAC, IPv4Address(FIRST + 100)),
    ):
        assert named(made, packet) == expected


def test_of_a_shared_network_the_clients_own_subnet_counts() -> None:
    for place, number, expected in ((FIRST, SUBNET, INSIDE), (SIBLING, SUBNET + 1, IN_SIBLING)):
        made = engine(INSIDE, IN_SIBLING)
        RowReader(made).feed(copied(MAC, IPv4Address(place + 100), TENANT, number))
        assert named(made, say.request_init_reboot(MAC, IPv4Address(place + 100))) == expected


def test_an_interface_without_an_address_answers_nothing() -> None:
    made = engine(INSIDE, on=99)
    held = IPv4Address(FIRST + 100)
    RowReader(made).feed(copied(MAC, held))
    answered = [
        *(say.discover(MAC), say.request_init_reboot(MAC, held), say.request_init_reboot(MAC, "203.0.113.5")),
        *(say.request_rebinding(MAC, held), say.request_rebinding(MAC, "203.0.113.5"), say.inform(MAC, held)),
        say.request_selecting(MAC, held, INSIDE),
    ]
    for packet in answered:
        assert decide(made, packet)["drop"] == "no_own_address"
    for packet in (say.release(MAC, held, INSIDE), say.decline(MAC, held, INSIDE)):
        assert decide(made, packet)["drop"] is None


def test_what_came_to_an_address_is_answered_from_there() -> None:
    """Through an interface without one, for instance, to an address of the loopback interface."""
    held = IPv4Address(FIRST + 100)
    for made in (engine(INSIDE), engine(), engine(OUTSIDE)):
        RowReader(made).feed(copied(MAC, held))
        assert named(made, say.request_renewing(MAC, held), broadcast=False) == ARRIVED
        assert named(made, say.inform(MAC, held), broadcast=False) == ARRIVED
        assert named(made, say.discover(MAC).with_relay(IPv4Address(RELAY)), 0, broadcast=False) == ARRIVED


@pytest.mark.parametrize("known", [INSIDE, INSIDE_TOO, OUTSIDE, ELSEWHERE])
@pytest.mark.parametrize("kind", [ACK, NAK])
def test_a_client_may_name_any_address_of_the_server(known: str, kind: int) -> None:
    made = engine(OUTSIDE, INSIDE, INSIDE_TOO)
    asked = IPv4Address(FIRST + 100 if kind == ACK else FIRST + 1)
    found = decide(made, say.request_selecting(MAC, asked, known))
    assert found["reply"][242] == kind
    assert named(made, say.request_selecting(MAC, asked, known)) == known


@pytest.mark.parametrize("stranger", ["192.0.2.1", "0.0.0.0", "255.255.255.255"])
def test_another_server_is_another(stranger: str) -> None:
    made = engine(INSIDE)
    held = IPv4Address(FIRST + 100)
    packets = (
        say.request_selecting(MAC, held, stranger),
        say.release(MAC, held, stranger),
        say.decline(MAC, held, stranger),
    )
    for packet in packets:
        for relayed in (packet, packet.with_relay(IPv4Address(RELAY)).server_override("0.0.0.0")):
            assert decide(made, relayed)["drop"] == "other_server"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("127.64.0.1", "127.64.0.1"),
        *((senseless, ARRIVED) for senseless in ("0.0.0.0", "0.0.0.1", "224.0.0.1", "255.255.255.255")),
    ],
)
def test_a_relay_names_the_server_by_an_address_that_clients_can_send_to(sent: str, expected: str) -> None:
    """RFC 5107; whichever of its names the client says then, it is this server."""
    made = engine(INSIDE)
    relay = IPv4Address(RELAY)
    held = IPv4Address(FIRST + 100)
    assert named(made, say.discover(MAC).with_relay(relay).server_override(sent), 0) == expected
    for known in (expected, ARRIVED, INSIDE):
        selecting = say.request_selecting(MAC, held, known).with_relay(relay).server_override(sent)
        found = decide(made, selecting, 0, broadcast=False)
        assert found["reply"][242] == ACK


@pytest.mark.parametrize("senseless", ["0.0.0.0", "0.0.0.1", "239.1.2.3", "255.255.255.255"])
def test_selections_of_no_network_count_as_not_sent(senseless: str) -> None:
    made = engine(INSIDE)
    relayed = say.discover(MAC).with_relay(IPv4Address(RELAY))
    for packet in (relayed.link_selection(senseless), relayed.selecting_subnet(senseless)):
        assert decide(made, packet, 0, broadcast=False)["reply"][242] == OFFER
    assert decide(made, say.discover(MAC).selecting_subnet(senseless))["reply"][242] == OFFER


def test_a_selection_that_is_none_leaves_the_other_one() -> None:
    packet = say.discover(MAC).with_relay(IPv4Address(RELAY)).link_selection("0.0.0.0")
    found = decide(engine(INSIDE), packet.selecting_subnet(IPv4Address(ALONE)), 0, broadcast=False)
    assert IPv4Address(found["reply"][16:20]) in range_of(ALONE)


def range_of(place: int) -> Any:
    return {IPv4Address(number) for number in range(place, place + 0x10000)}
