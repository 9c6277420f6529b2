"""Leasequeries, beside the packet path. The engine hands them over, the database is queried, and
the answer leaves by the socket and from the address at which the query arrived.

A setting lists the permitted requesters. Others are ignored in DHCPv4 (RFC 4388 section 6.2) and
refused in DHCPv6 (RFC 5007 section 4.4.1). The engine checks the sender before a query takes a
place. The number of concurrent queries is limited; others are dropped and counted, and their
requesters retry.
"""

import asyncio
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

import structlog
from prometheus_client.core import CounterMetricFamily, Metric

from dhcp_fast.database.connections import Connections
from dhcp_fast.engine.configure import server_id
from dhcp_fast.engine.engine import Engine
from dhcp_fast.leasequery.udp4 import answer4
from dhcp_fast.leasequery.udp6 import answer6
from dhcp_fast.net.answer_from import answer_from
from dhcp_fast.net.udp import UdpSocket
from ipam_core import faults
from ipam_core.db.outage import FAILED, reason
from ipam_core.model.values import Address, Network

MOST_AT_ONCE = 32
SERVER_PORT = 67

log = structlog.get_logger()


class Query(NamedTuple):
    """Query as Engine.take_queries has it."""

    data: bytes
    sender: int
    port: int
    which: int  # of the sockets
    asked: int  # address of ours; 0: a group's
    ifindex: int
    allowed: bool
    """The sender is one of the requesters."""


class LeaseQueries:
    """Handler of the queries that `requesters` send to this engine; inactive if there are none."""

    def __init__(
        self,
        engine: Engine,
        sockets: Sequence[UdpSocket],
        connections: Connections,
        requesters: Sequence[Network],
    ) -> None:
        self.engine = engine
        self.connections = connections
        self.kind = IPv6Address if engine.family == 6 else IPv4Address
        self.ports = [sock.address[1] for sock in sockets]
        self.sockets = sockets
        self.answering: set[asyncio.Task[None]] = set()
        self.refusing: set[asyncio.Task[None]] = set()  # they wait for nobody
        self.dropped = 0  # one too many
        engine.take_leasequeries_of(
            (int(network[0]), int(network[-1])) for network in requesters if network.version == engine.family
        )

    def close(self) -> None:
        self.engine.take_leasequeries_of(())
        for task in self.answering | self.refusing:
            task.cancel()

    def families(self) -> Iterator[Metric]:
        yield CounterMetricFamily(
            "ipam_dhcp4_leasequeries_dropped",
            f"Leasequeries over UDP dropped because {MOST_AT_ONCE} others were in progress; senders retry.",
            value=self.dropped + self.engine.queries_dropped,
        )

    def answer_all(self) -> None:
        for query in map(Query._make, self.engine.take_queries()):
            if query.allowed and len(self.answering) >= MOST_AT_ONCE:
                self.dropped += 1
                continue
            task = asyncio.get_running_loop().create_task(self.answer(query))
            tasks = self.answering if query.allowed else self.refusing
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def answer(self, query: Query) -> None:
        sender: Address = self.kind(query.sender)
        try:
            if self.engine.family == 6:
                await self.answer_by_ipv6(query, sender)
            else:
                await self.answer_by_ipv4(query, sender)
        except FAILED as error:
            if (suppressed := faults.due("leasequery")) is not None:
                log.warning("leasequery could not be answered", error=reason(error), suppressed=suppressed)
        except Exception as error:  # noqa: BLE001 - the other queries are answered
            faults.caught("leasequery", error)

    async def answer_by_ipv6(self, query: Query, sender: Address) -> None:
        if query.allowed:
            async with self.connections.plan.acquire() as connection:
                told = await answer6(connection, query.data, server_id(self.engine), sender, self.engine.plan)
        else:
            told = await answer6(None, query.data, server_id(self.engine), sender, self.engine.plan)
        if told is not None:
            self.send(query, told, sender, query.port)

    async def answer_by_ipv4(self, query: Query, sender: Address) -> None:
        """Answer to the relay's address (RFC 4388 section 6.4); a server on another port than 67 speaks with tests and
        tools, which have ports of their own."""
        async with self.connections.plan.acquire() as connection:
            asked = IPv4Address(query.asked)
            found = await answer4(connection, query.data, asked, sender, self.engine.plan)
        if found is not None:
            told, giaddr = found
            port = SERVER_PORT if self.ports[query.which] == SERVER_PORT else query.port
            self.send(query, told, giaddr, port)

    def send(self, query: Query, data: bytes, host: Address, port: int) -> None:
        """Send an answer.

        One that cannot be sent is counted; the requester retries, as after a lost datagram.
        """
        held = self.sockets[query.which]
        if not answer_from(held, data, (host, port), self.kind(query.asked), query.ifindex):
            self.engine.note_unsent()
