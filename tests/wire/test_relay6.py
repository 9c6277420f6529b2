"""Relays' envelopes are opened, and put around a reply as each relay wants them.

Invariants of the fuzz: an envelope that is opened holds what a naive walk finds; and a reply, opened again, has the
hops of its request.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from extensions.inspect6 import compose6, ends_of_relays6, inspect6, inspect_relays6, relay_data6
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from wire import octets6 as say
from wire.octets6 import CLIENT_ID, message, option, relay_forw, relay_repl, u16, u32
from wire.test_packet6 import mutate, walk

from ipam_core.dhcp.reasons import FAULTS6

SEED = 20_251_124
SOLICIT = message(1, CLIENT_ID)
NOTHING = dict.fromkeys(
    ("interface_id", "remote_id", "subscriber_id", "relay_id", "link_layer", "network", "supplied", "echo_request",
     "relay_port")
)  # fmt: skip

# A RELAY-FORW as RFC 8415 draws it (figure 6), around a Solicit without options.
DRAWN = bytes.fromhex(
    "0c 00"
    "20010db8000000000000000000000001"
    "fe800000000000000000000000000042"
    "0012 0004 65746831"
    "0025 0006 00000009 7231"
    "0009 0004 01123456"
)


NOT_SENT = {
    "a relay id that is no DUID": (option(53, b"\0\1"), 53),
    "half a code to echo": (option(43, b"\0"), 43),
    "a remote id without an enterprise": (option(37, b"\0\0\0"), 37),
    "a link-layer address of one octet": (option(79, b"\0"), 79),
    "a port of one octet": (option(135, b"\1"), 135),
    "a port of three octets": (option(135, b"\1\2\3"), 135),
}


@pytest.mark.parametrize(("extra", "code"), NOT_SENT.values(), ids=NOT_SENT)
def test_a_malformed_option_of_a_relay_counts_as_absent(extra: bytes, code: int) -> None:
    found = read(relay_forw(SOLICIT, extra))
    (hop,) = found["hops"]
    assert {name: hop[name] for name in NOTHING} == NOTHING
    assert (found["message"], found["ignored"]) == (SOLICIT, [code])


@pytest.mark.parametrize(("extra", "code"), NOT_SENT.values(), ids=NOT_SENT)
def test_the_first_well_formed_option_of_a_relay_counts(extra: bytes, code: int) -> None:
    found = read(relay_forw(SOLICIT, extra, *ALL_OPTIONS.values()))
    (hop,) = found["hops"]
    assert {name: hop[name] for name in ALL_OPTIONS} == {name: data[4:] for name, data in ALL_OPTIONS.items()}
    assert found["ignored"] == [code]


CUT = {
    "a rest without a code": (b"\0", [0]),
    "a header without a length": (b"\0\x12\0", [0]),
    "an interface id": (b"\0\x12\0\5eth1", [18]),
    "an option above 255": (b"\3\xe7\0\5eth1", [0]),
    "a second message": (b"\0\x09\0\x40\1", [9]),
}


@pytest.mark.parametrize(("rest", "ignored"), CUT.values(), ids=CUT)
def test_an_envelope_that_is_cut_behind_its_message(rest: bytes, ignored: list[int]) -> None:
    found = read(DRAWN + rest)
    assert (found["hops"][0]["interface_id"], found["message"]) == (b"eth1", DRAWN[-4:])
    assert found["ignored"] == ignored
    assert answer(DRAWN + rest) == answer(DRAWN)


def test_supplied_options_before_a_cut_one_are_kept() -> None:
    said = option(65, b"\3erp\0") + b"\0\x41\0\x20x"
    found = read(relay_forw(SOLICIT, option(66, said)))
    assert (found["hops"][0]["supplied"], found["ignored"]) == (said, [66])


def test_a_network_without_type_is_kept_as_one_that_nobody_has() -> None:
    found = read(relay_forw(SOLICIT, option(68), option(68, b"\0vpn")))
    assert (found["hops"][0]["network"], found["ignored"]) == (b"", [68])


def nest(count: int, *options: bytes, inner: bytes = SOLICIT) -> bytes:
    """In `count` envelopes, each with these options; the innermost counts 0."""
    for hops in range(count):
        inner = relay_forw(inner, *options, hops=hops, link=f"2001:db8:{hops}::1", peer=f"fe80::{hops + 1}")
    return inner


def read(data: bytes) -> dict[str, Any]:
    found = inspect_relays6(data)
    assert isinstance(found, dict), f"refused as {found}: {data.hex()}"
    return found


def test_an_envelope_of_the_rfc() -> None:
    found = read(DRAWN)
    assert found["message"] == bytes.fromhex("01123456")
    (hop,) = found["hops"]
    assert hop.pop("options") == DRAWN[34:]
    assert hop == NOTHING | {
        "hop_count": 0,
        "link_address": say.ip("2001:db8::1"),
        "peer_address": say.ip("fe80::42"),
        "interface_id": b"eth1",
        "remote_id": u32(9) + b"r1",
    }


def test_without_a_relay_the_datagram_is_the_message() -> None:
    assert read(SOLICIT) == {"hops": [], "message": SOLICIT, "ignored": []}
    assert ends_of_relays6(SOLICIT) is None


def test_the_outermost_relay_comes_first() -> None:
    """RFC 8415 section 19.1.2: each relay counts one more than the one before it."""
    data = nest(3)
    found = read(data)
    assert [hop["hop_count"] for hop in found["hops"]] == [2, 1, 0]
    assert [hop["peer_address"] for hop in found["hops"]] == [say.ip(f"fe80::{n}") for n in (3, 2, 1)]
    assert found["message"] == SOLICIT
    assert ends_of_relays6(data) == (say.ip("2001:db8:2::1"), say.ip("2001:db8:0::1"))


@pytest.mark.parametrize("count", range(10))
def test_nine_relays_are_as_many_as_there_may_be(count: int) -> None:
    """Hop counts 0 to HOP_COUNT_LIMIT, 8."""
    assert len(read(nest(count))["hops"]) == count


def relay_data(data: bytes) -> bytes:
    """RFC 5007 section 4.1.2.4: the same without the client's message, whose option stands last."""
    inner = read(data)["message"]
    length, told = len(data) - len(inner) - 4, data[: -len(inner) - 4]
    at = 0
    while (at := told.find(b"\0\x09", at + 34)) > 0:  # the RELAY-MSG options around those that are inside
        told = told[: at + 2] + (length - at - 4).to_bytes(2, "big") + told[at + 4 :]
    return told


