"""DHCPv4 packets of any sender, for display: readable parts are shown, the others are called malformed.

It joins split options (RFC 3396) and reads options that overload moves into `file` and `sname` (RFC
2132 section 9.3). Options before a cut one are read (decisions: Malformed options).
"""

from ipaddress import IPv4Address

import msgspec

from dhcp_fast.packets.message4 import (
    COOKIE,
    HEADER,
    MESSAGE_TYPE,
    RELAY_AGENT,
    read_fields,
    read_pieces,
)
from ipam_core.dhcp import registry
from ipam_core.dhcp.describe import describe
from ipam_core.dhcp.message_types import MESSAGE_TYPES4

BOOTREQUEST, BOOTREPLY = 1, 2
CIRCUIT_ID = 1


class Message(msgspec.Struct, frozen=True):
    """`kind`: the message type, 0 without one. `cut`: codes of options that are longer than their field, behind which
    nothing could be read."""

    op: int
    hops: int
    xid: int
    secs: int
    flags: int
    ciaddr: IPv4Address
    yiaddr: IPv4Address
    siaddr: IPv4Address
    giaddr: IPv4Address
    mac: bytes
    sname: str
    file: str
    options: dict[int, bytes]
    cut: tuple[int, ...] = ()

    @property
    def kind(self) -> int:
        value = self.value(MESSAGE_TYPE)
        return value[0] if len(value) == 1 else 0

    @property
    def is_readable(self) -> bool:
        """True if the message type is known."""
        return self.kind != 0 or not self.cut

    @property
    def type_name(self) -> str:
        named = MESSAGE_TYPES4.get(self.kind, "").removeprefix("DHCP")
        return named or ("BOOTP" if self.is_readable else "malformed")

    def value(self, code: int) -> bytes:
        return self.options.get(code, b"")

    def address(self, code: int) -> IPv4Address | None:
        value = self.value(code)
        return IPv4Address(value) if len(value) == 4 else None

    def option_lines(self) -> list[str]:
        """Return the decoded options by name; the message type is in the headline."""
        lines = [describe(4, code, data) for code, data in self.options.items() if code != MESSAGE_TYPE]
        return lines + [f"{label(code)}: cut, the rest is not read" for code in self.cut]

    def header_lines(self) -> list[str]:
        fields = {"ciaddr": self.ciaddr, "yiaddr": self.yiaddr, "siaddr": self.siaddr, "giaddr": self.giaddr}
        told = [f"{name}: {address}" for name, address in fields.items() if int(address)]
        return told + [
            f"{name}: {text}" for name, text in (("sname", self.sname), ("file", self.file)) if text
        ]


def dissect(data: bytes) -> Message | None:
    """Return None: not DHCP at all, by its length or its cookie."""
    if len(data) < HEADER.size or data[HEADER.size - 4 : HEADER.size] != COOKIE:
        return None
    op, _, hlen, hops, xid, secs, flags, ci, yi, si, gi, mac, sname, file, _ = HEADER.unpack_from(data)
    found = read_fields(data[HEADER.size :], sname, file)
    return Message(
        op=op,
        hops=hops,
        xid=xid,
        secs=secs,
        flags=flags,
        ciaddr=IPv4Address(ci),
        yiaddr=IPv4Address(yi),
        siaddr=IPv4Address(si),
        giaddr=IPv4Address(gi),
        mac=mac[: min(hlen, 16)],
        sname=text(found.sname),
        file=text(found.file),
        options=found.options,
        cut=found.cut,
    )


def label(code: int) -> str:
    row = registry.lookup(4, code)
    return f"{row.name} ({code})" if row else f"option {code}"


def text(octets: bytes) -> str:
    return octets.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")


def relay_part(message: Message) -> str:
    """Return where a client is: its relay and circuit, for a headline."""
    if not int(message.giaddr):
        return "without relay"
    circuits = read_pieces(message.value(RELAY_AGENT))[0].get(CIRCUIT_ID, [])
    behind = f", circuit {printable(circuits[0])}" if any(circuits[:1]) else ""
    return f"through relay {message.giaddr}{behind}"


def printable(octets: bytes) -> str:
    ascii_text = octets.decode("ascii", "replace")
    return ascii_text if ascii_text.isprintable() else f"0x{octets.hex()}"
