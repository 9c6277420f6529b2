"""Answers to a bulk leasequery over DHCPv6 (RFC 5460): a LEASEQUERY-REPLY with the first client on
a link, a LEASEQUERY-DATA for each further one, LEASEQUERY-DONE.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from datetime import datetime
from ipaddress import IPv6Address
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from asyncpg import Pool

from dhcp_fast.leasequery.lease_pages import Range, Row, Selection, of_subnets, pages, whole_family
from dhcp_fast.leasequery.udp6 import (
    BY_ADDRESS,
    BY_CLIENT_ID,
    BY_LINK_ADDRESS,
    BY_RELAY_ID,
    BY_REMOTE_ID,
    MALFORMED_QUERY,
    QUERY_TERMINATED,
    RELAY_ID,
    SQL,
    UNKNOWN_QUERY_TYPE,
    Query,
    Refused,
    client_data,
    find_subnets,
    head,
    leases_of_client,
    of_address,
    read_asked,
    read_query,
)
from dhcp_fast.leasequery.virtual_network import tenants_of
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import NOWHERE, REMOTE_ID, Message, MessageType, Option
from ipam_core.model.values import Address

MOST_OF_CLIENT = 10_000
MOST_IN_MESSAGE = 1000  # leases; a message has at most 65,535 octets
IDENTIFIERS = {BY_RELAY_ID: RELAY_ID, BY_REMOTE_ID: REMOTE_ID}


class Meant(NamedTuple):
    """Leases of a query, and the time from which it is answered.

    `subnets`: subnets of the link that it names, else None.
    """

    tenants: list[int]
    subnets: list[int] | None
    asked_at: datetime


class BulkAnswer6:
    """The answer to one query, made while it is sent."""

    def __init__(
        self, connections: Pool, asked: Message, server_id: bytes, requester: Address, plan: Any
    ) -> None:
        self.connections = connections
        self.asked = asked
        self.head = head(asked, server_id)
        self.requester = requester
        self.plan = plan
        self.sent = 0

    async def messages(self) -> AsyncGenerator[bytes, None]:
        """Yield all of them, in order. Raises one of FAILED where the database does not answer; `terminated` is then
        the last one."""
        try:
            query = read_query(self.asked)
            async with aclosing(self.found(query)) as found:
                async for rows in found:
                    yield self.next_message(client_data(rows, query.wanted))
        except Refused as refused:
            yield self.next_message([message6.status(refused.status)])
            return
        yield self.done() if self.sent else self.next_message([])

    def terminated(self, reason: str) -> bytes:
        """Return the message of RFC 5460 section 5.5, where it ends before its end."""
        status = message6.status(QUERY_TERMINATED, reason)
        return self.done(status) if self.sent else self.next_message([status])

    def next_message(self, told: Sequence[Option]) -> bytes:
        """Return the next message; the names of client and server are in the first alone (section 5.2.1)."""
        self.sent += 1
        if self.sent > 1:
            return message6.message(MessageType.LEASEQUERY_DATA, self.asked.xid, told)
        return message6.message(MessageType.LEASEQUERY_REPLY, self.asked.xid, [*self.head, *told])

    def done(self, *told: Option) -> bytes:
        return message6.message(MessageType.LEASEQUERY_DONE, self.asked.xid, told)

    # --- data of the answer

    async def found(self, query: Query) -> AsyncGenerator[Sequence[Row], None]:
        """Yield the leases of one client on one link after the other. Raises Refused."""
        if query.kind not in (BY_ADDRESS, BY_CLIENT_ID, BY_RELAY_ID, BY_LINK_ADDRESS, BY_REMOTE_ID):
            raise Refused(UNKNOWN_QUERY_TYPE)
        if query.kind == BY_LINK_ADDRESS and query.link == NOWHERE:
            raise Refused(MALFORMED_QUERY)
        meant = await self.meant(query)
        if query.kind in (BY_ADDRESS, BY_CLIENT_ID):
            for rows in by_link(await self.of_one(query, meant)):
                yield rows
            return
        async with aclosing(self.of_many(selection(query, meant.subnets), meant)) as clients:
            async for rows in clients:
                yield rows

    async def meant(self, query: Query) -> Meant:
        tenants = tenants_of(self.plan, self.requester, query.network)
        if not tenants:
            raise Refused(MALFORMED_QUERY)
        async with self.connections.acquire() as connection:
            asked_at = await SQL.moment(connection)
            subnets = await find_subnets(connection, query.link, tenants)
        return Meant(tenants, None if subnets is None else sorted(subnets), asked_at)

    async def of_one(self, query: Query, meant: Meant) -> list[Row]:
        async with self.connections.acquire() as connection:
            if query.kind == BY_ADDRESS:
                return await of_address(connection, query, meant.tenants)
            return await leases_of_client(connection, query, meant.tenants, meant.subnets, MOST_OF_CLIENT)

    async def of_many(self, told: Selection, meant: Meant) -> AsyncGenerator[Sequence[Row], None]:
        """Yield a client's turn comes where the walk meets the first of its leases."""
        ranges = await self.ranges(meant)
        async with aclosing(pages(self.connections, ranges, told)) as walk:
            async for page in walk:
                met = {row["address"] for row in page}
                for rows in await self.clients(page, told, meant.asked_at):
                    if first_met(rows, ranges) in met:
                        yield rows

    async def ranges(self, meant: Meant) -> list[Range]:
        if meant.subnets is None:
            return whole_family(meant.tenants, 6)
        async with self.connections.acquire() as connection:
            return await of_subnets(connection, meant.subnets)

    async def clients(self, page: Sequence[Row], told: Selection, asked_at: datetime) -> list[Sequence[Row]]:
        """Return all that the clients of a page have, by client and link."""
        duids = list({row["duid"] for row in page})
        where = {"subnets": told.subnets, "relay_id": told.relay_id, "remote_id": told.remote_id}
        tenant_no = page[0]["tenant_no"]
        async with self.connections.acquire() as connection:
            found = SQL.of_clients(connection, tenant_no=tenant_no, duids=duids, asked_at=asked_at, **where)
            rows = [row async for row in found]
        by_client = groupby(sorted(rows, key=itemgetter("duid")), key=itemgetter("duid"))
        return [rows for _, client in by_client for rows in by_link(list(client))]


