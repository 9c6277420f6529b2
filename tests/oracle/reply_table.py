"""The table of docs/reference/reply-address.md as cases: every row with each combination of the values that it stands
for.

`Case.packet` makes the message of a client; who sends it, from which address and over which link, is the test's part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import product
from pathlib import Path

from oracle import packets as say
from oracle.packets import Packet

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "reply-address.md"
HEADING = "| Message | Link |"
NOWHERE = IPv4Address(0)
ANY = {
    "source": ("none", "own", "other"),
    "ciaddr": ("0", "own", "other"),
    "flag": ("clear", "set"),
    "hardware": ("Ethernet", "other"),
}
OTHERS = ("another type", "none", "zeros", "group")
"""What "other" hardware stands for."""


@dataclass(frozen=True)
class Case:
    message: str
    link: str
    source: str
    ciaddr: str
    flag: str
    hardware: str
    reply: str
    goes_to: str

    def packet(self, mac: str, own: IPv4Address, other: IPv4Address, server: IPv4Address) -> Packet:
        """What the client with `mac` says that has, or asks for, the address `own`."""
        packet = self.message_of(mac, own, server)
        packet = packet.field(ciaddr={"0": NOWHERE, "own": own, "other": other}[self.ciaddr])
        packet = packet.broadcast() if self.flag == "set" else packet
        return hardware(packet, self.hardware, mac)

    def message_of(self, mac: str, own: IPv4Address, server: IPv4Address) -> Packet:
        match self.message:
            case "DISCOVER":
                return say.discover(mac).requesting(own)
            case "DISCOVER, rapid commit":
                return say.discover(mac).requesting(own).rapid_commit()
            case "SELECTING":
                return say.request_selecting(mac, own, server)
            case "INIT-REBOOT":
                return say.request_init_reboot(mac, own)
            case "RENEWING" | "REBINDING":
                return say.request_renewing(mac, own)
            case "INFORM":
                return say.inform(mac, own)
            case "BOOTP":
                return say.bootp(mac)
            case "RELEASE":
                return say.release(mac, own, server)
            case "DECLINE":
                return say.decline(mac, own, server)
            case "leasequery":
                return say.message(10, mac)
        raise AssertionError(self.message)

    @property
    def to_everybody(self) -> bool:
        """Whether the client broadcasts it on its link."""
        return self.message not in ("RENEWING", "RELEASE")

    def __str__(self) -> str:
        return ", ".join(vars(self).values())


def hardware(packet: Packet, kind: str, mac: str) -> Packet:
    """The client as one with this kind of hardware; without a hardware address it has a client id."""
    match kind:
        case "another type":
            return packet.field(htype=6)
        case "none":
            return packet.field(htype=32, hlen=0, chaddr=b"").client_id(b"\x00" + say.hardware(mac))
        case "zeros":
            return packet.field(chaddr=bytes(6)).client_id(b"\x00" + say.hardware(mac))
        case "group":
            return packet.field(chaddr=bytes([3]) + say.hardware(mac)[1:])
    return packet


def cases() -> Iterator[Case]:
    for cells in rows():
        message, link, *varied, reply, goes_to = cells
        values = (ANY[name] if cell == "any" else (cell,) for name, cell in zip(ANY, varied, strict=True))
        for source, ciaddr, flag, kind in product(*values):
            for variety in OTHERS if kind == "other" else (kind,):
                yield Case(message, link, source, ciaddr, flag, variety, reply, goes_to)


def rows() -> Iterator[list[str]]:
    return table_at(HEADING)


def table_at(heading: str) -> Iterator[list[str]]:
    """The cells of each row of the table that begins so."""
    lines = PAGE.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line[1:-1].split("|")]
