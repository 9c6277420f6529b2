"""A malformed option of a client or relay costs neither its answer (decisions: Malformed options).

Decided by the engine itself without socket or database; 127.64.0.0/16 is on interface 7, behind a switch that says the
circuit, and behind relay 127.0.0.1.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.test_reply_address import copied
from fuzz.engine import CLOCK, FIELDS, KEY, NETWORK, RELAY, TENANT
from oracle import packets as say
from oracle.options4 import ACK, NAK, OFFER
from oracle.packets import Packet

from dhcp_fast.database.plan.class_conditions import conditions
from dhcp_fast.engine.configure import set_switches
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.engine.notices import noticed
from dhcp_fast.packets.message4 import read_reply
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

MAC = "02:00:00:00:00:01"
OURS = int(IPv4Address("192.0.2.67"))
ELSEWHERE = IPv4Address("192.0.2.99")
WIRE, NUMBER = 7, 5
RESERVED, BY_CIRCUIT = IPv4Address(NETWORK + 9), IPv4Address(NETWORK + 10)
WIRE_LEASE = IPv4Address(NETWORK + 100)
IN_POOL = range(NETWORK + 16, NETWORK + 201)


def made(**fields: Any) -> Engine:
    engine = Engine(KEY)
    engine.plan.set_relays([(0, 0, TENANT)], TENANT)
    told = {"no": NUMBER, "network": NETWORK, "pools": [PoolRow(1, NETWORK + 16, NETWORK + 200)]}
    classes = fields.pop("classes", [])
    engine.put_subnet(SubnetView(TenantView(TENANT, classes), KEY, FIELDS | told | fields), [RELAY], [WIRE])
    set_switches(engine, [WIRE])
    now = boot_clock()
    engine.set_clock(CLOCK, now, now)
    return engine


@pytest.fixture
def engine() -> Engine:
    return made(reservations=[(int(BY_CIRCUIT), [b"\3eth1/3"], None, [])])


def ask(engine: Engine, packet: Packet | bytes, *, broadcast: bool = True) -> Any:
    data = packet if isinstance(packet, bytes) else packet.bytes()
    return explain(engine, data, OURS, WIRE, 68, broadcast)


def answer(engine: Engine, packet: Packet | bytes, **more: Any) -> Any:
    """The reply."""
    found = ask(engine, packet, **more)
    assert found["drop"] is None, found["drop"]
    return read_reply(found["reply"])


LENGTHS = {
    12: (0,), 50: (0, 3, 5, 8), 51: (0, 2, 5), 52: (0, 1, 2), 54: (0, 3, 5), 55: (0,), 57: (0, 1, 3, 4), 60: (0,),
    61: (0,), 77: (0,), 80: (1,), 81: (0, 2), 93: (0, 1, 3), 94: (0, 2, 4), 97: (0, 16, 18), 116: (0, 2),
    118: (0, 3, 5), 124: (0, 3, 4), 125: (0, 4, 7),
}  # fmt: skip


@pytest.mark.parametrize(("code", "length"), [(code, n) for code in LENGTHS for n in LENGTHS[code]])
@pytest.mark.parametrize("relayed", [False, True])
def test_a_client_is_offered_an_address_all_the_same(
    code: int, length: int, relayed: bool, engine: Engine
) -> None:
    packet = say.discover(MAC).asking(1, 3) if code != 55 else say.discover(MAC)
    packet = packet.option(code, bytes(length))
    offer = answer(engine, packet.with_relay(IPv4Address(RELAY)) if relayed else packet)
    assert (offer.type, int(offer.yiaddr) in IN_POOL) == (OFFER, True)
    assert not {61, 97, 81, 80, 118} & set(offer.options)
    assert engine.counters()["ignored_options"] == {str(code): 1}
    assert engine.counters()["drops"] == {}


@pytest.mark.parametrize(("code", "length"), [(code, n) for code in LENGTHS for n in LENGTHS[code]])
def test_a_client_renews_all_the_same(code: int, length: int, engine: Engine) -> None:
    RowReader(engine).feed(copied(MAC, WIRE_LEASE, TENANT, NUMBER))
    packet = say.request_renewing(MAC, WIRE_LEASE).option(code, bytes(length))
    ack = answer(engine, packet, broadcast=False)
    assert (ack.type, ack.yiaddr) == (ACK, WIRE_LEASE)


@pytest.mark.parametrize("rest", ["0c146162636465", "3d", "3d07", "3d0701", "5210", "32040a00", "fe"])
def test_an_option_that_is_cut_at_the_very_end(rest: str, engine: Engine) -> None:
    """The rest of a datagram without END; a cut client id leaves the hardware address."""
    offer = answer(engine, say.discover(MAC).asking(1, 51).without_end().bytes() + bytes.fromhex(rest))
    assert (offer.type, 51 in offer.options) == (OFFER, True)
    assert engine.counters()["ignored_options"] == {str(bytes.fromhex(rest)[0]): 1}


def test_options_that_are_cut_before_the_message_type(engine: Engine) -> None:
    data = say.bootp(MAC).without_end().bytes() + b"\x3d\x20\1"
    assert ask(engine, data)["drop"] == "option_overrun"
    assert engine.counters()["ignored_options"] == {}


# --- who the client is


@pytest.mark.parametrize("match_client_id", [False, True])
def test_a_client_id_of_one_octet_is_one(match_client_id: bool) -> None:
    engine = made(match_client_id=match_client_id)
    offers = [answer(engine, say.discover(MAC).client_id(identity)) for identity in (b"\1", b"\2")]
    assert [offer.options[61] for offer in offers] == [b"\1", b"\2"]
    assert (offers[0].yiaddr != offers[1].yiaddr) == match_client_id
    assert engine.counters()["ignored_options"] == {}


@pytest.mark.parametrize("match_client_id", [False, True])
def test_an_empty_client_id_is_none(match_client_id: bool) -> None:
    """The hardware address identifies the client; without one nothing does."""
    engine = made(match_client_id=match_client_id)
    plain = answer(engine, say.discover(MAC))
    empty = answer(engine, say.discover(MAC).client_id(b""))
    assert (empty.yiaddr, 61 in empty.options) == (plain.yiaddr, False)
    nobody = say.discover(b"").client_id(b"")
    assert ask(engine, nobody)["drop"] == "no_identity"


def test_a_reserved_client_keeps_its_reservation(engine: Engine) -> None:
    """By its circuit: a cut sub-option behind it changes nothing, and option 82 comes back as it came."""
    said = b"\1\6eth1/3" + b"\2\x20cut"
    offer = answer(engine, say.discover(MAC).option(82, said))
    assert (offer.yiaddr, offer.options[82]) == (BY_CIRCUIT, said)
    assert engine.counters()["ignored_options"] == {"82": 1}


@pytest.mark.parametrize("said", [b"", b"\1", b"\1\x20eth1/3", b"\2\x09\1\6eth1/3"])
def test_a_circuit_that_cannot_be_read_chooses_no_reservation(said: bytes, engine: Engine) -> None:
    offer = answer(engine, say.discover(MAC).option(82, said))
    assert int(offer.yiaddr) in IN_POOL
    assert offer.options[82] == said
    assert engine.counters()["ignored_options"] == {"82": 1}


@pytest.mark.parametrize("bad", [b"\5\3\x0a\0\0", b"\x0b\0", b"\x0b\5\x0a\0\0\1\0", b"\x0a\0", b"\x13\1\0"])
def test_a_malformed_sub_option_of_a_relay(bad: bytes, engine: Engine) -> None:
    """The subnet is the relay's, the server's name its own, the reply goes to port 67."""
    packet = say.discover(MAC).with_relay(IPv4Address(RELAY)).option(82, bad + b"\1\1x")
    found = ask(engine, packet, broadcast=False)
    offer: Any = read_reply(found["reply"])
    assert (offer.type, int(offer.yiaddr) in IN_POOL) == (OFFER, True)
    assert (offer.options[54], found["sent"][2]) == (IPv4Address(OURS).packed, 67)
    assert offer.options[82] == bad + b"\1\1x"


# --- for whom the message is

NO_SERVER = [b"", b"\x0a\0\0", bytes(5), IPv4Address(OURS).packed + ELSEWHERE.packed]


def selecting(server: bytes, address: IPv4Address | None) -> Packet:
    packet = say.message(3, MAC).option(54, server)
    return packet if address is None else packet.requesting(address)


@pytest.mark.parametrize("server", NO_SERVER)
@pytest.mark.parametrize("named", [True, False])
def test_a_client_that_selects_a_server_that_cannot_be_read_gets_our_offer(
    server: bytes, named: bool, engine: Engine
) -> None:
    offered = answer(engine, say.discover(MAC)).yiaddr
    ack = answer(engine, selecting(server, offered if named else None))
    assert (ack.type, ack.yiaddr) == (ACK, offered)


@pytest.mark.parametrize("server", NO_SERVER)
@pytest.mark.parametrize("address", [WIRE_LEASE, ELSEWHERE, None])
def test_it_may_have_selected_another_server(
    server: bytes, address: IPv4Address | None, engine: Engine
) -> None:
    """A NAK would take the client what that one gives."""
    assert ask(engine, selecting(server, address))["drop"] == "other_server"
    offered = answer(engine, say.discover(MAC)).yiaddr
    other = IPv4Address(int(offered) + 1)
    assert ask(engine, selecting(server, other))["drop"] == "other_server"


@pytest.mark.parametrize("server", NO_SERVER)
@pytest.mark.parametrize("named", [True, False])
def test_it_gets_its_lease_if_there_is_no_offer(server: bytes, named: bool, engine: Engine) -> None:
    RowReader(engine).feed(copied(MAC, WIRE_LEASE, TENANT, NUMBER))
    ack = answer(engine, selecting(server, WIRE_LEASE if named else None))
    assert (ack.type, ack.yiaddr) == (ACK, WIRE_LEASE)
    assert ask(engine, selecting(server, ELSEWHERE))["drop"] == "other_server"


@pytest.mark.parametrize("server", NO_SERVER)
@pytest.mark.parametrize("named", [True, False])
def test_it_gets_no_nak_for_a_lease_that_the_configuration_took(
    server: bytes, named: bool, engine: Engine
) -> None:
    """The address is in no pool: a client in INIT-REBOOT would lose its row."""
    address = IPv4Address(NETWORK + 5)
    RowReader(engine).feed(copied(MAC, address, TENANT, NUMBER))
    assert ask(engine, selecting(server, address if named else None))["drop"] == "other_server"


def test_options_that_are_cut_may_have_named_another_server(engine: Engine) -> None:
    rebooting = say.request_init_reboot(MAC, WIRE_LEASE)
    cut = rebooting.without_end().bytes() + b"\x0c\x20abc"
    assert answer(engine, rebooting).type == NAK
    assert ask(engine, cut)["drop"] == "other_server"
    RowReader(engine).feed(copied(MAC, WIRE_LEASE, TENANT, NUMBER))
    assert (answer(engine, cut).type, answer(engine, cut).yiaddr) == (ACK, WIRE_LEASE)


def test_a_client_with_an_address_renews_whatever_server_it_names(engine: Engine) -> None:
    RowReader(engine).feed(copied(MAC, WIRE_LEASE, TENANT, NUMBER))
    packet = say.request_rebinding(MAC, WIRE_LEASE).option(54, b"\x0a")
    assert answer(engine, packet).yiaddr == WIRE_LEASE


def test_pieces_that_are_equal_count_once(engine: Engine) -> None:
    asked = IPv4Address(NETWORK + 77)
    packet = (
        say.discover(MAC)
        .also(50, asked.packed)
        .also(50, asked.packed)
        .also(57, b"\5\xdc")
        .also(57, b"\5\xdc")
    )
    assert answer(engine, packet).yiaddr == asked
    assert engine.counters()["ignored_options"] == {"50": 1, "57": 1}


# --- what operators see


def test_a_notice_is_counted(engine: Engine) -> None:
    answer(engine, say.discover(MAC).option(12, b""))
    answer(engine, say.discover(MAC).option(12, b"x"))
    assert noticed(engine)["options_ignored"] == 1


def test_a_class_does_not_see_a_malformed_option() -> None:
    row = {"no": 1, "name": "vendors", "match": {"option": 125, "exists": True}, "template": False}
    engine = made(classes=[{"no": 1, "deny": True, "match": conditions(row, [row], [])}])
    assert ask(engine, say.discover(MAC).option(125, b"\0\0\0\x09\1x"))["drop"] == "denied_class"
    assert answer(engine, say.discover(MAC).option(125, b"\0\0\0\x09\2x")).type == OFFER
