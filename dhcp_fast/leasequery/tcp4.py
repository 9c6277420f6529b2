"""Answers to a bulk leasequery over DHCPv4 (RFC 6926).

Each lease is a DHCPLEASEACTIVE, or a DHCPLEASEUNASSIGNED for an address that had one, if all are
requested; DHCPLEASEQUERYDONE ends them. An address that never had a lease is left out.
"""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from ipaddress import IPv4Address
from typing import Any, NamedTuple

from asyncpg import Pool

from dhcp_fast.leasequery.lease_pages import FOR_EVER, Row, Selection, pages, whole_family
from dhcp_fast.leasequery.udp4 import (
    ACTIVE,
    REMOTE_ID,
    UNASSIGNED,
    VIRTUAL_NETWORK,
    hardware_of,
    lease_options,
    message,
    of_client,
    only_wanted,
    seconds,
)
from dhcp_fast.leasequery.virtual_network import tenants_of
from dhcp_fast.packets.dissect import Message, dissect
from dhcp_fast.packets.message4 import (
    CLIENT_ID,
    MESSAGE_TYPE,
    NOWHERE,
    PARAMETER_LIST,
    RELAY_AGENT,
    SERVER_ID,
    Option,
    read_options,
)
from ipam_core.model.values import Address

BULK_QUERY, DONE = 14, 15
STATUS_CODE, BASE_TIME, START_TIME_OF_STATE, QUERY_START_TIME, QUERY_END_TIME = range(151, 156)
DHCP_STATE, DATA_SOURCE = 156, 157
QUERY_TERMINATED, MALFORMED_QUERY = 2, 3
RELAY_ID = 12  # sub-option of option 82, RFC 6925
HERE = b"\0"  # data-source: all servers share the database, so no server has data of its own
STATES = {"a": 3, "x": 3, "r": 4, "d": 5, "v": 6}  # of what does not run; section 6.2.2
RUNS = 2
MOST_OF_CLIENT = 10_000
NOBODY = (0, b"")


class Malformed(Exception):
    """Part of a query that is invalid."""


class Query(NamedTuple):
    """A query, for all leases if it names none; `since` and `until` limit their last change."""

    by_client: bool
    relay_id: bytes | None
    remote_id: bytes | None
    since: int
    until: int

    @property
    def selection(self) -> Selection:
        running = self.relay_id is not None or self.remote_id is not None
        return Selection(None, self.relay_id, self.remote_id, running, self.since, self.until)


def read_query(asked: Message) -> Query:
    """Return sections 7.2 and 8.2: at most one of hardware address, client id, relay id and remote id, and no address.
    Raises Malformed."""
    if int(asked.ciaddr) or int(asked.yiaddr) or int(asked.siaddr):
        raise Malformed("ciaddr, yiaddr and siaddr must be zero")
    relay = read_options(asked.value(RELAY_AGENT))
    if relay is None:
        raise Malformed("option 82 cannot be read")
    client = any(asked.mac), bool(asked.value(CLIENT_ID))
    query = Query(
        by_client=any(client),
        relay_id=relay.get(RELAY_ID),
        remote_id=relay.get(REMOTE_ID),
        since=read_time(asked, QUERY_START_TIME, 0),
        until=read_time(asked, QUERY_END_TIME, FOR_EVER),
    )
    if sum([*client, query.relay_id is not None, query.remote_id is not None]) > 1:
        raise Malformed("only one of hardware address, client id, relay id and remote id")
    if query.since > query.until:
        raise Malformed("query-start-time is after query-end-time")
    return query


def read_time(asked: Message, code: int, otherwise: int) -> int:
    value = asked.value(code)
    if len(value) not in (0, 4):
        raise Malformed(f"option {code} must have four octets")
    return int.from_bytes(value, "big") if value else otherwise


class BulkAnswer4:
    """The answer to one query, made while it is sent. `kind`: of the hardware address."""

    def __init__(
        self,
        connections: Pool,
        asked: Message,
        kind: int,
        server: IPv4Address,
        requester: Address,
        plan: Any,
    ) -> None:
        self.connections = connections
        self.asked = asked
        self.kind = kind
        self.server = server
        self.requester = requester
        self.plan = plan
        self.sent = 0

    async def messages(self) -> AsyncGenerator[bytes, None]:
        """Yield all of them, in order. Raises one of FAILED where the database does not answer; `terminated` is then
        the last one."""
        try:
            query = read_query(self.asked)
        except Malformed as error:
            yield self.done((MALFORMED_QUERY, str(error)))
            return
        async with aclosing(self.found(query)) as found:
            async for row in found:
                yield self.lease(row)
        yield self.done()

    def terminated(self, reason: str) -> bytes:
        return self.done((QUERY_TERMINATED, reason))

    def lease(self, row: Row) -> bytes:
        wanted = self.asked.value(PARAMETER_LIST)
        told = only_wanted(options_of(row), wanted)
        if row["runs"]:
            return self.next_message(ACTIVE, row["address"], hardware_of(row), *told)
        return self.next_message(UNASSIGNED, row["address"], NOBODY, *told)

    def done(self, status: tuple[int, str] | None = None) -> bytes:
        told = () if status is None else ((STATUS_CODE, bytes([status[0]]) + status[1].encode()[:200]),)
        return self.next_message(DONE, NOWHERE, NOBODY, *told)

    def next_message(
        self, kind: int, address: IPv4Address, hardware: tuple[int, bytes], *told: Option
    ) -> bytes:
        """Return the next message; the server's name is in the first alone."""
        server = () if self.sent else ((SERVER_ID, self.server.packed),)
        self.sent += 1
        return message(self.asked, address, hardware, [(MESSAGE_TYPE, bytes([kind])), *server, *told], size=0)

    async def found(self, query: Query) -> AsyncGenerator[Row, None]:
        tenants = tenants_of(self.plan, self.requester, self.asked.value(VIRTUAL_NETWORK))
        async with self.connections.acquire() as connection:
            rows = await of_client(connection, self.asked, self.kind, tenants, MOST_OF_CLIENT)
        if query.by_client:
            for row in rows:
                if query.since <= row["changed"] <= query.until:
                    yield row
            return
        async with aclosing(pages(self.connections, whole_family(tenants, 4), query.selection)) as walk:
            async for page in walk:
                for row in page:
                    yield row


def options_of(row: Row) -> Iterator[Option]:
    """Yield the options. Times are seconds before base-time (section 6.2.2)."""
    yield BASE_TIME, seconds(row["base_time"])
    if row["runs"]:
        yield from lease_options([row])
    yield START_TIME_OF_STATE, seconds(row["seconds_in_state"])
    yield DHCP_STATE, bytes([RUNS if row["runs"] else STATES[row["state"]]])
    yield DATA_SOURCE, HERE


def answer(
    connections: Pool, data: bytes, server: IPv4Address, requester: Address, plan: Any
) -> BulkAnswer4 | None:
    """Return None: no query of this protocol."""
    asked = dissect(data)
    if asked is None or asked.cut or asked.kind != BULK_QUERY:
        return None
    return BulkAnswer4(connections, asked, data[1], server, requester, plan)
