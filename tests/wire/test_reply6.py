"""DHCPv6 replies are written as RFC 8415 draws them, each option whole or not at all.

Invariants of the fuzz: what is written is read again as it was given, and whatever the limit, nothing is written beyond
it and nothing stands there by halves.
"""

from __future__ import annotations

from ipaddress import IPv6Network
from random import Random
from typing import Any

import pytest
from extensions.inspect6 import compose6, inspect6, is_for_another_server
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from wire import octets6 as say
from wire.octets6 import CLIENT_ID, message, option, u16, u32

SOLICIT = message(1, CLIENT_ID)
ALL = 0xFFFFFFFF
NO_ADDRESSES, NO_PREFIXES = 2, 6


def compose(*items: tuple[Any, ...], kind: int = 7) -> bytes:
    reply, left_out = compose6(SOLICIT, kind, say.XID, list(items))
    assert left_out == []
    assert reply is not None
    return reply


def test_a_reply_of_the_rfc() -> None:
    """Figures 2, 11, 12, 15, 17, 20, 23, 29 and 30, octet by octet."""
    address = ("address", say.ip("2001:db8::42"), 3600, 7200)
    prefix = ("prefix", say.ip("2001:db8:ff00::"), 56, 3600, 7200, None)
    assert compose(
        ("option", 1, say.CLIENT_DUID),
        ("option", 2, say.SERVER_DUID),
        ("u8", 7, 255),
        ("option", 14, b""),
        ("ia", 3, 1, 1800, 2880, [address]),
        ("ia", 25, 2, 0, 0, [prefix]),
        ("ia", 25, 3, 0, 0, [("status", NO_PREFIXES, b"none left")]),
        ("u32", 82, 3600),
        ("status", 0, b""),
    ) == bytes.fromhex(
        "07 123456"
        "0001 000e 0001 0001 1a2b3c4d 020000000001"
        "0002 000a 0003 0001 0200000000ff"
        "0007 0001 ff"
        "000e 0000"
        "0003 0028 00000001 00000708 00000b40"
        "     0005 0018 20010db8000000000000000000000042 00000e10 00001c20"
        "0019 0029 00000002 00000000 00000000"
        "     001a 0019 00000e10 00001c20 38 20010db8ff00000000000000000000 00"
        "0019 001b 00000003 00000000 00000000"
        "     000d 000b 0006 6e6f6e65206c656674"
        "0052 0004 00000e10"
        "000d 0002 0000"
    )


def test_an_answer_to_a_registration() -> None:
    """RFC 9686 section 4.3: the address stands outside of any identity association."""
    reply = compose(("option", 1, say.CLIENT_DUID), ("address", say.ip("2001:db8::1"), 1, 2), kind=37)
    assert reply == message(37, CLIENT_ID, say.iaaddr("2001:db8::1", 1, 2))


def test_an_ia_ta_has_no_times() -> None:
    reply = compose(("ia", 4, 9, 5, 6, [("status", NO_ADDRESSES, b"")]))
    assert reply == message(7, say.ia_ta(9, option(13, u16(NO_ADDRESSES))))


def test_a_transaction_id_has_24_bits() -> None:
    assert compose6(SOLICIT, 2, 0xFF123456, [])[0] == message(2)


@pytest.mark.parametrize(
    ("delegated", "excluded", "octets"),
    [
        # RFC 6603 section 4.2: the bits behind the delegated prefix, from the left
        ("2001:db8:dead:bee0::/59", "2001:db8:dead:beef::/64", "40 78"),
        ("2001:db8::/48", "2001:db8:0:1::/64", "40 0001"),
        ("2001:db8::/56", "2001:db8:0:ff::/64", "40 ff"),
        ("2001:db8::/63", "2001:db8:0:1::/64", "40 80"),
        ("2001:db8::/47", "2001:db8:1:8000::/49", "31 c0"),
        ("2001:db8::/40", "2001:db8:0:abcd:8000::/65", "41 00abcd80"),
        ("::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", "80" + "ff" * 16),
        ("2001:db8::/127", "2001:db8::1/128", "80 80"),
    ],
)
def test_an_excluded_prefix(delegated: str, excluded: str, octets: str) -> None:
    within, part = IPv6Network(delegated), IPv6Network(excluded)
    pair = (part.network_address.packed, part.prefixlen)
    item = ("prefix", within.network_address.packed, within.prefixlen, 1, 2, pair)
    found = inspect6(compose(("ia", 25, 1, 0, 0, [item]), kind=1))
    assert isinstance(found, dict)
    (lease,) = found["ias"][0]["addresses"]
    assert lease["excluded"] == bytes.fromhex(octets)


@pytest.mark.parametrize("length", [0, 55, 56, 129, 255])
def test_no_prefix_without_the_part_that_it_must_exclude(length: int) -> None:
    prefix = ("prefix", say.ip("2001:db8::"), 56, 1, 2, (say.ip("2001:db8::"), length))
    assert compose6(SOLICIT, 7, say.XID, [prefix]) == (message(7), [prefix])


@pytest.mark.parametrize(
    ("data", "another"),
    [
        (message(3, CLIENT_ID, say.SERVER_ID), False),
        (message(1, CLIENT_ID), False),
        (message(3, CLIENT_ID, option(2, say.SERVER_DUID + b"\0")), True),
        (message(3, CLIENT_ID, option(2, say.SERVER_DUID[:-1])), True),
        (message(3, CLIENT_ID, option(2, say.CLIENT_DUID)), True),
    ],
)
def test_whose_server_identifier_it_is(data: bytes, another: bool) -> None:
    """RFC 8415 sections 16.4 to 16.12."""
    assert is_for_another_server(data, say.SERVER_DUID) is another