@pytest.mark.parametrize("count", range(10))
def test_what_relays_said_without_the_clients_message(count: int) -> None:
    """As leases keep it, behind the address of the outermost relay: as a whole, or not at all."""
    data = nest(count, option(18, b"eth1"))
    whole = bytes(15) + b"\1" + relay_data(data) if count else b""
    assert relay_data6(data, 1, len(whole) or 512) == whole
    assert relay_data6(data, 1, max(len(whole) - 1, 0)) == b""


@pytest.mark.parametrize("count", [10, 33, 250])
def test_more_relays(count: int) -> None:
    assert inspect_relays6(nest(count)) == "too_many_relays"


ALL_OPTIONS = {
    "interface_id": option(18, b"ge-0/0/1"),
    "remote_id": option(37, u32(9) + b"modem"),
    "subscriber_id": option(38, b"7"),
    "relay_id": option(53, say.SERVER_DUID),
    "link_layer": option(79, b"\0\1" + bytes.fromhex("020000000001")),
    "network": option(68, b"\0vpn"),
    "supplied": option(66, option(65, b"\3erp\0")),
    "echo_request": option(43, u16(37) + u16(300)),
    "relay_port": option(135, u16(1067)),
}


def test_what_a_relay_tells() -> None:
    (hop,) = read(relay_forw(SOLICIT, *ALL_OPTIONS.values()))["hops"]
    assert {name: hop[name] for name in ALL_OPTIONS} == {name: data[4:] for name, data in ALL_OPTIONS.items()}


def test_of_what_a_relay_repeats_the_first_counts() -> None:
    (hop,) = read(relay_forw(SOLICIT, option(18, b"a"), option(18, b"b"), option(18)))["hops"]
    assert hop["interface_id"] == b"a"


