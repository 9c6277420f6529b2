"""Leasequery over DHCPv6 (RFC 5007): an access concentrator asks who has an address, or what a client has."""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv6Address, IPv6Network
from typing import Any

from asyncpg import Connection

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import CLIENT_ID, IA_ADDRESS, NOWHERE, SERVER_ID, Message, MessageType, Option
from ipam_core.db import queries

SQL = queries.load("leasequery")

LQ_QUERY, CLIENT_DATA, CLT_TIME, LQ_CLIENT_LINK = 44, 45, 46, 48
BY_ADDRESS, BY_CLIENT_ID = 1, 2
UNKNOWN_QUERY_TYPE, MALFORMED_QUERY, NOT_CONFIGURED, NOT_ALLOWED = 7, 8, 9, 10
QUERY_HEAD = 17  # type and link address
FOR_EVER = 0xFFFFFFFF

Row = Mapping[str, Any]


async def answer6(connection: Connection | None, data: bytes, server_id: bytes) -> bytes | None:
    """The LEASEQUERY-REPLY; None where there is to be none (section 4.4.1). Without a connection, that the sender may
    not ask."""
    asked = message6.read(data)
    if not isinstance(asked, Message) or asked.kind != MessageType.LEASEQUERY or not asked.value(CLIENT_ID):
        return None
    if asked.value(SERVER_ID) not in (None, server_id):
        return None
    found = [message6.status(NOT_ALLOWED)] if connection is None else await options(connection, asked)
    client = asked.value(CLIENT_ID) or b""
    told = [(SERVER_ID, server_id), (CLIENT_ID, client), *found]
    return message6.message(MessageType.LEASEQUERY_REPLY, asked.xid, told)


async def options(connection: Connection, asked: Message) -> list[Option]:
    """Sections 4.3.3 and 4.4.2: what is known, nothing where nobody has a lease, or a status."""
    query = asked.value(LQ_QUERY) or b""
    within = message6.read_options(query[QUERY_HEAD:])
    if len(query) < QUERY_HEAD or within is None:
        return [message6.status(MALFORMED_QUERY)]
    link = IPv6Address(query[1:QUERY_HEAD])
    if query[0] not in (BY_ADDRESS, BY_CLIENT_ID):
        return [message6.status(UNKNOWN_QUERY_TYPE)]
    if link != NOWHERE and not await SQL.is_configured(connection, address=link):
        return [message6.status(NOT_CONFIGURED)]
    value = dict(reversed(within)).get(IA_ADDRESS if query[0] == BY_ADDRESS else CLIENT_ID)
    if query[0] == BY_ADDRESS:
        return await of_address(connection, value)
    return await of_client(connection, value, link)


async def of_address(connection: Connection, value: bytes | None) -> list[Option]:
    lease = None if value is None else message6.read_address(value)
    if lease is None:
        return [message6.status(MALFORMED_QUERY)]
    if not await SQL.is_configured(connection, address=lease.address):
        return [message6.status(NOT_CONFIGURED)]
    return client_data([row async for row in SQL.by_address(connection, address=lease.address)])


async def of_client(connection: Connection, duid: bytes | None, link: IPv6Address) -> list[Option]:
    """On one link what it has; where it has leases on several and none is named, those links."""
    if not duid:
        return [message6.status(MALFORMED_QUERY)]
    rows = [row async for row in SQL.by_duid(connection, duid=duid)]
    if link != NOWHERE:
        return client_data([row for row in rows if row["cidr"] is not None and link in row["cidr"]])
    links = sorted({link_of(row) for row in rows})
    if len(links) > 1:
        return [(LQ_CLIENT_LINK, b"".join(address.packed for address in links))]
    return client_data(rows)


def link_of(row: Row) -> IPv6Address:
    """The link-address of the relay, else the subnet's first address."""
    if row["link_address"] is not None:
        return IPv6Address(row["link_address"])
    return IPv6Address(0) if row["cidr"] is None else IPv6Address(row["cidr"].network_address)


def client_data(rows: Sequence[Row]) -> list[Option]:
    """One client's leases, and how long ago it last spoke of any of them (sections 4.1.2.2, 4.1.2.3)."""
    if not rows:
        return []
    last = min(row["seconds_since"] for row in rows)
    told: Iterable[Option] = [
        (CLIENT_ID, rows[0]["duid"] or b""),
        *map(lease_option, rows),
        (CLT_TIME, max(last, 0).to_bytes(4, "big")),
    ]
    return [(CLIENT_DATA, message6.pack(told))]


def lease_option(row: Row) -> Option:
    """With what is left of its lifetimes."""
    valid = min(row["seconds_left"], FOR_EVER)
    preferred = min(max((row["preferred_lifetime"] or 0) - row["seconds_since"], 0), valid)
    address = IPv6Address(row["address"])
    if row["ia_type"] == message6.IA_PD:
        return message6.prefix(IPv6Network((address, row["prefix_length"])), preferred, valid)
    return message6.address(address, preferred, valid)
