"""A DHCPv6 message: octets to fields and back, by RFC 8415 sections 8 and 9, naively.

`parse` reads what a server receives, directly or in up to nine envelopes of relays, without malformed options;
`parse_reply` reads what it sends. Both give a Message or the first reason why there is none. `violations` lists every
reason, in the order in which `parse` looks for them: envelopes from the outside, each with its header and the message
in it; the message's type, its client identifier; then what section 16 asks a server to discard. Sections are those of
RFC 8415.

    client and server:  msg-type transaction-id 3 | options
    relay:              msg-type hop-count link-address 16 peer-address 16 | options, the relayed message one of them
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv6Address

from oracle.options4 import Malformed, Pair, number
from oracle.options6 import (
    CLIENT_FQDN,
    CLIENT_ID,
    CLIENT_LENGTHS,
    ELAPSED_TIME,
    IAADDR,
    IAS,
    INTERFACE_ID,
    LEASE_LENGTHS,
    LINKLAYER,
    MOST_IAS,
    MOST_LEASES,
    ORO,
    RAPID_COMMIT,
    RELAY_MSG,
    RELAY_PORT,
    RSOO,
    SERVER_ID,
    STATUS_CODE,
    STATUS_LENGTH,
    IdentityAssociation,
    Lease,
    Sorted,
    Status,
    encode,
    first,
    identity_association,
    identity_faults,
    lease,
    sort_client,
    sort_relay,
    status,
    values,
    walk,
)
from oracle.values6 import Fqdn, fqdn, link_layer

SOLICIT, ADVERTISE, REQUEST, CONFIRM, RENEW, REBIND, REPLY, RELEASE, DECLINE, RECONFIGURE = range(1, 11)
INFORMATION_REQUEST, RELAY_FORW, RELAY_REPL, ADDR_REG_INFORM, ADDR_REG_REPLY = 11, 12, 13, 36, 37
FROM_CLIENT = frozenset({SOLICIT, REQUEST, CONFIRM, RENEW, REBIND, RELEASE, DECLINE, INFORMATION_REQUEST})
FROM_CLIENT |= {ADDR_REG_INFORM}
FROM_SERVER = frozenset({ADVERTISE, REPLY, RECONFIGURE, ADDR_REG_REPLY})

HEADER = struct.Struct("!B3s")
ENVELOPE = struct.Struct("!BB16s16s")
HOP_COUNT_LIMIT = 8  # section 7.6: the most that a Relay-forward message says; the innermost says 0
MOST_ENVELOPES = HOP_COUNT_LIMIT + 1

# Section 16, by message: does it name the server that is to answer?
TO_ONE_SERVER = frozenset({REQUEST, RENEW, DECLINE, RELEASE})
TO_ALL_SERVERS = frozenset({SOLICIT, CONFIRM, REBIND, ADDR_REG_INFORM})


@dataclass(frozen=True)
class Envelope:
    """What one relay put around a message (section 9); `options` that count, without the relayed message."""

    hop_count: int
    link_address: IPv6Address
    peer_address: IPv6Address
    options: tuple[Pair, ...]
    ignored: frozenset[int] = field(default=frozenset(), compare=False)

    @property
    def interface_id(self) -> bytes | None:
        return first(self.options, INTERFACE_ID)

    @property
    def link_layer(self) -> tuple[int, bytes] | None:
        return link_layer(first(self.options, LINKLAYER) or b"")

    @property
    def source_port(self) -> int | None:
        """RFC 8357 4.2: the port that the relay below sends from; 0: only this relay's own is not 547."""
        value = first(self.options, RELAY_PORT)
        return None if value is None else number(value)

    @property
    def supplied(self) -> tuple[Pair, ...]:
        """RFC 6422: options that the relay asks the server to give to the client."""
        return walk(first(self.options, RSOO) or b"").options