def test_unknown_options_and_an_empty_interface_id() -> None:
    (hop,) = read(relay_forw(SOLICIT, option(999, b"x"), option(18)))["hops"]
    assert {name: hop[name] for name in NOTHING} == NOTHING | {"interface_id": b""}


FAULTY = {
    "nothing": (b"", "too_short"),
    "more than UDP carries": (DRAWN + bytes(65536), "too_long"),
    "half a header": (DRAWN[:33], "too_short"),
    "no message": (DRAWN[:34], "bad_relay"),
    "a message that is cut": (DRAWN[:-1], "bad_relay"),
    "two messages": (DRAWN + option(9, SOLICIT), "repeated_option"),
    "half an inner header": (relay_forw(DRAWN[:20]), "too_short"),
    "an inner envelope without message": (relay_forw(DRAWN[:34]), "bad_relay"),
}


@pytest.mark.parametrize(("data", "fault"), FAULTY.values(), ids=FAULTY)
def test_a_malformed_envelope_is_named(data: bytes, fault: str) -> None:
    assert inspect_relays6(data) == fault


@pytest.mark.parametrize("inner", [b"", b"\1", relay_repl(SOLICIT), message(2), message(7)])
def test_what_no_client_sends_is_refused_behind_the_envelope(inner: bytes) -> None:
    """RFC 8415 sections 16.3, 16.10, 16.14: of a RELAY-REPL too."""
    assert read(relay_forw(inner))["message"] == inner
    assert inspect6(inner) in ("too_short", "bad_message_type")


# Replies.

REPLY = message(7, CLIENT_ID)
ITEMS = [("option", 1, say.CLIENT_DUID)]


def answer(request: bytes, **more: Any) -> bytes | None:
    return compose6(request, 7, say.XID, list(ITEMS), **more)[0]


def test_a_reply_without_relays() -> None:
    assert answer(SOLICIT) == REPLY


def test_a_reply_to_the_envelope_of_the_rfc() -> None:
    """Hop count and addresses are copied, the Interface-Id goes back (section 21.18), the Remote-Id does not."""
    assert answer(DRAWN) == relay_repl(REPLY, option(18, b"eth1"), link="2001:db8::1", peer="fe80::42")


def test_each_relay_has_its_own_back() -> None:
    """RFC 8415 section 19.3 and its example; the source port (RFC 8357) where it was sent."""
    inner = relay_forw(SOLICIT, option(18, b"a"), link="2001:db8::1", peer="fe80::a")
    outer = relay_forw(inner, option(135, u16(0)), option(18, b"b"), hops=1, link="::", peer="2001:db8::2")
    back = relay_repl(REPLY, option(18, b"a"), link="2001:db8::1", peer="fe80::a")
    expected = relay_repl(back, option(18, b"b"), option(135, u16(0)), hops=1, peer="2001:db8::2")
    assert answer(outer) == expected


def test_the_virtual_network_goes_back_if_it_was_used() -> None:
    """RFC 6607: by its coming back the relay knows that the server heeded it."""
    network = option(68, b"\0vpn")
    data = relay_forw(relay_forw(SOLICIT, network), network, hops=1)
    assert answer(data) == relay_repl(relay_repl(REPLY), hops=1)
    assert answer(data, networks_used=[1]) == relay_repl(relay_repl(REPLY, network), hops=1)
    assert answer(data, networks_used=[0]) == relay_repl(relay_repl(REPLY), network, hops=1)


def test_what_a_relay_wants_back_goes_back_verbatim() -> None:
    """RFC 4994 section 5: what is there already is not sent twice, what was not received is not made up."""
    wants = option(43, b"".join(map(u16, (18, 37, 9, 999, 38, 37))))
    received = [
        option(37, u32(9) + b"r"),
        wants,
        option(18, b"e"),
        option(999, b"?"),
        option(53, say.SERVER_DUID),
    ]
    assert answer(relay_forw(SOLICIT, *received)) == relay_repl(
        REPLY, option(18, b"e"), option(37, u32(9) + b"r"), option(999, b"?")
    )


