"""Leasequery over DHCPv4 (RFC 4388): an access concentrator asks who has an address, or which one a client has."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

from asyncpg import Connection

from dhcp_fast.leasequery.virtual_network import tenants_of
from dhcp_fast.packets.dissect import Message, dissect
from dhcp_fast.packets.message4 import (
    CLIENT_ID,
    COOKIE,
    END,
    HEADER,
    LEASE_TIME,
    MESSAGE_TYPE,
    PARAMETER_LIST,
    RELAY_AGENT,
    SERVER_ID,
    T1,
    T2,
    VENDOR_CLASS,
    Option,
)
from ipam_core.db import queries
from ipam_core.model.lifetimes import INFINITE
from ipam_core.model.values import Address

SQL = queries.load("leasequery")

QUERY, UNASSIGNED, UNKNOWN, ACTIVE = 10, 11, 12, 13
CLIENT_LAST_TRANSACTION_TIME, ASSOCIATED_IP = 91, 92
CIRCUIT_ID, REMOTE_ID = 1, 2
VIRTUAL_NETWORK = 221
BOOTREPLY = 2
NOWHERE = IPv4Address(0)
MOST_ASSOCIATED = 24

Row = Mapping[str, Any]


async def answer4(
    connection: Connection, data: bytes, server: IPv4Address, requester: Address, plan: Any
) -> tuple[bytes, IPv4Address] | None:
    """Return the reply and the relay (giaddr) that it goes to; None: there is to be none (section 6.2)."""
    asked = dissect(data)
    if asked is None or asked.cut or asked.kind != QUERY or not int(asked.giaddr):
        return None
    tenants = tenants_of(plan, requester, asked.value(VIRTUAL_NETWORK))
    if int(asked.ciaddr):
        told = {"address": asked.ciaddr, "tenants": tenants}
        rows = [row async for row in SQL.by_address(connection, **told)]
        kind = ACTIVE if rows else UNASSIGNED if await SQL.is_configured(connection, **told) else UNKNOWN
    else:
        rows = await of_client(connection, asked, data[1], tenants, MOST_ASSOCIATED)
        kind = ACTIVE if rows else UNKNOWN
    return reply(asked, data, kind, server, rows), asked.giaddr


async def of_client(
    connection: Connection, asked: Message, kind: int, tenants: Sequence[int], most: int
) -> list[Row]:
    """Return leases by the client id if there is one, else by the hardware address of that kind
    (section 6.1). They belong to one tenant, because the same client at another one is another
    client.
    """
    told = {"tenants": tenants, "most": most}
    if client_id := asked.value(CLIENT_ID):
        rows = [row async for row in SQL.by_client_id(connection, client_id=client_id, **told)]
    elif asked.mac:
        rows = [row async for row in SQL.by_hardware(connection, hardware=asked.mac, kind=kind, **told)]
    else:
        rows = []
    return [row for row in rows if row["tenant_no"] == rows[0]["tenant_no"]]


def reply(asked: Message, data: bytes, kind: int, server: IPv4Address, rows: Sequence[Row]) -> bytes:
    """Return the answer (section 6.4): the lease with the client's last message is its main part,
    option 92 lists the others.
    """
    told = [(MESSAGE_TYPE, bytes([kind])), (SERVER_ID, server.packed)]
    if not rows:
        return message(asked, asked.ciaddr, (data[1], asked.mac), told)
    told += only_wanted(lease_options(rows), asked.value(PARAMETER_LIST))
    return message(asked, rows[0]["address"], hardware_of(rows[0]), told)


def only_wanted(options: Iterator[Option], wanted: Collection[int]) -> Iterator[Option]:
    """Return all of them where nothing was asked for."""
    return (option for option in options if not wanted or option[0] in wanted)


def hardware_of(row: Row) -> tuple[int, bytes]:
    return row["hw_type"] or 0, row["hw_address"] or b""


def message(
    asked: Message, address: IPv4Address, hardware: tuple[int, bytes], told: Sequence[Option], size: int = 300
) -> bytes:
    """Return what answers `asked`, about `address` and who has it, padded to `size` octets."""
    kind, octets = hardware
    header = HEADER.pack(
        BOOTREPLY, kind, len(octets), 0, asked.xid, 0, 0, address.packed, NOWHERE.packed, NOWHERE.packed,
        asked.giaddr.packed, octets, b"", b"", COOKIE,
    )  # fmt: skip
    body = b"".join(bytes((code, len(value))) + value for code, value in told)
    return (header + body + bytes((END,))).ljust(size, b"\0")


def lease_options(rows: Sequence[Row]) -> Iterator[Option]:
    """Yield what is left of the lease; T1 and T2 as what is left of half and of seven eighths of its time, unless that
    is infinite."""
    row = rows[0]
    left, since = row["seconds_left"], max(row["seconds_since"], 0)
    whole = left + since
    yield LEASE_TIME, seconds(left)
    yield T1, seconds(left if left == INFINITE else whole // 2 - since)
    yield T2, seconds(left if left == INFINITE else whole * 7 // 8 - since)
    if row["vendor_class"]:
        yield VENDOR_CLASS, row["vendor_class"][:255]
    if row["client_id"]:
        yield CLIENT_ID, row["client_id"]
    if relay := relay_information(row):
        yield RELAY_AGENT, relay
    yield CLIENT_LAST_TRANSACTION_TIME, seconds(since)
    others = [found["address"].packed for found in rows[:MOST_ASSOCIATED]]
    if len(others) > 1:
        yield ASSOCIATED_IP, b"".join(others)


def seconds(number: int) -> bytes:
    return min(max(number, 0), 0xFFFFFFFF).to_bytes(4, "big")


def relay_information(row: Row) -> bytes:
    """Return option 82 as received if it is stored, else its known parts; empty if it would be too
    long for an option.
    """
    if row["relay_info"]:
        return row["relay_info"] if len(row["relay_info"]) < 256 else b""
    parts = ((CIRCUIT_ID, row["circuit_id"]), (REMOTE_ID, row["remote_id"]))
    told = b"".join(bytes((code, len(value))) + value for code, value in parts if value and len(value) < 256)
    return told if len(told) < 256 else b""