@dataclass(frozen=True)
class Message:
    """What the octets say. `envelopes` from the outside in; `options` that count, in their order.

    `ignored`: the codes of which something does not count, of relays too.
    """

    message_type: int
    transaction_id: int
    options: tuple[Pair, ...]
    envelopes: tuple[Envelope, ...] = ()
    ignored: frozenset[int] = field(default=frozenset(), compare=False)

    @property
    def client_id(self) -> bytes | None:
        return first(self.options, CLIENT_ID)

    @property
    def server_id(self) -> bytes | None:
        return first(self.options, SERVER_ID)

    @property
    def requested(self) -> list[int]:
        """21.7, in the order in which they stand."""
        return [code for (code,) in struct.iter_unpack("!H", first(self.options, ORO) or b"")]

    @property
    def elapsed(self) -> int:
        """21.9: hundredths of a second; 0 where the option is missing."""
        return number(first(self.options, ELAPSED_TIME) or b"")

    @property
    def rapid_commit(self) -> bool:
        return first(self.options, RAPID_COMMIT) is not None

    @property
    def fqdn(self) -> Fqdn | None:
        return fqdn(first(self.options, CLIENT_FQDN) or b"")

    @property
    def associations(self) -> list[IdentityAssociation]:
        return [identity_association(code, value) for code, value in self.options if code in IAS]

    @property
    def registered(self) -> Lease | None:
        """RFC 9686 4.2: an address that stands in no IA."""
        value = first(self.options, IAADDR)
        return None if value is None else lease(IAADDR, value)

    @property
    def status(self) -> Status | None:
        return status(self.options)

    @property
    def link_address(self) -> IPv6Address | None:
        """Section 13.1: of the relay nearest to the client whose envelope names one; an LDRA's does not (RFC 6221)."""
        zero = IPv6Address(0)
        return next((e.link_address for e in reversed(self.envelopes) if e.link_address != zero), None)


def parse(
    data: bytes, *, server: bytes | None = None, source: IPv6Address | None = None
) -> Message | Malformed:
    """A message to a server. `server`: its own DUID; `source`: where the datagram came from. None: not looked at."""
    faults = violations(data, server=server, source=source)
    return faults[0] if faults else _message(data, RELAY_FORW)


def reading(data: bytes) -> Message:
    """A message to a server as it would read, whatever is wrong with it beside its form."""
    return _message(data, RELAY_FORW)


def parse_reply(data: bytes) -> Message | Malformed:
    """A message from a server to a client or, in envelopes, to a relay; held to form only."""
    opened = open_envelopes(data, RELAY_REPL)
    faults = opened.faults or _type_faults(opened.inner, FROM_SERVER) or _reply_faults(opened)
    return faults[0] if faults else _message(data, RELAY_REPL)


def violations(
    data: bytes, *, server: bytes | None = None, source: IPv6Address | None = None
) -> list[Malformed]:
    """All that is wrong, first found first; behind a structural fault, what was read until then."""
    opened = open_envelopes(data, RELAY_FORW)
    if opened.inner is None:
        return opened.faults
    faults = opened.faults + _type_faults(opened.inner, FROM_CLIENT)
    if len(opened.inner) < HEADER.size or opened.inner[0] not in FROM_CLIENT:
        return faults
    walked = walk(opened.inner[HEADER.size :])
    options = sort_client(walked, registration=opened.inner[0] == ADDR_REG_INFORM).used
    peer = opened.envelopes[-1].peer_address if opened.envelopes else source
    faults += identity_faults(walked.options, walked.cut)
    faults += bounds(options)
    faults += discarded(opened.inner[0], options, server)
    return [*faults, *registration_faults(opened.inner[0], options, peer)]


def bounds(options: tuple[Pair, ...]) -> Iterator[Malformed]:
    """What is absent does not count."""
    found = [identity_association(code, value) for code, value in options if code in IAS]
    if len(found) > MOST_IAS:
        yield Malformed("too_many_ias")
    if sum(len(ia.leases) for ia in found) > MOST_LEASES:
        yield Malformed("too_many_addresses")


@dataclass(frozen=True)
class Opened:
    """Envelopes from the outside in, what lies in the innermost (None: cannot be told), and what is wrong."""

    envelopes: tuple[Envelope, ...]
    inner: bytes | None
    faults: list[Malformed]


def open_envelopes(data: bytes, kind: int) -> Opened:
    """Section 9: each holds one relayed message, which may be an envelope itself. 7.6: not more than the limit."""
    envelopes: list[Envelope] = []
    faults: list[Malformed] = []
    while data[:1] == bytes([kind]):
        if len(data) < ENVELOPE.size:
            return Opened(tuple(envelopes), None, [*faults, Malformed("relay_too_short")])
        if len(envelopes) == MOST_ENVELOPES:
            return Opened(tuple(envelopes), None, [*faults, Malformed("relay_too_deep")])
        _, hops, link, peer = ENVELOPE.unpack_from(data)
        walked = walk(data[ENVELOPE.size :])
        relayed = values(walked.options, RELAY_MSG)
        own = sort_relay(walked)
        faults += _envelope_faults(hops, len(relayed))
        if len(relayed) != 1:
            return Opened(tuple(envelopes), None, faults)
        envelopes.append(Envelope(hops, IPv6Address(link), IPv6Address(peer), own.used, own.ignored))
        data = relayed[0]
    return Opened(tuple(envelopes), data, faults)