def test_the_deepest_nest_with_a_lease_in_it() -> None:
    data = nest(9, option(18, b"e"))
    prefix = ("prefix", say.ip("2001:db8::"), 48, 1, 2, (say.ip("2001:db8:0:1::"), 64))
    reply, left_out = compose6(data, 7, say.XID, [("ia", 25, 1, 3, 4, [prefix])])
    assert left_out == []
    assert reply is not None
    for hops in range(8, -1, -1):
        assert reply[:2] == bytes([13, hops])
        assert reply[34:].startswith(option(18, b"e") + u16(9) + u16(len(reply) - 34 - 5 - 4))
        reply = reply[34 + 5 + 4 :]
    excluded = option(67, bytes([64]) + u16(1))
    assert reply == message(7, say.ia_pd(1, say.iaprefix("2001:db8::", 48, 1, 2, excluded), t1=3, t2=4))


def test_envelopes_that_do_not_fit() -> None:
    """At each size: the whole, or without the option, or nothing at all; never an octet too many."""
    data = nest(2, option(18, b"eth"), option(135, u16(0)))
    whole = answer(data)
    assert whole is not None
    for limit in range(len(whole) + 1):
        got, left_out = compose6(data, 7, say.XID, list(ITEMS), limit=limit)
        bare = len(whole) - len(CLIENT_ID)
        assert (None if got is None else len(got)) == (
            None if limit < bare else bare if left_out else len(whole)
        )
        assert left_out == ([] if limit == len(whole) else ITEMS)


# The fuzz.


def agree(data: bytes) -> None:
    found = inspect_relays6(data)
    if isinstance(found, str):
        assert found in FAULTS6, data.hex()
        return
    inner = data
    for hop in found["hops"]:
        assert inner[:34] == bytes([12, hop["hop_count"]]) + hop["link_address"] + hop["peer_address"]
        assert hop["options"] == inner[34:]
        options = list(walk(inner[34:]))
        assert {name: hop[name] for name in ALL_OPTIONS} == first_of(options)
        (inner,) = [value for code, value in options if code == 9]
    assert found["message"] == inner
    check_answer(found["hops"], answer(data))


def first_of(options: list[tuple[int, bytes]]) -> dict[str, bytes | None]:
    first = dict(reversed([(code, value) for code, value in options if counts(code, value)]))
    return {name: first.get(int.from_bytes(data[:2], "big")) for name, data in ALL_OPTIONS.items()}


def counts(code: int, value: bytes) -> bool:
    """Whether the option is well-formed."""
    least = {53: 3, 37: 4, 79: 2, 135: 2}.get(code, 0)
    most = {53: 130, 135: 2}.get(code, 65535)
    return least <= len(value) <= most and (code != 43 or len(value) % 2 == 0)


def check_answer(hops: list[dict[str, Any]], reply: bytes | None) -> None:
    """Each envelope is its hop's, with Interface-Id and source port; None: they do not fit."""
    if reply is None:
        return
    for hop in hops:
        assert reply[:34] == bytes([13, hop["hop_count"]]) + hop["link_address"] + hop["peer_address"]
        options = list(walk(reply[34:]))
        back = first_of(options)
        assert (back["interface_id"], back["relay_port"]) == (hop["interface_id"], hop["relay_port"])
        code, reply = options[-1]
        assert code == 9
    assert reply in (REPLY, message(7))


SEEDS = [data for data, _ in FAULTY.values() if len(data) < 2000] + [
    nest(3, *ALL_OPTIONS.values()),
    nest(9),
    relay_forw(SOLICIT, *ALL_OPTIONS.values(), option(999, b"?")),
]


def test_mutants(fuzz_count: int) -> None:
    rng = Random(SEED)
    for _ in range(fuzz_count // 2):
        agree(mutate(rng.choice(SEEDS), rng))


def test_envelopes_cut_anywhere() -> None:
    for data in SEEDS:
        for end in range(len(data)):
            agree(data[:end])


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.lists(st.sampled_from(list(ALL_OPTIONS.values())), max_size=6), max_size=10))
def test_nests_of_any_shape(hops: list[list[bytes]]) -> None:
    data = SOLICIT
    for count, options in enumerate(hops):
        data = relay_forw(data, *options, hops=count)
    agree(data)
