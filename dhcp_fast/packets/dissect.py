"""DHCPv4 packets of anybody, read for people: what can be read is shown, what cannot is called malformed.

Beside the header it joins split options (RFC 3396) and reads those that overload put into `file` and `sname` (RFC 2132
section 9.3), as other servers send them.
"""

from ipaddress import IPv4Address

import msgspec

from dhcp_fast.packets.message4 import (
    COOKIE,
    HEADER,
    MESSAGE_TYPE,
    RELAY_AGENT,
    read_options,
    read_overloaded,
)
from ipam_core.dhcp.describe import describe
from ipam_core.dhcp.message_types import MESSAGE_TYPES4

BOOTREQUEST, BOOTREPLY = 1, 2


class Message(msgspec.Struct, frozen=True):
    """`kind`: the message type, 0 without one. `options`: None when they cannot be walked."""

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
    options: dict[int, bytes] | None

    @property
    def kind(self) -> int:
        value = self.value(MESSAGE_TYPE)
        return value[0] if len(value) == 1 else 0

    @property
    def type_name(self) -> str:
        named = MESSAGE_TYPES4.get(self.kind, "").removeprefix("DHCP")
        return named or ("BOOTP" if self.options is not None else "malformed")

    def value(self, code: int) -> bytes:
        return (self.options or {}).get(code, b"")

    def address(self, code: int) -> IPv4Address | None:
        value = self.value(code)
        return IPv4Address(value) if len(value) == 4 else None

    def option_lines(self) -> list[str]:
        """By name, decoded; the message type stands in the headline."""
        if self.options is None:
            return ["options: malformed"]
        return [describe(4, code, data) for code, data in self.options.items() if code != MESSAGE_TYPE]

    def header_lines(self) -> list[str]:
        fields = {"ciaddr": self.ciaddr, "yiaddr": self.yiaddr, "siaddr": self.siaddr, "giaddr": self.giaddr}
        told = [f"{name}: {address}" for name, address in fields.items() if int(address)]
        return told + [
            f"{name}: {text}" for name, text in (("sname", self.sname), ("file", self.file)) if text
        ]


def dissect(data: bytes) -> Message | None:
    """None: not DHCP at all, by its length or its cookie."""
    if len(data) < HEADER.size or data[HEADER.size - 4 : HEADER.size] != COOKIE:
        return None
    op, _, hlen, hops, xid, secs, flags, ci, yi, si, gi, mac, sname, file, _ = HEADER.unpack_from(data)
    options, sname, file = read_overloaded(read_options(data[HEADER.size :]), sname, file)
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
        sname=text(sname),
        file=text(file),
        options=options,
    )


def text(octets: bytes) -> str:
    return octets.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")


def relay_part(message: Message) -> str:
    """Where a client is: its relay and circuit, for a headline."""
    if not int(message.giaddr):
        return "without relay"
    circuit = (read_options(message.value(RELAY_AGENT)) or {}).get(1)
    behind = f", circuit {printable(circuit)}" if circuit else ""
    return f"through relay {message.giaddr}{behind}"


def printable(octets: bytes) -> str:
    ascii_text = octets.decode("ascii", "replace")
    return ascii_text if ascii_text.isprintable() else f"0x{octets.hex()}"
