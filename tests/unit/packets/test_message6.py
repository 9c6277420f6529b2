"""The readable DHCPv6 codec writes what RFC 8415 draws, reads it again, and tells it for people.

Invariants of the fuzz: whatever the octets, reading and telling never raise; what is written is read as it was given;
and the packet path's codec, which shares no line with this one, reads and writes the same.
"""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network
from typing import Any

import pytest
from extensions.inspect6 import compose6, inspect6, inspect_relays6
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dhcp_fast.packets import message6 as m
from dhcp_fast.packets.dissect6 import tell
from dhcp_fast.packets.message6 import Envelope, Message, MessageType, Status

MAC = bytes.fromhex("020000000001")
XID = 0x123456
LINK, PEER = IPv6Address("2001:db8::1"), IPv6Address("fe80::42")
ADDRESS, NETWORK = IPv6Address("2001:db8::42"), IPv6Network("2001:db8:ff00::/56")
FOREVER = 0xFFFFFFFF

SOLICIT = bytes.fromhex(
    "01 123456"
    "0001 000e 0001 0001 1a2b3c4d 020000000001"
    "0008 0002 0064"
    "0006 0004 0017 0018"
    "0003 0028 00000001 00000000 00000000"
    "     0005 0018 20010db8000000000000000000000042 00000000 00000000"
    "0019 0029 00000002 00000000 00000000"
    "     001a 0019 00000e10 00001c20 38 20010db8ff00000000000000000000 00"
)
OPTIONS = [
    (m.CLIENT_ID, m.duid_llt(MAC, 0x1A2B3C4D)),
    m.elapsed(100),
    m.asking((23, 24)),
    m.association(m.IA_NA, 1, [m.address(ADDRESS)]),
    m.association(m.IA_PD, 2, [m.prefix(NETWORK, 3600, 7200)]),
]


def read(data: bytes) -> Message:
    found = m.read(data)
    assert isinstance(found, Message)
    return found


def test_a_message_is_written() -> None:
    assert m.message(MessageType.SOLICIT, XID, OPTIONS) == SOLICIT


def test_a_message_is_read() -> None:
    found = read(SOLICIT)
    assert (found.kind, found.xid, list(found.options)) == (1, XID, OPTIONS)
    assert found.asked == [23, 24]
    address, prefix = found.associations
    assert (address.kind, address.iaid, address.t1, address.t2) == (m.IA_NA, 1, 0, 0)
    assert [(lease.address, lease.length) for lease in address.leases] == [(ADDRESS, 128)]
    (delegated,) = prefix.leases
    assert (delegated.network, delegated.preferred, delegated.valid) == (NETWORK, 3600, 7200)


@pytest.mark.parametrize(
    ("option", "octets"),
    [
        (m.status(2, "none"), "000d 0006 0002 6e6f6e65"),
        (m.user_class(b"a", b"bc"), "000f 0007 0001 61 0002 6263"),
        (m.vendor_class(9, b"x"), "0010 0007 00000009 0001 78"),
        (m.vendor_options(9, [(1, b"x")]), "0011 0009 00000009 0001 0001 78"),
        (m.remote_id(9, b"r"), "0025 0005 00000009 72"),
        (m.link_layer_address(MAC), "004f 0008 0001 020000000001"),
        (m.relay_port(1067), "0087 0002 042b"),
        (m.elapsed(70_000), "0008 0002 ffff"),
        (m.association(m.IA_TA, 1, t1=5), "0004 0004 00000001"),
        ((1, m.duid_en(9, b"e")), "0001 0007 0002 00000009 65"),
        ((1, m.duid_ll(MAC)), "0001 000a 0003 0001 020000000001"),
        ((1, m.duid_uuid(bytes(16))), "0001 0012 0004" + "00" * 16),
    ],
)
def test_options(option: m.Option, octets: str) -> None:
    assert m.pack([option]) == bytes.fromhex(octets)


@pytest.mark.parametrize(
    ("delegated", "excluded", "octets"),
    [
        ("2001:db8:dead:bee0::/59", "2001:db8:dead:beef::/64", "4078"),  # RFC 6603 section 4.2
        ("2001:db8::/48", "2001:db8:0:1::/64", "400001"),
        ("2001:db8::/127", "2001:db8::1/128", "8080"),
        ("::/0", "8000::/1", "0180"),
    ],
)
def test_an_excluded_prefix(delegated: str, excluded: str, octets: str) -> None:
    whole, part = IPv6Network(delegated), IPv6Network(excluded)
    option = m.excluded_prefix(whole, part)
    assert option == (67, bytes.fromhex(octets))
    lease = m.read_prefix(m.prefix(whole, options=[option])[1])
    assert lease is not None
    assert lease.excluded == part


