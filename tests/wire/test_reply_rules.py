"""The judge of replies: a lawful answer passes, and breaking one rule is named once.

Each case changes a lawful pair of datagrams in one respect; a judge that cannot say no is of no use.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest
from oracle import packets as say
from oracle.message4 import build
from oracle.options4 import Pair
from oracle.packets import Packet
from oracle.replies4 import check_reply

MAC = "02:00:00:00:00:21"
SERVER, OFFERED, RELAY = "10.0.0.2", "10.0.0.50", "10.0.0.1"
CHADDR = bytes.fromhex(MAC.replace(":", ""))
CIRCUIT = b"\x01\x06eth1/3"

ASKING = say.discover(MAC).client_id(b"\1" + CHADDR).asking(1, 3, 6, 15).with_relay(RELAY).circuit("eth1/3")
SELECTING = say.request_selecting(MAC, OFFERED, SERVER).asking(1, 3, 6)
RENEWING = say.request_renewing(MAC, OFFERED)
INFORMING = say.inform(MAC, OFFERED).asking(6)


def ip(text: str) -> bytes:
    return bytes(map(int, text.split(".")))


def u32(number: int) -> bytes:
    return struct.pack("!I", number)


LEASE: list[Pair] = [
    (54, ip(SERVER)),
    (51, u32(3600)),
    (58, u32(1800)),
    (59, u32(3150)),
    (1, ip("255.255.255.0")),
]


def answer(request: Packet, kind: int, options: list[Pair], **fields: Any) -> bytes:
    """A reply with the request's copied fields; the option list is all there is besides the type."""
    asked = dict(request.header)
    copied: dict[str, Any] = {
        name: asked[name] for name in ("xid", "hlen", "chaddr", "giaddr", "flags") if name in asked
    }
    return build([(53, bytes([kind])), *options], **({"op": 2} | copied | fields))


OFFER: list[Pair] = [
    *LEASE,
    (3, ip(RELAY)),
    (6, ip("10.0.0.3")),
    (42, ip("10.0.0.4")),
    (61, b"\1" + CHADDR),
    (82, CIRCUIT),
]


def swap(options: list[Pair], code: int, *instead: Pair) -> list[Pair]:
    """The list with every instance of `code` replaced by `instead` at its first place, or appended."""
    at = next((i for i, pair in enumerate(options) if pair[0] == code), len(options))
    kept = [pair for pair in options if pair[0] != code]
    return [*kept[:at], *instead, *kept[at:]]


def rules(request: Packet, reply: bytes, *, strict_order: bool = False) -> list[str]:
    broken = check_reply(request.bytes(), reply, strict_order=strict_order)
    return sorted({sentence.split(":")[0] for sentence in broken})