# The fuzz. A message of a client is written, since that is what the codec reads.

ADDRESSES = st.binary(min_size=16, max_size=16)
NUMBERS = st.integers(0, ALL)
ADDRESS = st.tuples(st.just("address"), ADDRESSES, NUMBERS, NUMBERS)


@st.composite
def prefixes(draw: st.DrawFn) -> tuple[Any, ...]:
    length = draw(st.integers(0, 128))
    longer = st.tuples(ADDRESSES, st.integers(length + 1, 128)) if length < 128 else st.none()
    excluded = draw(st.none() | longer)
    return ("prefix", draw(ADDRESSES), length, draw(NUMBERS), draw(NUMBERS), excluded)


def associations(kind: int, lease: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[tuple[Any, ...]]:
    times = st.just(0) if kind == 4 else NUMBERS
    return st.tuples(st.just("ia"), st.just(kind), NUMBERS, times, times, st.lists(lease, max_size=2))


OTHERS = st.tuples(st.just("option"), st.sampled_from([23, 24, 59, 200, 4000]), st.binary(max_size=40))
ITEMS = st.lists(
    st.one_of(associations(3, ADDRESS), associations(4, ADDRESS), associations(25, prefixes()), OTHERS),
    max_size=8,
)


def as_read(item: tuple[Any, ...]) -> dict[str, Any]:
    _, kind, iaid, t1, t2, leases = item
    return {
        "kind": kind,
        "iaid": iaid,
        "t1": t1,
        "t2": t2,
        "addresses": [lease_as_read(lease) for lease in leases],
    }


def lease_as_read(lease: tuple[Any, ...]) -> dict[str, Any]:
    if lease[0] == "address":
        _, address, preferred, valid = lease
        return {"address": address, "length": 128, "preferred": preferred, "valid": valid, "excluded": None}
    _, address, length, preferred, valid, excluded = lease
    return {
        "address": address,
        "length": length,
        "preferred": preferred,
        "valid": valid,
        "excluded": excluded and excluded_octets(length, *excluded),
    }


def excluded_octets(length: int, prefix: bytes, excluded_length: int) -> bytes:
    """The bits as text, cut out and filled up to whole octets."""
    bits = f"{int.from_bytes(prefix, 'big'):0128b}"[length:excluded_length]
    filled = bits.ljust(-(-len(bits) // 8) * 8, "0")
    return bytes([excluded_length]) + int(filled, 2).to_bytes(len(filled) // 8, "big")


@settings(max_examples=examples(500), deadline=None)
@given(ITEMS)
def test_what_is_written_is_read(items: list[tuple[Any, ...]]) -> None:
    data, left_out = compose6(SOLICIT, 1, say.XID, items)
    assert data is not None
    written = [item for item in items if not any(item is other for other in left_out)]
    found = inspect6(data)
    assert isinstance(found, dict), f"{found}: {data.hex()}"
    ias = {(item[1], item[2]): item for item in reversed(written) if item[0] == "ia"}
    in_order = [item for item in written if item[0] == "ia" and ias[item[1], item[2]] is item]
    assert found["ias"] == [as_read(item) for item in in_order]
    first = {code: value for name, code, value, *_ in reversed(written) if name == "option"}
    assert {code: value for code, value in found["options"].items() if code not in (3, 4, 25)} == first


@settings(max_examples=examples(500), deadline=None)
@given(ITEMS, st.integers(0, 400))
def test_nothing_is_written_beyond_the_limit(items: list[tuple[Any, ...]], limit: int) -> None:
    """What was left out leaves no trace: the rest alone gives the same octets."""
    data, left_out = compose6(SOLICIT, 1, say.XID, items, limit=limit)
    if data is None:
        assert limit < 4
        return
    assert len(data) <= limit
    written = [item for item in items if not any(item is other for other in left_out)]
    assert data == compose6(SOLICIT, 1, say.XID, written)[0]


def test_no_buffer_is_too_small() -> None:
    """Each limit around each item's end: whole or not at all."""
    rng = Random(1)
    lease = ("prefix", rng.randbytes(16), 40, 1, 2, (rng.randbytes(16), 77))
    items: list[tuple[Any, ...]] = [
        ("ia", 25, 1, 2, 3, [lease, ("status", 0, b"ok")]),
        ("u32", 82, 9),
        ("u8", 7, 1),
    ]
    whole = len(compose(*items))
    sizes = {compose6(SOLICIT, 7, 1, items, limit=limit)[0] for limit in range(4, whole + 1)}
    alone = [4, *(len(compose(item)) for item in items)]
    assert {len(data) for data in sizes if data} == {*alone, alone[2] + 5, alone[1] + 5, alone[1] + 8, whole}


def test_vendor_options_and_long_values() -> None:
    value = bytes(1440)
    assert compose(("option", 17, u32(9) + option(1, b"x"))) == message(
        7, option(17, u32(9) + option(1, b"x"))
    )
    assert compose(("option", 60, value)) == message(7, option(60, value))
    assert compose6(SOLICIT, 7, 1, [("option", 60, value + bytes(5))])[1] != []
