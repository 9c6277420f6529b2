"""A DHCPv4 message: octets to fields and back, by RFC 2131 section 2, naively.

`parse` reads what a server receives, without malformed options, `parse_reply` what it sends; both give a Message or
the first reason why there is none. `violations` lists every reason, in the order in which `parse` looks for them:
header, then message type; of a reply header, fields, message type, the other options by ascending code.

    op htype hlen hops | xid | secs flags | ciaddr yiaddr siaddr giaddr | chaddr 16 | sname 64 | file 128
    | magic cookie 99.130.83.99 | options
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address

from oracle.options4 import (
    END,
    FROM_CLIENT,
    FROM_SERVER,
    MESSAGE_TYPE,
    OVERLOAD,
    RELAY_AGENT,
    REPLY_LENGTHS,
    REQUEST,
    Malformed,
    Pair,
    RelayAgent,
    Walk,
    from_client,
    ignored,
    join,
    length_faults,
    message_type_faults,
    number,
    relay_agent,
    used,
    walk,
)

BOOTREQUEST, BOOTREPLY = 1, 2
HEADER = struct.Struct("!BBBB I HH 4s4s4s4s 16s 64s 128s")
COOKIE = bytes([99, 130, 83, 99])
LEAST = HEADER.size + len(COOKIE)  # 240
BOOTP_SIZE = 300  # RFC 1542 2.1: relays and old clients refuse less
BROADCAST = 0x8000

ZERO = IPv4Address(0)
EMPTY = Walk((), "no_end")


@dataclass(frozen=True)
class Message:
    """What the octets say. `options` are joined; `in_options`, `in_file`, `in_sname` as they stood.

    `ignored` are the codes of options that are malformed, cut off or there twice. A malformed one is in `options` only
    if it is one of KEPT.
    """

    op: int
    htype: int
    hlen: int
    hops: int
    xid: int
    secs: int
    flags: int
    ciaddr: IPv4Address
    yiaddr: IPv4Address
    siaddr: IPv4Address
    giaddr: IPv4Address
    chaddr: bytes
    sname: bytes
    file: bytes
    options: dict[int, bytes]
    in_options: tuple[Pair, ...]
    in_file: tuple[Pair, ...]
    in_sname: tuple[Pair, ...]
    ended: bool
    behind_end: bytes
    ignored: frozenset[int]

    @property
    def occurrences(self) -> tuple[Pair, ...]:
        """Every option instance in the order of the aggregate buffer (RFC 3396 section 5)."""
        return self.in_options + self.in_file + self.in_sname

    @property
    def message_type(self) -> int:
        return self.options[MESSAGE_TYPE][0]

    @property
    def hardware_address(self) -> bytes:
        return self.chaddr[: self.hlen]

    @property
    def broadcast(self) -> bool:
        return bool(self.flags & BROADCAST)

    @property
    def overload(self) -> int:
        """0: sname and file are text; else the bits of option 52."""
        return number(self.options.get(OVERLOAD, b""))

    @property
    def relay(self) -> RelayAgent | None:
        return relay_agent(self.options[RELAY_AGENT]) if RELAY_AGENT in self.options else None

    @property
    def suboptions(self) -> tuple[Pair, ...]:
        return self.relay.suboptions if self.relay else ()

    @property
    def network(self) -> bytes | None:
        return self.relay.network if self.relay else None

    @property
    def max_message_size(self) -> int:
        """Option 57; absent or under 576 it is 576 (RFC 2132 9.10, RFC 2131 section 2)."""
        return max(576, number(self.options.get(57, b"")))

    def address(self, code: int) -> IPv4Address | None:
        return IPv4Address(self.options[code]) if code in self.options else None

    @property
    def request_state(self) -> str:
        """RFC 2131 4.3.2 and table 4; RENEWING and REBINDING differ only in the datagram's destination."""
        assert self.message_type == REQUEST
        if 54 in self.options:
            return "selecting"
        if 54 in self.ignored and self.ciaddr == ZERO:
            return "selecting, whom is unknown"
        if 50 in self.options:
            return "init_reboot"
        return "renewing_or_rebinding" if self.ciaddr != ZERO else "none"


def parse(data: bytes) -> Message | Malformed:
    """A message from a client (or relay) to a server."""
    faults = violations(data)
    return faults[0] if faults else _message(data)


def parse_reply(data: bytes) -> Message | Malformed:
    """A message from a server; its options are held to more lengths (REPLY_LENGTHS)."""
    faults = violations(data, BOOTREPLY)
    return faults[0] if faults else _message(data)


def violations(data: bytes, op: int = BOOTREQUEST) -> list[Malformed]:
    """All reasons to refuse the message, first found first."""
    if len(data) < LEAST:
        return [Malformed("too_short")]
    faults = _header_faults(data, op)
    if data[HEADER.size : LEAST] != COOKIE:
        return faults
    return faults + (_request_faults(data) if op == BOOTREQUEST else _reply_faults(data))


