"""A lease as all formats tell it. What a lease file does not say plainly is a ValueError: its line cannot be read."""

from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Literal, NamedTuple

State = Literal["active", "expired", "released", "declined", "reserved", "temporary", "registered"]
Given = IPv4Address | IPv6Address | IPv6Network
MAC_OCTETS = 6


class Client(NamedTuple):
    """Field of a reservation that identifies a client, and the value."""

    field: Literal["mac", "client_id", "duid"]
    value: str


class Lease(NamedTuple):
    """`given`: the address, or the delegated prefix. `ends`: seconds since 1970; None: never. `client`: None where the
    file does not tell it."""

    line: int
    given: Given
    client: Client | None
    ends: float | None
    state: State = "active"
    hostname: str = ""


class Unread(NamedTuple):
    """An entry that tells no lease, and why."""

    line: int
    why: str = "not readable"


Found = Lease | Unread


def client4(hardware: bytes, client_id: bytes) -> Client | None:
    """Return a hardware address of six octets is what any server sees of its client; else the client id, which may be
    one of RFC 4361 and is never a MAC, whatever it begins with."""
    if len(hardware) == MAC_OCTETS and any(hardware):
        return Client("mac", hardware.hex(":"))
    return Client("client_id", client_id.hex(":")) if client_id else None


def client6(duid: bytes) -> Client | None:
    return Client("duid", duid.hex(":")) if duid else None


def octets(text: str) -> bytes:
    """Return the octets of hexadecimal with colons, hyphens or nothing between."""
    return bytes.fromhex(text.replace(":", "").replace("-", ""))


def instant(text: str) -> float:
    """Return the moment of ISO 8601 with a blank or T; without a zone it is UTC, in which databases are dumped."""
    at = datetime.fromisoformat(text.strip())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