@pytest.mark.parametrize("excluded", ["2001:db8::/56", "2001:db8::/48", "2001:db9::/64"])
def test_no_part_of_the_prefix(excluded: str) -> None:
    with pytest.raises(ValueError, match="no smaller part of"):
        m.excluded_prefix(IPv6Network("2001:db8::/56"), IPv6Network(excluded))


@pytest.mark.parametrize("octets", ["", "40", "38", "4000", "400000", "81" + "00" * 10])
def test_a_malformed_excluded_prefix_is_none(octets: str) -> None:
    lease = m.read_prefix(m.prefix(IPv6Network("::/48"), options=[(67, bytes.fromhex(octets))])[1])
    assert lease is not None
    assert lease.excluded == (IPv6Network("::/64") if octets == "400000" else None)


def test_the_status_is_success_unless_another_is_told() -> None:
    """RFC 8415 section 21.13; of the message and of an association by itself."""
    inner = m.association(m.IA_NA, 1, [m.status(Status.NO_ADDRS_AVAIL, "all in use")])
    found = read(m.message(MessageType.REPLY, XID, [inner]))
    assert found.status == (Status.SUCCESS, "")
    assert found.associations[0].status == (Status.NO_ADDRS_AVAIL, "all in use")
    assert read(m.message(7, XID, [(13, b"\0")])).status == (Status.SUCCESS, "")


def test_relays() -> None:
    inner = m.relay_forward(SOLICIT, link=LINK, peer=PEER, options=[(m.INTERFACE_ID, b"eth1")])
    outer = m.relay_forward(inner, hops=1, peer=LINK)
    assert inner[:40] == bytes([12, 0]) + LINK.packed + PEER.packed + b"\0\x12\0\4et"
    envelopes, message = m.opened(m.read(outer))
    assert [(e.hops, e.link, e.peer, e.value(18)) for e in envelopes] == [
        (1, m.NOWHERE, LINK, None),
        (0, LINK, PEER, b"eth1"),
    ]
    assert message == m.read(SOLICIT)


def test_an_answer_comes_back_to_its_relay() -> None:
    asked = m.read(m.relay_forward(SOLICIT, link=LINK, peer=PEER, hops=3))
    assert isinstance(asked, Envelope)
    answer = m.read(m.relay_reply(m.message(7, XID, []), asked, [(m.INTERFACE_ID, b"e")]))
    assert isinstance(answer, Envelope)
    assert (answer.kind, answer.hops, answer.link, answer.peer) == (13, 3, LINK, PEER)
    assert answer.message == Message(kind=7, xid=XID, options=())


@pytest.mark.parametrize("data", [b"", b"\1\2\3", b"\x0c" + bytes(32)])
def test_what_has_no_header_is_no_message(data: bytes) -> None:
    assert m.read(data) is None
    assert tell(data) is None


@pytest.mark.parametrize("rest", [b"\0", b"\0\6\0", b"\0\6\0\2\0", b"\xff\xff\xff\xff"])
def test_what_precedes_a_cut_option_is_read(rest: bytes) -> None:
    """Of the message and of each envelope (decisions: Malformed options)."""
    message = m.read(SOLICIT + rest)
    assert isinstance(message, Message)
    assert (message.options, message.cut) == (read(SOLICIT).options, True)
    envelope = m.read(m.relay_forward(SOLICIT + rest) + rest)
    assert isinstance(envelope, Envelope)
    assert (envelope.message, envelope.cut) == (message, True)
    told = tell(SOLICIT + rest)
    assert told is not None
    assert told.lines[-1] == "an option is cut, the rest is not read"


def test_of_associations_of_one_type_and_iaid_the_first_counts() -> None:
    first = m.association(m.IA_NA, 1, [m.address(LINK)])
    again = [m.association(m.IA_NA, 1), m.association(m.IA_PD, 1), m.association(m.IA_NA, 1)]
    found = read(m.message(1, XID, [first, *again])).associations
    assert [(ia.kind, len(ia.leases)) for ia in found] == [(m.IA_NA, 1), (m.IA_PD, 0)]


