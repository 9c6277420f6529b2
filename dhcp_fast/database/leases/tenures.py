"""Reader of who holds a reserved lease, by all that a reservation can be for (decisions: Reservations).

An identity is spelled as in the compiled plan: its kind, for a hardware address its type, and its octets.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from asyncpg import Connection

from dhcp_fast.packets.reconfigure6 import relays_of
from ipam_core.db import queries

BY_HARDWARE, BY_CLIENT_ID, BY_CIRCUIT, BY_DUID, BY_REMOTE_ID, BY_SUBSCRIBER_ID = 1, 2, 3, 4, 8, 9
ETHERNET = 1
RFC_4361, DUID_AT = 0xFF, 5  # the type octet of such a client id; behind it an IAID, then the DUID
ENTERPRISE = 4  # octets in front of a remote id of DHCPv6 (RFC 4649)
SUBSCRIBER_ID4, SUBSCRIBER_ID6 = 6, 38


class Holder(NamedTuple):
    """The client of a row. `machines`: its DUID, spelled as identity; `interface`: which of the machine's it is."""

    version: int
    identities: list[bytes]
    machines: list[bytes]
    hw_address: bytes
    interface: bytes


async def read_holders(connection: Connection, keys: list[tuple[int, Any]]) -> dict[tuple[int, Any], Holder]:
    """Read the holders by tenant's number and address; addresses without a row are left out."""
    tenants, addresses = zip(*keys, strict=True)
    rows = queries.load("dhcp_feed").read_holders(connection, tenants=tenants, addresses=addresses)
    return {(row["tenant_no"], row["address"]): holder(row) async for row in rows}


def holder(row: Mapping[str, Any]) -> Holder:
    """Return the client of a row."""
    duid = duid_of(row)
    iaid = row["iaid"]
    interface = row["client_id"] if iaid is None else iaid.to_bytes(4, "big")
    return Holder(
        row["version"],
        list(identities(row)),
        [bytes([BY_DUID]) + duid] if duid else [],
        row["hw_address"] or b"",
        interface or b"",
    )


def duid_of(row: Mapping[str, Any]) -> bytes | None:
    """Return the DUID; of IPv4 the one in a client id of RFC 4361."""
    client_id = row["client_id"]
    if client_id and client_id[0] == RFC_4361 and len(client_id) > DUID_AT:
        return bytes(client_id[DUID_AT:])
    return bytes(row["duid"]) if row["duid"] else None


def identities(row: Mapping[str, Any]) -> Iterator[bytes]:
    if row["hw_type"] == ETHERNET and row["hw_address"]:
        yield bytes([BY_HARDWARE, ETHERNET]) + row["hw_address"]
    remote = row["remote_id"]
    wide = row["ia_type"] != 0
    for kind, octets in (
        (BY_CLIENT_ID, row["client_id"]),
        (BY_CIRCUIT, row["circuit_id"]),
        (BY_REMOTE_ID, remote),
        (BY_REMOTE_ID, remote[ENTERPRISE:] if wide and remote else None),
        (BY_SUBSCRIBER_ID, subscriber_id(row["relay_info"], wide)),
    ):
        if octets:
            yield bytes([kind]) + octets


def subscriber_id(relay_info: bytes | None, wide: bool) -> bytes | None:
    """Return the subscriber id of the nearest relay that sends one (RFC 3993, RFC 4580)."""
    if not relay_info:
        return None
    if not wide:
        return next((value for code, value in suboptions(relay_info) if code == SUBSCRIBER_ID4), None)
    values = [relay.value(SUBSCRIBER_ID6) for relay in reversed(relays_of(relay_info)[1])]
    return next((value for value in values if value), None)


def suboptions(relay_info: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the suboptions of option 82, without a cut one."""
    at = 0
    while at + 2 <= len(relay_info) and at + 2 + relay_info[at + 1] <= len(relay_info):
        end = at + 2 + relay_info[at + 1]
        yield relay_info[at], relay_info[at + 2 : end]
        at = end