def selection(query: Query, subnets: list[int] | None) -> Selection:
    """Return the selection; raises Refused if the query identifies no relay."""
    identifier = query.value(IDENTIFIERS[query.kind]) if query.kind in IDENTIFIERS else b""
    if query.kind in IDENTIFIERS and not identifier:
        raise Refused(MALFORMED_QUERY)
    if query.kind == BY_RELAY_ID:
        return Selection(subnets, relay_id=identifier)
    return Selection(subnets, remote_id=identifier or None)


def by_link(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield one client's leases by link; more leases than a message can hold are divided."""
    for _, group in groupby(sorted(rows, key=itemgetter("link")), key=itemgetter("link")):
        found = list(group)
        for start in range(0, len(found), MOST_IN_MESSAGE):
            yield found[start : start + MOST_IN_MESSAGE]


def first_met(rows: Sequence[Row], ranges: Sequence[Range]) -> IPv6Address | None:
    """Return the lease of a client that a walk of the ranges meets first.

    A lease granted since the query began may be in a range that is already done, so it counts only
    if there is no other.
    """
    within = [row for row in rows if any(part.holds(row) for part in ranges)]
    before = [row for row in within if row["had_before"]]
    return min((IPv6Address(row["address"]) for row in before or within), default=None)


def answer(
    connections: Pool, data: bytes, server_id: bytes, requester: Address, plan: Any
) -> BulkAnswer6 | None:
    """Return None: no query of this protocol, or not for this server."""
    asked = read_asked(data, server_id)
    return None if asked is None else BulkAnswer6(connections, asked, server_id, requester, plan)
