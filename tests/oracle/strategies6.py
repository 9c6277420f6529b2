"""Hypothesis strategies for DHCPv6: they shrink, where generate6.py only repeats.

messages6()   lawful messages, in envelopes or not, as `written` writes them
spoiled6()    lawful messages, and the same with malformed options that a server ignores
garbage6()    octets that begin like a message or an envelope as far as hypothesis likes, then anything
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from oracle.message6 import (
    ADDR_REG_INFORM,
    CONFIRM,
    DECLINE,
    INFORMATION_REQUEST,
    REBIND,
    RELEASE,
    RENEW,
    REQUEST,
    SOLICIT,
    TO_ONE_SERVER,
    Envelope,
    Message,
    build,
    enclose,
)
from oracle.options4 import Pair
from oracle.options6 import (
    CLIENT_ARCH,
    CLIENT_ID,
    CLIENT_LENGTHS,
    ELAPSED_TIME,
    IA_NA,
    IA_PD,
    IA_TA,
    IAADDR,
    INTERFACE_ID,
    LINKLAYER,
    NII,
    ORO,
    RAPID_COMMIT,
    RECONF_ACCEPT,
    RELAY_LENGTHS,
    RELAY_MSG,
    RELAY_PORT,
    REMOTE_ID,
    RSOO,
    SERVER_ID,
    IdentityAssociation,
    Lease,
    Status,
    encode_ia,
    encode_lease,
    encode_status,
    reads,
)

IPV6 = st.ip_addresses(v=6)
UINT32 = st.integers(0, 2**32 - 1)
DUIDS = st.binary(min_size=3, max_size=130)
TYPES = st.sampled_from([SOLICIT, REQUEST, CONFIRM, RENEW, REBIND, RELEASE, DECLINE, INFORMATION_REQUEST])
MEANT = CLIENT_LENGTHS.keys() | {IAADDR}
OPAQUE = st.tuples(st.integers(0, 65535).filter(lambda code: code not in MEANT), st.binary(max_size=40))


def statuses() -> st.SearchStrategy[Pair]:
    return st.builds(Status, st.integers(0, 9), st.text(max_size=8)).map(
        lambda status: (13, encode_status(status))
    )


@st.composite
def leases(draw: st.DrawFn, code: int) -> Lease:
    length = draw(st.integers(0, 128)) if code == IA_PD else 128
    options = draw(st.lists(statuses(), max_size=1))
    return Lease(draw(IPV6), length, draw(UINT32), draw(UINT32), tuple(options))


@st.composite
def associations(draw: st.DrawFn) -> IdentityAssociation:
    code = draw(st.sampled_from([IA_NA, IA_PD, IA_TA]))
    times = (0, 0) if code == IA_TA else (draw(UINT32), draw(UINT32))
    held = draw(st.lists(leases(code), max_size=3))
    said = draw(st.lists(statuses(), max_size=1))
    return IdentityAssociation(code, draw(UINT32), *times, tuple(held), tuple(said))


def _fixed() -> st.SearchStrategy[Pair]:
    """Options of a client whose size an RFC fixes, each at most once."""
    return st.one_of(
        st.lists(st.integers(0, 65535), max_size=9).map(
            lambda codes: (ORO, b"".join(code.to_bytes(2) for code in codes))
        ),
        st.binary(min_size=2, max_size=2).map(lambda value: (ELAPSED_TIME, value)),
        st.sampled_from(
            [(RAPID_COMMIT, b""), (RECONF_ACCEPT, b""), (CLIENT_ARCH, b"\0\7"), (NII, b"\1\3\0")]
        ),
    )


@st.composite
def _of_client(draw: st.DrawFn, kind: int) -> list[Pair]:
    named = [(CLIENT_ID, draw(DUIDS))]
    if kind in TO_ONE_SERVER or (kind == INFORMATION_REQUEST and draw(st.booleans())):
        named.append((SERVER_ID, draw(DUIDS)))
    pairs = draw(st.lists(_fixed(), max_size=4, unique_by=lambda pair: pair[0]))
    if kind != INFORMATION_REQUEST:
        found = draw(st.lists(associations(), max_size=4, unique_by=lambda ia: (ia.code, ia.iaid)))
        pairs += [(ia.code, encode_ia(ia)) for ia in found]
    return [*named, *pairs, *draw(st.lists(OPAQUE, max_size=3))]


@st.composite
def envelopes(draw: st.DrawFn) -> Envelope:
    known = st.one_of(
        st.binary(max_size=20).map(lambda value: (INTERFACE_ID, value)),
        st.binary(min_size=4, max_size=20).map(lambda value: (REMOTE_ID, value)),
        st.binary(min_size=2, max_size=10).map(lambda value: (LINKLAYER, value)),
        st.binary(min_size=2, max_size=2).map(lambda value: (RELAY_PORT, value)),
    )
    others = OPAQUE.filter(lambda pair: pair[0] not in {RELAY_MSG, RSOO, *RELAY_LENGTHS})
    options = draw(st.lists(known | others, max_size=4))
    return Envelope(draw(st.integers(0, 8)), draw(IPV6), draw(IPV6), tuple(options))


@st.composite
def messages6(draw: st.DrawFn) -> Message:
    kind = draw(TYPES)
    options = draw(_of_client(kind).flatmap(st.permutations))
    around = draw(st.lists(envelopes(), max_size=3))
    return Message(kind, draw(st.integers(0, 2**24 - 1)), tuple(options), tuple(around))


def _misfit(code: int) -> st.SearchStrategy[Pair]:
    values = st.binary(max_size=40).filter(lambda value: not reads(code, value))
    return values.map(lambda value: (code, value))


def _relay_misfit(code: int) -> st.SearchStrategy[Pair]:
    length = RELAY_LENGTHS[code]
    return (
        st.binary(max_size=140).filter(lambda value: not length.fits(value)).map(lambda value: (code, value))
    )


@st.composite
def _with_misfits(draw: st.DrawFn, pairs: tuple[Pair, ...], misfits: st.SearchStrategy[Pair]) -> list[Pair]:
    """The pairs in their order, and others anywhere between them."""
    found = list(pairs)
    for pair in draw(st.lists(misfits, max_size=3)):
        found.insert(draw(st.integers(0, len(found))), pair)
    return found


def _rest() -> st.SearchStrategy[bytes]:
    """The beginning of an option that is cut: none, half a header, or a header and less than it promises."""
    whole = st.tuples(st.sampled_from([3, 6, 39, 300]), st.binary(max_size=9)).map(
        lambda pair: pair[0].to_bytes(2) + (len(pair[1]) + 1).to_bytes(2) + pair[1]
    )
    return st.just(b"") | st.binary(min_size=1, max_size=3) | whole


@st.composite
def spoiled6(draw: st.DrawFn) -> tuple[Message, bytes]:
    """The message as it must be read, and octets with malformed options at every depth."""
    message = draw(messages6())
    misfits = st.sampled_from(sorted(CLIENT_LENGTHS.keys() - {CLIENT_ID})).flatmap(_misfit)
    spoiled = draw(_with_misfits(message.options, misfits))
    data = build(message.message_type, message.transaction_id, spoiled) + draw(_rest())
    of_relays = st.sampled_from(sorted(RELAY_LENGTHS)).flatmap(_relay_misfit)
    for envelope in reversed(message.envelopes):
        options = draw(_with_misfits(envelope.options, of_relays))
        data = enclose(data, replace(envelope, options=tuple(options))) + draw(_rest())
    return message, data


@st.composite
def registrations6(draw: st.DrawFn) -> Message:
    """RFC 9686: the innermost relay saw the address itself."""
    lease = draw(leases(IA_NA))
    options = [(CLIENT_ID, draw(DUIDS)), (IAADDR, encode_lease(lease, IA_NA))]
    around = draw(st.lists(envelopes(), min_size=1, max_size=3))
    innermost = around[-1]
    around[-1] = Envelope(innermost.hop_count, innermost.link_address, lease.address, innermost.options)
    return Message(ADDR_REG_INFORM, draw(st.integers(0, 2**24 - 1)), tuple(options), tuple(around))


def garbage6() -> st.SearchStrategy[bytes]:
    option = st.tuples(st.integers(0, 140), st.integers(0, 40), st.binary(max_size=40)).map(
        lambda triple: triple[0].to_bytes(2) + triple[1].to_bytes(2) + triple[2]
    )
    tail = st.lists(option, max_size=12).map(b"".join)
    plain = st.binary(min_size=4, max_size=4)
    envelope = st.binary(min_size=33, max_size=33).map(lambda rest: b"\x0c" + rest)
    inner = st.builds(bytes.__add__, plain, tail)
    relayed = inner.map(lambda data: b"\0\x09" + len(data).to_bytes(2) + data)
    return (
        st.binary(max_size=100)
        | inner
        | st.builds(lambda *parts: b"".join(parts), envelope, tail, relayed)
        | st.builds(bytes.__add__, envelope, relayed)
    )
