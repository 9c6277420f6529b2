"""Leasequery over DHCPv6 (RFC 5007): an access concentrator asks who has an address, or what a client has."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from ipaddress import IPv6Address, IPv6Network
from typing import Any, NamedTuple

from asyncpg import Connection

from dhcp_fast.leasequery.virtual_network import tenants_of
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import (
    CLIENT_ID,
    IA_ADDRESS,
    INTERFACE_ID,
    NOWHERE,
    ORO,
    REMOTE_ID,
    SERVER_ID,
    VENDOR_CLASS,
    Message,
    MessageType,
    Option,
    Options,
    read_codes,
)
from ipam_core.db import queries
from ipam_core.model.values import Address

SQL = queries.load("leasequery")

LQ_QUERY, CLIENT_DATA, CLT_TIME, LQ_RELAY_DATA, LQ_CLIENT_LINK = range(44, 49)
RELAY_ID, VIRTUAL_NETWORK = 53, 68
BY_ADDRESS, BY_CLIENT_ID, BY_RELAY_ID, BY_LINK_ADDRESS, BY_REMOTE_ID = range(1, 6)
OVER_TCP = (BY_RELAY_ID, BY_LINK_ADDRESS, BY_REMOTE_ID)
UNKNOWN_QUERY_TYPE, MALFORMED_QUERY, NOT_CONFIGURED, NOT_ALLOWED, QUERY_TERMINATED = range(7, 12)
QUERY_HEAD = 17  # type and link address
FOR_EVER = 0xFFFFFFFF
MOST_LEASES = 24  # of a client in one datagram

# Data of a client beside its leases, by the option that requests it. RELAY_DATA: the peer address
# and the relays' options around the client's message (RFC 5007 section 4.1.2.4).
KEPT = {
    ORO: "parameter_list",
    VENDOR_CLASS: "vendor_class",
    INTERFACE_ID: "circuit_id",
    REMOTE_ID: "remote_id",
    LQ_RELAY_DATA: "relay_info",
    RELAY_ID: "relay_id",
}

Row = Mapping[str, Any]


class Query(NamedTuple):
    """Option 44. `wanted`: codes of the option request option in it; `network`: the virtual network that it names."""

    kind: int
    link: IPv6Address
    options: Options
    wanted: frozenset[int]
    network: bytes | None

    def value(self, code: int) -> bytes | None:
        return next((data for found, data in self.options if found == code), None)


class Refused(Exception):
    """Status of a query that cannot be answered."""

    def __init__(self, status: int) -> None:
        self.status = status


def read_query(asked: Message) -> Query:
    """Raise Refused where it is not there or malformed."""
    data = asked.value(LQ_QUERY) or b""
    options = message6.read_options(data[QUERY_HEAD:])
    if len(data) < QUERY_HEAD or options is None:
        raise Refused(MALFORMED_QUERY)
    wanted = frozenset(read_codes(dict(reversed(options)).get(ORO, b"")))
    network = asked.value(VIRTUAL_NETWORK) or dict(reversed(options)).get(VIRTUAL_NETWORK)
    return Query(data[0], IPv6Address(data[1:QUERY_HEAD]), options, wanted, network)


def read_asked(data: bytes, server_id: bytes) -> Message | None:
    """Return a LEASEQUERY that is for this server; None where there is to be no answer (RFC 5007 section 4.4.1)."""
    asked = message6.read(data)
    if not isinstance(asked, Message) or asked.cut or asked.kind != MessageType.LEASEQUERY:
        return None
    if not asked.value(CLIENT_ID):
        return None
    return asked if asked.value(SERVER_ID) in (None, server_id) else None


async def answer6(
    connection: Connection | None, data: bytes, server_id: bytes, requester: Address, plan: Any
) -> bytes | None:
    """Return the LEASEQUERY-REPLY; None where there is to be none. Without a connection, that the sender may not
    ask."""
    asked = read_asked(data, server_id)
    if asked is None:
        return None
    try:
        if connection is None:
            raise Refused(NOT_ALLOWED)
        query = read_query(asked)
        found = await options(connection, query, tenants_of(plan, requester, query.network))
    except Refused as refused:
        found = [message6.status(refused.status)]
    return message6.message(MessageType.LEASEQUERY_REPLY, asked.xid, head(asked, server_id) + found)


def head(asked: Message, server_id: bytes) -> list[Option]:
    return [(SERVER_ID, server_id), (CLIENT_ID, asked.value(CLIENT_ID) or b"")]


async def options(connection: Connection, query: Query, tenants: Sequence[int]) -> list[Option]:
    """Return the options of sections 4.3.3 and 4.4.2; empty if there is no lease.

    Additions of RFC 5460 apply to TCP alone (its section 4).
    """
    if query.kind in OVER_TCP:
        raise Refused(NOT_ALLOWED)
    if query.kind not in (BY_ADDRESS, BY_CLIENT_ID):
        raise Refused(UNKNOWN_QUERY_TYPE)
    subnets = await find_subnets(connection, query.link, tenants)
    if query.kind == BY_ADDRESS:
        return client_data(await of_address(connection, query, tenants), query.wanted)
    return await of_client(connection, query, tenants, subnets)


async def find_subnets(
    connection: Connection, link: IPv6Address, tenants: Sequence[int]
) -> frozenset[int] | None:
    """Return the subnets of the link that is asked about; None where it is any. Raises Refused where there is no such
    link."""
    if link == NOWHERE:
        return None
    rows = [row async for row in SQL.subnets_of_link(connection, link=link, tenants=tenants)]
    if not rows:
        raise Refused(NOT_CONFIGURED)
    return frozenset(row["no"] for row in rows)


async def of_address(connection: Connection, query: Query, tenants: Sequence[int]) -> list[Row]:
    """Return the address's client, with all that it has on that link (section 4.1.2.2). Raises Refused."""
    value = query.value(IA_ADDRESS)
    lease = None if value is None else message6.read_address(value)
    if lease is None:
        raise Refused(MALFORMED_QUERY)
    if not await SQL.is_configured(connection, address=lease.address, tenants=tenants):
        raise Refused(NOT_CONFIGURED)
    found = [row async for row in SQL.by_address(connection, address=lease.address, tenants=tenants)]
    if not found or found[0]["duid"] is None:
        return found
    holder = found[0]
    rows = await by_duid(connection, holder["duid"], [holder["tenant_no"]], MOST_LEASES)
    return [row for row in rows if row["link"] == holder["link"]] or found


