"""Clients without a relay: on the wire of an interface, or through routers; decided by the engine without a socket.

2001:db8:0:1::/64 is on interface 7, 2001:db8:0:2::/64 is far away.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from engine6.serving6 import duid
from oracle import packets6 as say
from oracle.message6 import ADDR_REG_REPLY, Message, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import first
from oracle.packets6 import Packet
from unit.plan.test_plan6 import FIELDS, KEY, SERVER_DUID, TENANT, described, network, range_pool

from dhcp_fast.database.peer_coordination import meet_peers
from dhcp_fast.database.plan.plan_reader6 import LINKLESS
from dhcp_fast.engine.configure import set_server_id, share_messages
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain6 import explain6
from dhcp_fast.net import netlink
from dhcp_fast.plan.compile6 import SubnetView6
from dhcp_fast.plan.tenant_view import TenantView

CLIENT = duid(1)
OPAQUE = bytes.fromhex("0002000000090102")
WIRE, NEAR, FAR = 7, 1, 2
GROUP = int(IPv6Address("ff02::1:2"))
OURS = int(IPv6Address("2001:db8:ffff::547"))
ON_LINK = int(IPv6Address("fe80::200:5eff:fe00:5301"))
MAC = bytes.fromhex("00005e005301")
CLOCK = 800_000_000_000_000


@pytest.fixture
def engine() -> Engine:
    made = Engine(KEY, 6)
    set_server_id(made, SERVER_DUID)
    made.plan.set_relays([(0, 0, 0)], TENANT)
    for place, interfaces in ((NEAR, [WIRE]), (FAR, [])):
        told = described(place, place, pools=[range_pool(place, place)], address_registration=True)
        made.put_subnet(SubnetView6(TenantView(TENANT, []), KEY, FIELDS | told), [], interfaces)
    now = boot_clock()
    made.set_clock(CLOCK, now, now)
    return made


def ask(
    engine: Engine, packet: Packet, sender: int = ON_LINK, to: int = GROUP, port: int = 546
) -> dict[str, Any]:
    return explain6(engine, packet.bytes(), sender, port, WIRE, to)


def solicit(client: bytes = CLIENT) -> Packet:
    return say.solicit(client).ia_na(1)


def read(found: dict[str, Any]) -> Message:
    assert found["drop"] is None
    message = parse_reply(found["reply"])
    assert not isinstance(message, Malformed)
    return message


# --- whose subnet


@pytest.mark.parametrize("interface", [WIRE, 9])
def test_on_a_link_without_a_subnet_information_alone_is_told(engine: Engine, interface: int) -> None:
    """Interface 9 is served, for the group was asked there, and has no subnet."""
    linkless = FIELDS | LINKLESS | {"options": [(23, IPv6Address("2001:db8::53").packed, False, None)]}
    engine.set_linkless([SubnetView6(TenantView(TENANT, []), KEY, linkless)])
    asked = say.information_request(CLIENT).asking(23)
    told = read(explain6(engine, asked.bytes(), ON_LINK, 546, interface, GROUP))
    assert (first(told.options, 23) is not None) == (interface == 9)
    found = explain6(engine, solicit().bytes(), ON_LINK, 546, interface, GROUP)
    assert found["drop"] == (None if interface == WIRE else "not_served_here")


def test_a_client_on_the_wire_is_of_the_interfaces_subnet(engine: Engine) -> None:
    assert ask(engine, solicit())["subnet"] == NEAR


@pytest.mark.parametrize(("place", "expected"), [(NEAR, NEAR), (FAR, FAR), (9, NEAR)])
def test_what_came_through_routers_is_of_the_subnet_of_its_source(
    engine: Engine, place: int, expected: int
) -> None:
    """A Renew by unicast that comes in on a served interface; from an address that we know nothing of, that one's."""
    address = network(place)[0x150]
    renew = say.renew(CLIENT, SERVER_DUID).ia_na(1, address)
    assert ask(engine, renew, int(address), OURS)["subnet"] == expected
    # To the group a client speaks on its own wire, whatever its address.
    assert ask(engine, say.rebind(CLIENT).ia_na(1, address), int(address))["subnet"] == NEAR


@pytest.mark.parametrize(
    "packet",
    [solicit(), say.confirm(CLIENT).ia_na(1), say.rebind(CLIENT).ia_na(1), say.information_request()],
)
def test_what_is_for_all_servers_is_not_taken_by_unicast(engine: Engine, packet: Packet) -> None:
    """RFC 8415 section 16."""
    assert ask(engine, packet, to=OURS)["drop"] == "by_unicast"
    assert ask(engine, packet)["drop"] != "by_unicast"


def test_a_switch_leaves_the_link_to_the_interface(engine: Engine) -> None:
    """RFC 6221: an LDRA alone in front of the server, whose link-address is zeros."""
    found = ask(engine, solicit().through("::").at_interface("sw1/7"), port=547)
    assert (found["subnet"], found["port"]) == (NEAR, 547)
    assert read(found).envelopes[0].interface_id == b"sw1/7"


# --- where the answer goes


def test_a_client_is_answered_on_its_port(engine: Engine) -> None:
    assert ask(engine, solicit(), port=40000)["port"] == 546


def test_a_relay_is_answered_on_the_servers_port(engine: Engine) -> None:
    assert ask(engine, solicit().through(network(NEAR)[1]), port=40000)["port"] == 547