def test_codes_of_the_first_well_formed_request_count() -> None:
    assert read(m.message(1, XID, [(m.ORO, b"\0\x17\0"), m.asking([24]), m.asking([25])])).asked == [24]


def test_an_envelope_without_a_readable_message() -> None:
    envelopes, message = m.opened(m.read(m.relay_forward(b"\1\2")))
    assert (len(envelopes), message) == (1, None)


@pytest.mark.parametrize(("count", "readable"), [(32, True), (33, False), (1500, False)])
def test_envelopes_without_end(count: int, readable: bool) -> None:
    data = SOLICIT
    for _ in range(count):
        data = m.relay_forward(data)
    assert (m.opened(m.read(data))[1] is not None) is readable


@pytest.mark.parametrize("option", [(3, bytes(11)), (4, bytes(3)), (25, b""), (25, bytes(8))], ids=str)
def test_a_malformed_association_is_left_out(option: m.Option) -> None:
    assert read(m.message(1, XID, [option])).associations == []


@pytest.mark.parametrize(
    "lease", [(5, bytes(23)), (5, b""), (26, bytes(24)), (26, bytes(8) + b"\x81" + bytes(16))]
)
def test_a_malformed_lease_is_left_out(lease: m.Option) -> None:
    kind = m.IA_PD if lease[0] == m.IA_PREFIX else m.IA_NA
    assert read(m.message(1, XID, [m.association(kind, 1, [lease])])).associations[0].leases == []


# Told for people.


def test_a_message_is_told() -> None:
    relay = [(m.INTERFACE_ID, b"ge-0/0/1"), m.remote_id(9, b"r")]
    told = tell(m.relay_forward(SOLICIT, link=LINK, peer=PEER, options=relay))
    assert told is not None
    assert told.headline == "SOLICIT through relay 2001:db8::1, interface ge-0/0/1"
    assert told.lines == [
        "RELAY-FORW: hop 0, link 2001:db8::1, peer fe80::42",
        "  interface-id (18): ge-0/0/1",
        "  remote-id (37): 0x0000000972",
        "clientid (1): LLT 00:01:00:01:1a:2b:3c:4d:02:00:00:00:00:01",
        "elapsed-time (8): 100",
        "oro (6): dns-servers (23), domain-search (24)",
        "ia-na (3): id 1, T1 0, T2 0",
        "  2001:db8::42, preferred 0 seconds, valid 0 seconds",
        "ia-pd (25): id 2, T1 0, T2 0",
        "  2001:db8:ff00::/56, preferred 1 hour, valid 2 hours",
    ]


def test_a_reply_is_told() -> None:
    part = m.excluded_prefix(NETWORK, IPv6Network("2001:db8:ff00::/64"))
    options = [
        (m.SERVER_ID, m.duid_uuid(bytes(16))),
        m.association(m.IA_PD, 1, [m.prefix(NETWORK, FOREVER, FOREVER, [part])], t1=5, t2=8),
        m.association(m.IA_NA, 2, [m.status(Status.NO_ADDRS_AVAIL, "all in use")]),
        m.status(Status.SUCCESS),
    ]
    told = tell(m.message(MessageType.REPLY, XID, options))
    assert told is not None
    assert told.headline == "REPLY without relay"
    assert told.lines == [
        "serverid (2): UUID 00:04" + ":00" * 16,
        "ia-pd (25): id 1, T1 5, T2 8",
        "  2001:db8:ff00::/56 without 2001:db8:ff00::/64, preferred forever, valid forever",
        "ia-na (3): id 2, T1 0, T2 0",
        "  status-code (13): NoAddrsAvail: all in use",
        "status-code (13): Success",
    ]


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ((1, b"\0\1"), "clientid (1): 00:01 (malformed)"),
        ((1, b"\0\x09x"), "clientid (1): 00:09:78"),
        (m.status(999, "?"), "status-code (13): 999: ?"),
        ((13, b"\0\1\x1b[31m"), "status-code (13): UnspecFail: 0x1b5b33316d"),
        ((13, b"\0"), "status-code (13): 0x00"),
        ((18, b"\xff\0"), "interface-id (18): 0xff00"),
        (m.asking([23, 4000]), "oro (6): dns-servers (23), option 4000"),
        ((6, b"\0"), "oro (6): 0x00 (malformed)"),
        ((3, b"\0"), "ia-na (3): 0x00"),
        ((4000, b"x"), "option-4000 (4000): 0x78"),
    ],
)
def test_options_are_told(option: m.Option, line: str) -> None:
    told = tell(m.message(1, XID, [option]))
    assert told is not None
    assert told.lines == [line]