async def of_client(
    connection: Connection, query: Query, tenants: Sequence[int], subnets: Collection[int] | None
) -> list[Option]:
    """Return the leases of the client on one link; where it has leases on several and none is named, those links."""
    rows = await leases_of_client(connection, query, tenants, subnets, MOST_LEASES)
    links = {row["link"]: link_of(row) for row in rows}
    if subnets is None and len(links) > 1:
        return [(LQ_CLIENT_LINK, b"".join(address.packed for address in sorted(set(links.values()))))]
    return client_data(rows, query.wanted)


async def leases_of_client(
    connection: Connection,
    query: Query,
    tenants: Sequence[int],
    subnets: Collection[int] | None,
    most: int,
) -> list[Row]:
    """Return the leases of the client in one tenant: the same DUID in another one is somebody else. Raises Refused
    where the query names no client."""
    duid = query.value(CLIENT_ID)
    if not duid:
        raise Refused(MALFORMED_QUERY)
    rows = await by_duid(connection, duid, tenants, most)
    rows = [row for row in rows if subnets is None or row["subnet_no"] in subnets]
    return [row for row in rows if row["tenant_no"] == rows[0]["tenant_no"]]


async def by_duid(connection: Connection, duid: bytes, tenants: Sequence[int], most: int) -> list[Row]:
    return [row async for row in SQL.by_duid(connection, duid=duid, tenants=tenants, most=most)]


def link_of(row: Row) -> IPv6Address:
    """Return the link-address of the relay, else the subnet's first address."""
    if row["link_address"] is not None:
        return IPv6Address(row["link_address"])
    return IPv6Address(0) if row["cidr"] is None else IPv6Address(row["cidr"].network_address)


def client_data(rows: Sequence[Row], wanted: Collection[int]) -> list[Option]:
    """Return one client's leases on a link, how long ago it last spoke of any of them (sections 4.1.2.2, 4.1.2.3), and
    what of the client is asked for."""
    if not rows:
        return []
    last = min(rows, key=since)
    told: Iterable[Option] = [
        (CLIENT_ID, last["duid"] or b""),
        *map(lease_option, rows),
        (CLT_TIME, max(since(last), 0).to_bytes(4, "big")),
        *((code, last[column]) for code, column in KEPT.items() if code in wanted and last[column]),
    ]
    return [(CLIENT_DATA, message6.pack(told))]


def since(row: Row) -> int:
    seconds: int = row["seconds_since"]
    return seconds


def lease_option(row: Row) -> Option:
    """Return the lease with the rest of its lifetimes."""
    valid = min(row["seconds_left"], FOR_EVER)
    preferred = row["preferred_lifetime"] or 0
    if preferred != FOR_EVER:
        preferred = min(max(preferred - row["seconds_since"], 0), valid)
    address = IPv6Address(row["address"])
    if row["ia_type"] == message6.IA_PD:
        return message6.prefix(IPv6Network((address, row["prefix_length"])), preferred, valid)
    return message6.address(address, preferred, valid)
