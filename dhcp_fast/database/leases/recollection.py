"""Reader of what rows of running leases hold of their clients, for messages that do not repeat it
(dhcp4/recall.pyx)."""

import struct
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

from asyncpg import Connection

from ipam_core.db import queries

VENDOR_CLASS = {4: 60, 6: 16}
ENTERPRISE = 4  # octets in front of the pieces (RFC 8415 section 21.16)


class Owner(NamedTuple):
    """An address, and the client that may have it, as its operation writes it."""

    tenant_no: int
    address: IPv4Address | IPv6Address
    client_key: bytes
    hw_type: int
    hw_address: bytes | None
    client_id: bytes | None


class Recalled(NamedTuple):
    """`relay`: its address as a number; 0: there was none, or it was one of DHCPv6. `line`: its option 82. `options`:
    the client's, each behind its code and length in two octets."""

    relay: int = 0
    line: bytes = b""
    options: bytes = b""


NOTHING = Recalled()


async def read_recalled(connection: Connection, owners: Sequence[Owner]) -> list[Recalled]:
    """Return what each of the rows holds, in the same order; NOTHING where the lease is not that client's."""
    if not owners:
        return []
    columns = map(list, zip(*owners, strict=True))
    names = ("tenants", "addresses", "keys", "hw_types", "hw_addresses", "client_ids")
    rows = queries.load("dhcp_feed").read_recalled(connection, **dict(zip(names, columns, strict=True)))
    found = {row["at"]: row async for row in rows}
    return [recalled(found.get(at), owner.address.version) for at, owner in enumerate(owners, start=1)]


def recalled(row: Mapping[str, Any] | None, family: int) -> Recalled:
    if row is None:
        return NOTHING
    options = row["client_options"] or b""
    if row["vendor_class"] is not None:
        vendor_class = mended(row["vendor_class"]) if family == 6 else row["vendor_class"]
        options = struct.pack("!HH", VENDOR_CLASS[family], len(vendor_class)) + vendor_class + options
    if row["relay"] is None or family == 6:
        return Recalled(options=options)
    return Recalled(int(row["relay"]), row["said"], options)


def mended(vendor_class: bytes) -> bytes:
    """Return a readable form of a vendor class of DHCPv6 that the row cut after 255 octets.

    Its last piece gets the length that it has there, or is left out if its length field is cut.
    """
    at = ENTERPRISE
    while at + 2 <= len(vendor_class):
        (length,) = struct.unpack_from("!H", vendor_class, at)
        left = len(vendor_class) - at - 2
        if length > left:
            return vendor_class[:at] + struct.pack("!H", left) + vendor_class[at + 2 :]
        at += 2 + length
    return vendor_class[:at]