def test_a_relay_with_a_port_of_its_own_is_answered_there(engine: Engine) -> None:
    """RFC 8357: the outermost relay says so (option 135)."""
    through = solicit().through(network(NEAR)[1])
    assert ask(engine, through.relay_port(), port=40000)["port"] == 40000
    assert ask(engine, through.relay_port().through("::"), port=40000)["port"] == 547


# --- who it is


@pytest.mark.parametrize(
    ("packet", "hardware"),
    [
        (solicit(OPAQUE), MAC),
        (solicit(), CLIENT[4:]),
        (solicit(OPAQUE).through(network(NEAR)[1], peer=IPv6Address(ON_LINK)), MAC),
        (solicit(OPAQUE).through(network(NEAR)[1], peer=IPv6Address(ON_LINK)).from_hardware("0a:00:00:00:00:07"),
         bytes.fromhex("0a0000000007")),
        (solicit(OPAQUE).through("::", peer=IPv6Address(ON_LINK)).through(network(NEAR)[1], peer="fe80::1"), MAC),
        (solicit(OPAQUE).through(network(NEAR)[1], peer="fe80::1234"), b""),
        (solicit(OPAQUE).through(network(NEAR)[1], peer="2001:db8:0:1:200:5eff:fe00:5301"), b""),
    ],
    ids=["own address", "DUID first", "relay's peer", "RFC 6939 first", "innermost peer", "opaque", "global"],
)  # fmt: skip
def test_the_hardware_address(engine: Engine, packet: Packet, hardware: bytes) -> None:
    """RFC 4291 appendix A, where neither relay nor DUID tell one."""
    assert ask(engine, packet)["hardware"] == hardware


# --- registration


def test_a_host_registers_from_its_address(engine: Engine) -> None:
    address = network(NEAR)[0xABCD]
    found = ask(engine, say.register(CLIENT, address), int(address))
    assert read(found).message_type == ADDR_REG_REPLY
    assert ask(engine, say.register(CLIENT, address))["drop"] == "anothers_address"


# --- several servers


def shares(engine: Engine, peers: list[int], links: dict[int, set[int]]) -> int:
    """How many of 40 clients on the wire are left to a peer."""
    share_messages(engine, 1, peers, links)
    return left_to_another(engine)


def left_to_another(engine: Engine) -> int:
    """Of 40 clients on the wire."""
    return sum(ask(engine, solicit(duid(number)))["drop"] == "left_to_another" for number in range(40))


def test_on_a_wire_only_those_take_part_that_hear_it(engine: Engine) -> None:
    assert shares(engine, [2, 3], {WIRE: set()}) == 0
    assert shares(engine, [2, 3], {WIRE + 1: {2, 3}}) == 0
    assert 8 <= shares(engine, [2, 3], {WIRE: {3}}) <= 32
    assert 16 <= shares(engine, [2, 3], {WIRE: {2, 3}}) <= 36


def test_peers_are_met_on_the_interfaces_that_were_last_read(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel, which may keep a reading waiting, is not asked while packets wait."""
    monkeypatch.setattr(netlink, "dump", lambda *_: pytest.fail("the kernel was asked"))
    peer = {"no": 2, "commits": True, "interfaces": {"wire": []}}
    meet_peers(engine, 1, [peer], {"wire": []}, {"wire": WIRE})
    assert 8 <= left_to_another(engine) <= 32
    meet_peers(engine, 1, [peer], {"wire": []}, {})
    assert left_to_another(engine) == 0


def test_who_does_not_say_for_how_long_is_answered_by_all(engine: Engine) -> None:
    share_messages(engine, 1, [2, 3, 4], {WIRE: {2, 3, 4}})
    for number in range(20):
        assert ask(engine, solicit(duid(number)).without(8))["drop"] is None


def test_what_came_by_unicast_no_peer_has_heard(engine: Engine) -> None:
    share_messages(engine, 1, [2, 3, 4], {WIRE: {2, 3, 4}})
    for number in range(20):
        renew = say.renew(duid(number), SERVER_DUID).ia_na(1, network(NEAR)[0x150])
        assert ask(engine, renew, to=OURS)["drop"] is None


# --- a relay that other servers do not hear


RELAY = int(IPv6Address("2001:db8:ffff::1"))


def through_relay(engine: Engine, number: int, elapsed: int, relay: int = RELAY) -> bool:
    """Whether it is answered."""
    packet = solicit(duid(number)).without(8).elapsed(elapsed).through(network(NEAR)[1])
    return ask(engine, packet, relay)["drop"] is None


def test_a_relay_that_sends_to_us_alone_is_answered_at_once_after_a_few_clients(engine: Engine) -> None:
    share_messages(engine, 1, [2, 3, 4], {})
    waited = [
        number
        for number in range(60)
        if not through_relay(engine, number, 0) and through_relay(engine, number, 110)
    ]
    assert len(waited) == 4
    assert all(through_relay(engine, number, 0) for number in range(100, 160))
    # Another relay is another matter.
    assert not all(through_relay(engine, number, 0, RELAY + 1) for number in range(100, 160))


def test_a_relay_whose_messages_do_not_come_again_is_shared(engine: Engine) -> None:
    """One in twenty does, and some clients ask for ever what nobody gives them."""
    share_messages(engine, 1, [2, 3, 4], {})
    for number in range(400):
        answered = through_relay(engine, number, 0)
        if not answered and number % 20 == 0:
            assert through_relay(engine, number, 110)
        assert through_relay(engine, number, 3000)
    assert not all(through_relay(engine, number, 0) for number in range(500, 520))