def _header_faults(data: bytes, op: int) -> list[Malformed]:
    faults = []
    if data[0] != op:
        faults.append(Malformed("wrong_op"))
    if data[2] > 16:
        faults.append(Malformed("hlen_too_long"))
    cookie = data[HEADER.size : LEAST]
    if cookie == bytes(4):
        faults.append(Malformed("no_cookie"))
    elif cookie != COOKIE:
        faults.append(Malformed("bad_cookie"))
    return faults


def _request_faults(data: bytes) -> list[Malformed]:
    """Which message it is must be known; other malformed options are ignored."""
    walks = _fields(data)
    options = from_client(_pairs(walks))
    if _cut(walks) and MESSAGE_TYPE not in options:
        return [Malformed("option_overrun", MESSAGE_TYPE)]
    return [*message_type_faults(options, FROM_SERVER)]


def _reply_faults(data: bytes) -> list[Malformed]:
    walks = _fields(data)
    faults = [Malformed("option_overrun") for _ in _cut(walks)]
    options = join(_pairs(walks))
    return [*faults, *message_type_faults(options, FROM_CLIENT), *length_faults(options, REPLY_LENGTHS)]


def _cut(walks: Iterable[Walk]) -> frozenset[int]:
    """Codes of the options that their fields cut off."""
    return frozenset(field.cut for field in walks if field.cut is not None)


def _fields(data: bytes) -> tuple[Walk, Walk, Walk]:
    """Options, file, sname (RFC 2131 4.1: in this order); the last two only where option 52 says so."""
    options = walk(data[LEAST:])
    bits = number(used(options.options).get(OVERLOAD, b""))
    file = walk(data[108:236]) if bits & 1 else EMPTY
    sname = walk(data[44:108]) if bits & 2 else EMPTY
    return options, file, sname


def _pairs(walks: tuple[Walk, Walk, Walk]) -> tuple[Pair, ...]:
    """RFC 3396 section 5; option 52 means something in the options field only."""
    options, file, sname = walks
    return options.options + tuple(pair for pair in file.options + sname.options if pair[0] != OVERLOAD)


def _message(data: bytes) -> Message:
    op, htype, hlen, hops, xid, secs, flags, *rest = HEADER.unpack_from(data)
    ciaddr, yiaddr, siaddr, giaddr = map(IPv4Address, rest[:4])
    chaddr, sname, file = rest[4:]
    walks = _fields(data)
    pairs = _pairs(walks)
    return Message(
        *(op, htype, hlen, hops, xid, secs, flags, ciaddr, yiaddr, siaddr, giaddr, chaddr, sname, file),
        options=used(pairs) if op == BOOTREQUEST else join(pairs),
        in_options=walks[0].options,
        in_file=walks[1].options,
        in_sname=walks[2].options,
        ended=walks[0].stop == "end",
        behind_end=walks[0].behind,
        ignored=ignored(pairs) | _cut(walks) if op == BOOTREQUEST else frozenset(),
    )


def encode(options: Iterable[Pair]) -> bytes:
    """Options without END; a value over 255 octets is cut into full pieces (RFC 3396 section 6)."""
    return b"".join(_instances(code, value) for code, value in options)


def _instances(code: int, value: bytes) -> bytes:
    pieces = [value[at : at + 255] for at in range(0, len(value), 255)] or [b""]
    return b"".join(bytes([code, len(piece)]) + piece for piece in pieces)


def build(
    options: Iterable[Pair] = (),
    *,
    op: int = BOOTREQUEST,
    htype: int = 1,
    hlen: int = 6,
    hops: int = 0,
    xid: int = 0,
    secs: int = 0,
    flags: int = 0,
    ciaddr: IPv4Address | str = "0.0.0.0",
    yiaddr: IPv4Address | str = "0.0.0.0",
    siaddr: IPv4Address | str = "0.0.0.0",
    giaddr: IPv4Address | str = "0.0.0.0",
    chaddr: bytes = b"",
    sname: bytes = b"",
    file: bytes = b"",
    in_file: Iterable[Pair] = (),
    in_sname: Iterable[Pair] = (),
    ended: bool = True,
    least: int = BOOTP_SIZE,
) -> bytes:
    """The octets of a message. Options given for file or sname stand there, option 52 after the rest."""
    file, file_bit = (encode(in_file) + bytes([END]), 1) if (in_file := list(in_file)) else (file, 0)
    sname, sname_bit = (encode(in_sname) + bytes([END]), 2) if (in_sname := list(in_sname)) else (sname, 0)
    if len(file) > 128 or len(sname) > 64 or len(chaddr) > 16:
        raise ValueError("file holds 128 octets, sname 64, chaddr 16")
    overload = [(OVERLOAD, bytes([file_bit | sname_bit]))] if file_bit | sname_bit else []
    fields = [IPv4Address(field).packed for field in (ciaddr, yiaddr, siaddr, giaddr)]
    header = HEADER.pack(op, htype, hlen, hops, xid, secs, flags, *fields, chaddr, sname, file)
    body = header + COOKIE + encode([*options, *overload]) + (bytes([END]) if ended else b"")
    return body.ljust(least, b"\0")