def _envelope_faults(hops: int, relayed: int) -> Iterator[Malformed]:
    """The message that is relayed decides who the client is: it is there, once. One that is cut is not there."""
    if hops > HOP_COUNT_LIMIT:
        yield Malformed("hop_count")
    if not relayed:
        yield Malformed("relay_message_missing", RELAY_MSG)
    if relayed > 1:
        yield Malformed("option_repeated", RELAY_MSG)


def _type_faults(inner: bytes | None, right_way: frozenset[int]) -> list[Malformed]:
    """Section 16: unknown types are discarded, 16.3, 16.10, 16.11, 16.14: those that only others receive too."""
    if inner is None or len(inner) < HEADER.size:
        return [Malformed("too_short")]
    if inner[0] in right_way:
        return []
    known = FROM_CLIENT | FROM_SERVER | {RELAY_FORW, RELAY_REPL}
    return [Malformed("message_type_wrong_way" if inner[0] in known else "message_type_unknown")]


def discarded(kind: int, options: tuple[Pair, ...], server: bytes | None) -> Iterator[Malformed]:
    """16.2 to 16.12, and RFC 9686 4.2.1: what a server must discard for what is there or missing."""
    client, named = first(options, CLIENT_ID), first(options, SERVER_ID)
    if client is None and kind != INFORMATION_REQUEST:
        yield Malformed("client_id_missing", CLIENT_ID)
    if named is None and kind in TO_ONE_SERVER:
        yield Malformed("server_id_missing", SERVER_ID)
    if named is not None and kind in TO_ALL_SERVERS:
        yield Malformed("server_id_present", SERVER_ID)
    elif named is not None and server is not None and named != server:
        yield Malformed("other_server", SERVER_ID)
    if kind == INFORMATION_REQUEST:
        yield from (Malformed("ia_present", code) for code, _ in options if code in IAS)


def registration_faults(
    kind: int, options: tuple[Pair, ...], source: IPv6Address | None
) -> Iterator[Malformed]:
    """RFC 9686 4.2.1: one address, which is the sender's; nothing may be asked for."""
    if kind != ADDR_REG_INFORM:
        return
    if values(options, ORO):
        yield Malformed("oro_present", ORO)
    found = values(options, IAADDR)
    if not found:
        yield Malformed("address_missing", IAADDR)
    elif len(found) > 1:
        yield Malformed("option_repeated", IAADDR)
    elif source not in (None, lease(IAADDR, found[0]).address):
        yield Malformed("address_of_another", IAADDR)


def _reply_faults(opened: Opened) -> list[Malformed]:
    """What a server sends holds nothing that a client or relay would ignore."""
    walked = walk((opened.inner or b"")[HEADER.size :])
    lengths = [
        Malformed("option_length", code) for code, value in walked.options if not _fits_reply(code, value)
    ]
    ignored = sort_client(walked).ignored.union(*(around.ignored for around in opened.envelopes))
    cut = [] if walked.exact else [Malformed("option_overrun")]
    return [*cut, *lengths, *(Malformed("option_ignored", code) for code in sorted(ignored))]


def _fits_reply(code: int, value: bytes) -> bool:
    lengths = CLIENT_LENGTHS | {IAADDR: LEASE_LENGTHS[IAADDR], STATUS_CODE: STATUS_LENGTH}
    return code not in lengths or lengths[code].fits(value)


def _message(data: bytes, envelope: int) -> Message:
    opened = open_envelopes(data, envelope)
    assert opened.inner is not None
    kind, transaction = HEADER.unpack_from(opened.inner)
    walked = walk(opened.inner[HEADER.size :])
    read = Sorted(walked.options, frozenset())
    if envelope == RELAY_FORW:
        read = sort_client(walked, registration=kind == ADDR_REG_INFORM)
    ignored = read.ignored.union(*(around.ignored for around in opened.envelopes))
    return Message(kind, number(transaction), read.used, opened.envelopes, ignored)


def build(kind: int, transaction: int, options: Iterable[Pair] = ()) -> bytes:
    """The octets of a client's or server's message."""
    return HEADER.pack(kind, transaction.to_bytes(3)) + encode(options)


def enclose(inner: bytes, envelope: Envelope, kind: int = RELAY_FORW) -> bytes:
    """A message as the relay of this envelope passes it on; the message is its last option."""
    header = ENVELOPE.pack(
        kind, envelope.hop_count, envelope.link_address.packed, envelope.peer_address.packed
    )
    return header + encode([*envelope.options, (RELAY_MSG, inner)])


def written(message: Message, envelope: int = RELAY_FORW) -> bytes:
    """The octets of a message that was read, in its envelopes."""
    data = build(message.message_type, message.transaction_id, message.options)
    for around in reversed(message.envelopes):
        data = enclose(data, around, envelope)
    return data
