"""DHCPv4 messages as a client or relay writes and reads them, in plain Python.

This is the readable codec of the probe and of the storm's templates. It shares no line with the
engine's codec, so that a mistake in one does not hide in the other. Layout: RFC 2131 section 2;
options: RFC 2132; sub-options of option 82: RFC 3046 and RFC 8357. The pieces of a long option are
joined (RFC 3396), and options in `file` and `sname` are read (RFC 2132 section 9.3).
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from ipaddress import IPv4Address

import msgspec

HEADER = struct.Struct("!BBBBIHH4s4s4s4s16s64s128s4s")
COOKIE = b"\x63\x82\x53\x63"
NOWHERE = IPv4Address(0)
BROADCAST = 0x8000
"""The flag by which a client without an address asks for answers to everybody (RFC 2131 section 2)."""

REQUESTED_ADDRESS, LEASE_TIME, MESSAGE_TYPE, SERVER_ID, PARAMETER_LIST = 50, 51, 53, 54, 55
MESSAGE, MAX_SIZE, T1, T2, VENDOR_CLASS, CLIENT_ID = 56, 57, 58, 59, 60, 61
OVERLOAD, IN_FILE, IN_SNAME = 52, 1, 2
FIXED_LENGTHS = {50: 4, 51: 4, 52: 1, 53: 1, 54: 4, 57: 2, 94: 3, 97: 17, 116: 1, 118: 4}
HOST_NAME, USER_CLASS, RELAY_AGENT, PAD, END = 12, 77, 82, 0, 255

#: Options that a present-day client requests.
ASKED = bytes((1, 3, 6, 12, 15, 28, 42, 51, 54, 58, 59, 119, 121))

Option = tuple[int, bytes]


class MessageType(IntEnum):
    """Option 53."""

    DISCOVER = 1
    OFFER = 2
    REQUEST = 3
    DECLINE = 4
    ACK = 5
    NAK = 6
    RELEASE = 7
    INFORM = 8


class Fields(msgspec.Struct, frozen=True):
    """Options by code. `cut`: the codes of those that are longer than their field, behind which nothing can be read.
    `sname` and `file` are empty where they contain options."""

    options: dict[int, bytes]
    cut: tuple[int, ...]
    sname: bytes
    file: bytes


class Reply(msgspec.Struct, frozen=True):
    """A server's answer; `options` in the order of first appearance."""

    xid: int
    yiaddr: IPv4Address
    siaddr: IPv4Address
    giaddr: IPv4Address
    mac: bytes
    sname: bytes
    file: bytes
    options: dict[int, bytes]

    @property
    def type(self) -> MessageType:
        return MessageType(self.options[MESSAGE_TYPE][0])

    def address(self, code: int) -> IPv4Address:
        """Return a four-octet option as an address; KeyError when it is absent."""
        return IPv4Address(self.options[code][:4])

    def seconds(self, code: int) -> int | None:
        """Return a four-octet option as a number of seconds, None when it is absent."""
        data = self.options.get(code)
        return None if data is None else int.from_bytes(data, "big")


def request(
    mac: bytes,
    xid: int,
    options: Iterable[Option],
    *,
    ciaddr: IPv4Address = NOWHERE,
    giaddr: IPv4Address = NOWHERE,
    flags: int = 0,
    size: int = 300,
) -> bytes:
    """Return a client's message, relayed when `giaddr` is given, padded to `size` octets (RFC 1542 section 2.1)."""
    nobody = NOWHERE.packed
    hops = 1 if giaddr != NOWHERE else 0
    header = HEADER.pack(
        1,
        1,
        len(mac),
        hops,
        xid,
        0,
        flags,
        ciaddr.packed,
        nobody,
        nobody,
        giaddr.packed,
        mac,
        b"",
        b"",
        COOKIE,
    )
    body = b"".join(bytes((code, len(data))) + data for code, data in options)
    return (header + body + bytes((END,))).ljust(size, b"\0")


def relay_agent(circuit_id: bytes, link: IPv4Address | None = None) -> Option:
    """Return Option 82 of a relay on an ephemeral port: sub-option 1, and 19 without a value (RFC 8357).

    At its end, with `link`, sub-option 5: the client is in that subnet, not in the relay's (RFC 3527).
    """
    selection = b"" if link is None else bytes((5, 4)) + link.packed
    return RELAY_AGENT, bytes((1, len(circuit_id))) + circuit_id + bytes((19, 0)) + selection


def relay_said(suboptions: Iterable[Option]) -> Option:
    """Return the same relay's, with these suboptions."""
    said = b"".join(bytes((code, len(data))) + data for code, data in suboptions)
    return RELAY_AGENT, said + bytes((19, 0))


def read_reply(data: bytes) -> Reply | None:
    """Return a BOOTREPLY with a message type, or None for anything else."""
    if len(data) < HEADER.size or data[0] != 2 or data[HEADER.size - 4 : HEADER.size] != COOKIE:
        return None
    fields = HEADER.unpack_from(data)
    found = read_fields(data[HEADER.size :], fields[12], fields[13])
    if found.cut or len(found.options.get(MESSAGE_TYPE, b"")) != 1:
        return None
    return Reply(
        xid=fields[4],
        yiaddr=IPv4Address(fields[8]),
        siaddr=IPv4Address(fields[9]),
        giaddr=IPv4Address(fields[10]),
        mac=fields[11][: fields[2]],
        sname=found.sname.rstrip(b"\0"),
        file=found.file.rstrip(b"\0"),
        options=found.options,
    )


def read_fields(data: bytes, sname: bytes, file: bytes) -> Fields:
    """Return the options of the options field and of the fields that option 52 names, joined over
    all of them.
    """
    pieces, cut = read_pieces(data)
    value = value_of(OVERLOAD, pieces.get(OVERLOAD, []))
    used = value[0] if len(value) == 1 and value[0] <= IN_FILE | IN_SNAME else 0
    cuts = [cut]
    for region in [region for bit, region in ((IN_FILE, file), (IN_SNAME, sname)) if used & bit]:
        more, cut = read_pieces(region)
        cuts.append(cut)
        for code, values in more.items():
            pieces[code] = pieces.get(code, []) + values
    return Fields(
        options={code: value_of(code, values) for code, values in pieces.items()},
        cut=tuple(code for code in cuts if code is not None),
        sname=b"" if used & IN_SNAME else sname,
        file=b"" if used & IN_FILE else file,
    )


def value_of(code: int, pieces: list[bytes]) -> bytes:
    """Return the pieces joined (RFC 3396); of equal ones that make no value of the option's length, the first."""
    whole = b"".join(pieces)
    if len(whole) != FIXED_LENGTHS.get(code, len(whole)) and len(set(pieces)) == 1:
        return pieces[0]
    return whole


def read_options(data: bytes) -> dict[int, bytes] | None:
    """Return code to value with pieces joined; None when the region is malformed."""
    pieces, cut = read_pieces(data)
    return {code: b"".join(values) for code, values in pieces.items()} if cut is None else None


def read_pieces(data: bytes) -> tuple[dict[int, list[bytes]], int | None]:
    """Return code to values before the first option that is cut, and the code of that one, if there is one."""
    pieces: dict[int, list[bytes]] = {}
    at = 0
    while at < len(data) and data[at] != END:
        if data[at] == PAD:
            at += 1
            continue
        if at + 2 > len(data) or at + 2 + data[at + 1] > len(data):
            return pieces, data[at]
        end = at + 2 + data[at + 1]
        pieces.setdefault(data[at], []).append(data[at + 2 : end])
        at = end
    return pieces, None