def test_what_is_in_an_envelope_may_be_anything() -> None:
    for inner, name in ((b"\1", "malformed"), (m.message(200, 0, []), "type 200")):
        told = tell(m.relay_forward(inner))
        assert told is not None
        assert told.headline == f"{name} through relay ::"


# The fuzz.

CODES = st.sampled_from([1, 2, 3, 4, 5, 6, 9, 13, 18, 25, 26, 39, 53, 67, 4000])


@settings(max_examples=examples(500), deadline=None)
@given(
    st.sampled_from([1, 7, 12, 13, 200]),
    st.binary(max_size=40),
    st.lists(st.tuples(CODES, st.binary(max_size=40))),
)
def test_anything_can_be_read_and_told(kind: int, fixed: bytes, options: list[m.Option]) -> None:
    for data in (bytes([kind]) + fixed, m.message(kind, 0, options), m.relay_forward(fixed, options=options)):
        told = tell(data)
        assert (told is None) is (m.read(data) is None)


NUMBERS = st.integers(0, FOREVER)
ADDRESSES = st.integers(0, 2**128 - 1).map(IPv6Address)


@st.composite
def prefixes(draw: st.DrawFn) -> m.Option:
    whole = IPv6Network((int(draw(ADDRESSES)), draw(st.integers(0, 127))), strict=False)
    length = draw(st.integers(whole.prefixlen + 1, 128))
    start = int(whole.network_address) | draw(st.integers(0, 2 ** (128 - whole.prefixlen) - 1))
    part = IPv6Network((start, length), strict=False)
    excluded = draw(st.sampled_from([[], [m.excluded_prefix(whole, part)]]))
    return m.prefix(whole, draw(NUMBERS), draw(NUMBERS), excluded)


def associations(kind: int, leases: st.SearchStrategy[m.Option]) -> st.SearchStrategy[m.Option]:
    times = st.just(0) if kind == m.IA_TA else NUMBERS
    return st.builds(
        lambda iaid, t1, t2, inner: m.association(kind, iaid, inner, t1=t1, t2=t2),
        NUMBERS, times, times, st.lists(leases, max_size=3),
    )  # fmt: skip


LEASED = st.builds(m.address, ADDRESSES, NUMBERS, NUMBERS)
IAS = st.lists(
    st.one_of(
        associations(m.IA_NA, LEASED), associations(m.IA_TA, LEASED), associations(m.IA_PD, prefixes())
    ),
    max_size=5,
)


@settings(max_examples=examples(300), deadline=None)
@given(IAS)
def test_what_one_codec_writes_the_other_reads(ias: list[m.Option]) -> None:
    data = m.message(MessageType.REQUEST, XID, ias)
    fast, readable = inspect6(data), read(data)
    assert isinstance(fast, dict)
    assert readable.options == tuple(ias)
    assert fast["ias"] == [association_as_inspected(one) for one in readable.associations]


def association_as_inspected(one: m.Association) -> dict[str, Any]:
    leases = [
        {
            "address": lease.address.packed,
            "length": lease.length,
            "preferred": lease.preferred,
            "valid": lease.valid,
            "excluded": lease.value(m.EXCLUDED_PREFIX),
        }
        for lease in one.leases
    ]
    return {"kind": one.kind, "iaid": one.iaid, "t1": one.t1, "t2": one.t2, "addresses": leases}


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.tuples(ADDRESSES, ADDRESSES, st.binary(max_size=20)), max_size=9))
def test_what_goes_through_relays_comes_back_through_them(hops: list[tuple[Any, ...]]) -> None:
    data = SOLICIT
    for count, (link, peer, interface) in enumerate(hops):
        data = m.relay_forward(data, link=link, peer=peer, hops=count, options=[(m.INTERFACE_ID, interface)])
    fast = inspect_relays6(data)
    assert isinstance(fast, dict)
    assert fast["message"] == SOLICIT
    asked, _ = m.opened(m.read(data))
    answer, _ = compose6(data, MessageType.REPLY, XID, [])
    assert answer is not None
    answered, message = m.opened(m.read(answer))
    assert message == Message(kind=7, xid=XID, options=())
    assert [(e.hops, e.link, e.peer, e.value(18)) for e in answered] == [
        (e.hops, e.link, e.peer, e.value(18)) for e in asked
    ]