LAWFUL = {
    "offer through a relay": (ASKING, answer(ASKING, 2, OFFER, yiaddr=OFFERED)),
    "offer to a broadcasting client": (
        say.discover(MAC).broadcast(),
        answer(say.discover(MAC).broadcast(), 2, LEASE, yiaddr=OFFERED),
    ),
    "ack of a selection": (SELECTING, answer(SELECTING, 5, LEASE, yiaddr=OFFERED)),
    "ack of a renewal": (RENEWING, answer(RENEWING, 5, LEASE, yiaddr=OFFERED, ciaddr=OFFERED)),
    "ack of a renewal, ciaddr zero": (RENEWING, answer(RENEWING, 5, LEASE, yiaddr=OFFERED)),
    "ack of an inform": (INFORMING, answer(INFORMING, 5, [*LEASE[:1], (6, ip("10.0.0.3"))], ciaddr=OFFERED)),
    "nak": (SELECTING, answer(SELECTING, 6, [(54, ip(SERVER)), (56, b"no")])),
    "nak through a relay": (
        SELECTING.with_relay(RELAY).circuit("eth1/3"),
        answer(SELECTING.with_relay(RELAY), 6, [(54, ip(SERVER)), (82, CIRCUIT)], flags=0x8000),
    ),
    "rapid commit": (
        say.discover(MAC).rapid_commit(),
        answer(say.discover(MAC), 5, [*LEASE, (80, b"")], yiaddr=OFFERED),
    ),
    "offer in place of a rapid commit": (
        say.discover(MAC).rapid_commit(),
        answer(say.discover(MAC), 2, LEASE, yiaddr=OFFERED),
    ),
    "endless lease": (
        SELECTING,
        answer(SELECTING, 5, [(54, ip(SERVER)), (51, b"\xff" * 4), (58, b"\xff" * 4)], yiaddr=OFFERED),
    ),
    "server identifier of the relay's choice": (
        say.discover(MAC).with_relay(RELAY).server_override("10.0.0.9"),
        answer(
            say.discover(MAC).with_relay(RELAY),
            2,
            [*swap(LEASE, 54, (54, ip("10.0.0.9"))), (82, b"\x0b\x04" + ip("10.0.0.9"))],
            yiaddr=OFFERED,
        ),
    ),
    "option over 255 octets in pieces": (
        say.discover(MAC).max_size(1500),
        answer(say.discover(MAC), 2, [*LEASE, (43, bytes(600))], yiaddr=OFFERED),
    ),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_a_lawful_reply_breaks_no_rule(name: str) -> None:
    request, reply = LAWFUL[name]
    assert check_reply(request.bytes(), reply) == []


HEADER_FAULTS: dict[str, dict[str, Any]] = {
    "malformed": {"op": 1},
    "htype": {"htype": 6},
    "hops": {"hops": 1},
    "secs": {"secs": 1},
    "xid": {"xid": 1},
    "flags": {"flags": 0x8000},
    "giaddr": {"giaddr": "0.0.0.0"},
    "chaddr": {"chaddr": bytes(6)},
    "hlen": {"hlen": 5},
    "ciaddr": {"ciaddr": OFFERED},
    "yiaddr": {"yiaddr": "0.0.0.0"},
    "end": {"ended": False, "least": 0},
}


@pytest.mark.parametrize("rule", HEADER_FAULTS)
def test_a_header_fault_is_named(rule: str) -> None:
    reply = answer(ASKING, 2, OFFER, **{"yiaddr": OFFERED} | HEADER_FAULTS[rule])
    assert rules(ASKING, reply) == [rule]


OFFER_FAULTS = [
    ("server_id", swap(OFFER, 54)),
    ("malformed", swap(OFFER, 54, (54, b"\1"))),
    ("malformed", swap(OFFER, 3, (3, bytes(5)))),
    ("lease_time", swap(OFFER, 51)),
    ("lease_time", swap(swap(swap(OFFER, 51, (51, u32(0))), 58), 59)),
    ("timers", swap(OFFER, 58, (58, u32(3200)))),
    ("timers", swap(OFFER, 59, (59, u32(3600)))),
    ("must_not", [(50, ip(OFFERED)), *OFFER]),
    ("must_not", [(55, b"\1"), *OFFER]),
    ("must_not", [(57, b"\2\x40"), *OFFER]),
    ("client_id", swap(OFFER, 61)),
    ("client_id", swap(OFFER, 61, (61, b"\1" + bytes(6)))),
    ("relay_agent", swap(OFFER, 82)),
    ("relay_agent", swap(OFFER, 82, (82, b"\1\1a"))),
    ("relay_last", [*swap(OFFER, 82), (82, CIRCUIT), (43, b"x")]),
    ("mask_first", [*OFFER[:4], (3, ip(RELAY)), (1, ip("255.255.255.0")), *OFFER[6:]]),
    ("asked_first", [*OFFER[:4], (42, ip("10.0.0.4")), *swap(OFFER[4:], 42)]),
    ("repeated_back", swap(OFFER, 61, (61, b"\1" + CHADDR), (118, ip(RELAY)))),
    ("repeated_back", swap(OFFER, 61, (61, b"\1" + CHADDR), (97, bytes(17)))),
    ("unsolicited", swap(OFFER, 61, (61, b"\1" + CHADDR), (81, bytes(3)))),
    ("unsolicited", swap(OFFER, 61, (61, b"\1" + CHADDR), (221, b"\xff"))),
    ("repeated", swap(OFFER, 6, (6, ip("10.0.0.3")), (6, ip("10.0.0.4")))),
    ("too_large", [(43, bytes(250)), *OFFER]),
]


@pytest.mark.parametrize(("rule", "options"), OFFER_FAULTS)
def test_an_option_fault_is_named(rule: str, options: list[Pair]) -> None:
    found = rules(ASKING, answer(ASKING, 2, options, yiaddr=OFFERED))
    assert rule in found
    assert set(found) <= {rule, "asked_first"}


DISCOVERING, RAPID = say.discover(MAC), say.discover(MAC).rapid_commit()

OTHER_FAULTS = {
    "an ack to a discover that did not ask": (
        "rapid_commit",
        DISCOVERING,
        5,
        [*LEASE, (80, b"")],
        OFFERED,
    ),
    "a rapid commit without its option": (
        "rapid_commit",
        RAPID,
        5,
        LEASE,
        OFFERED,
    ),
    "an offer with option 80": (
        "rapid_commit",
        RAPID,
        2,
        [*LEASE, (80, b"")],
        OFFERED,
    ),
    "an offer to a request": ("kind", SELECTING, 2, LEASE, OFFERED),
    "a nak to a discover": ("kind", DISCOVERING, 6, LEASE[:1], "0.0.0.0"),
    "an answer to a release": ("kind", say.release(MAC, OFFERED, SERVER), 5, LEASE, OFFERED),
    "an answer to a decline": ("kind", say.decline(MAC, OFFERED, SERVER), 6, LEASE[:1], "0.0.0.0"),
    "another address than requested": ("yiaddr", SELECTING, 5, LEASE, "10.0.0.51"),
    "another address than renewed": ("yiaddr", RENEWING, 5, LEASE, "10.0.0.51"),
    "a nak with an address": ("yiaddr", SELECTING, 6, LEASE[:1], OFFERED),
    "a nak with a lease time": ("lease_time", SELECTING, 6, LEASE[:2], "0.0.0.0"),
    "a nak with a mask": ("must_not", SELECTING, 6, [LEASE[0], LEASE[4]], "0.0.0.0"),
    "an inform given an address": ("yiaddr", INFORMING, 5, LEASE[:1], OFFERED),
    "an inform given a lease": ("lease_time", INFORMING, 5, LEASE, "0.0.0.0"),
    "another server than selected": ("server_id", SELECTING, 5, swap(LEASE, 54, (54, ip(RELAY))), OFFERED),
    "a client identifier out of nothing": ("client_id", SELECTING, 5, [*LEASE, (61, b"\1a")], OFFERED),
    "relay information out of nothing": ("relay_agent", SELECTING, 5, [*LEASE, (82, CIRCUIT)], OFFERED),
}


@pytest.mark.parametrize("name", OTHER_FAULTS)
def test_a_fault_of_the_exchange_is_named(name: str) -> None:
    rule, request, kind, options, yiaddr = OTHER_FAULTS[name]
    assert rule in rules(request, answer(request, kind, options, yiaddr=yiaddr))


def test_a_nak_through_a_relay_must_be_broadcast() -> None:
    request = SELECTING.with_relay(RELAY)
    assert rules(request, answer(request, 6, LEASE[:1])) == ["flags"]


def test_a_nak_leaves_the_text_fields_unused() -> None:
    assert rules(SELECTING, answer(SELECTING, 6, LEASE[:1], file=b"boot")) == ["unused"]
    assert "unused" in rules(SELECTING, answer(SELECTING, 6, LEASE[:1], in_sname=[(56, b"no")]))


def test_sizes_and_what_stands_behind_the_end() -> None:
    reply = answer(SELECTING, 5, LEASE, yiaddr=OFFERED, least=0)
    assert rules(SELECTING, reply) == ["too_small"]
    assert rules(SELECTING, reply.ljust(300, b"\1")) == ["end"]
    assert rules(SELECTING, reply.ljust(548, b"\0")) == []
    assert rules(SELECTING, reply.ljust(549, b"\0")) == ["too_large"]
    assert rules(SELECTING.max_size(1500), reply.ljust(1472, b"\0")) == []


def test_relay_information_is_left_out_only_where_it_has_no_room() -> None:
    request = SELECTING.with_relay(RELAY).circuit(bytes(240))
    assert rules(request, answer(request, 5, LEASE, yiaddr=OFFERED)) == ["relay_agent"]
    assert rules(request, answer(request, 5, [*LEASE, (43, bytes(40))], yiaddr=OFFERED)) == []


VIRTUAL = ASKING.suboption(151, b"\0blue").suboption(152, b"").selecting_subnet(RELAY)
USED = CIRCUIT + b"\x97\5\0blue"


@pytest.mark.parametrize(
    ("echo", "copy", "broken"),
    [
        (USED, ip(RELAY), []),
        (USED + b"\x98\0", ip(RELAY), []),
        (CIRCUIT, ip(RELAY), ["relay_agent"]),
        (CIRCUIT + b"\x98\0", ip(RELAY), ["relay_agent"]),
        (USED, ip("10.0.0.9"), ["repeated_back"]),
    ],
)
def test_what_a_proxy_says_comes_back(echo: bytes, copy: bytes, broken: list[str]) -> None:
    """RFC 3011 2; RFC 6607 7.2: the control sub-option is left out where the network was used, and nothing else is."""
    options = swap(swap(OFFER, 82, (118, copy)), 42)
    assert rules(VIRTUAL, answer(VIRTUAL, 2, [*options, (82, echo)], yiaddr=OFFERED)) == broken


def test_the_message_type_comes_first() -> None:
    plain = answer(SELECTING, 5, LEASE, yiaddr=OFFERED)
    typed_late = plain.replace(
        b"\x35\x01\x05\x36\x04" + ip(SERVER), b"\x36\x04" + ip(SERVER) + b"\x35\x01\x05"
    )
    assert rules(SELECTING, typed_late) == ["type_first"]


def test_the_requested_order_is_judged_where_wanted() -> None:
    reply = answer(SELECTING, 5, [*LEASE, (6, ip("10.0.0.3")), (3, ip(RELAY))], yiaddr=OFFERED)
    assert rules(SELECTING, reply) == []
    assert rules(SELECTING, reply, strict_order=True) == ["requested_order"]


@pytest.mark.parametrize(("given", "broken"), [(OFFERED, []), ("10.0.0.51", []), ("10.0.0.52", ["yiaddr"])])
def test_a_request_that_names_two_addresses(given: str, broken: list[str]) -> None:
    """RFC 2131 table 5 forbids ciaddr and option 50 together: either may be what the client means."""
    request = RENEWING.requesting("10.0.0.51")
    assert rules(request, answer(request, 5, LEASE, yiaddr=given)) == broken


def test_garbage_deserves_no_answer() -> None:
    assert check_reply(b"", answer(SELECTING, 5, LEASE))[0].startswith("unanswerable")
