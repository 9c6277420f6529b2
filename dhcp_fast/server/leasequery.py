"""Leasequeries, beside the packet path: the engine hands over what it does not answer, the database is asked, and the
answer leaves by the socket that the question came to.

Who may ask is a setting; of others DHCPv4 takes no notice (RFC 4388 section 6.2), DHCPv6 tells them so (RFC 5007
section 4.4.1). So many are answered at a time; what comes above that is dropped, and its sender asks again.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address

import structlog

from dhcp_fast.database.connections import Connections
from dhcp_fast.engine.configure import server_id
from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.server.leasequery4 import answer4
from dhcp_fast.server.leasequery6 import answer6
from ipam_core import faults
from ipam_core.db.outage import FAILED, reason
from ipam_core.model.values import Address, Network

MOST_AT_ONCE = 32
SERVER_PORT = 67

Query = tuple[bytes, int, int, int]  # as Engine.take_queries has it

log = structlog.get_logger()


class LeaseQueries:
    """Hears from now on what `requesters` ask of this engine; nothing, where there are none."""

    def __init__(
        self,
        engine: Engine,
        sockets: Sequence[UdpSocket],
        connections: Connections,
        requesters: Sequence[Network],
    ) -> None:
        self.engine = engine
        self.connections = connections
        self.requesters = [network for network in requesters if network.version == engine.family]
        self.server_id = server_id(engine)
        self.ports = [sock.address[1] for sock in sockets]
        self.ours = [sock.address[0] for sock in sockets]
        self.sockets = sockets
        self.answering: set[asyncio.Task[None]] = set()
        self.dropped = 0
        engine.takes_leasequeries = bool(self.requesters)

    def close(self) -> None:
        self.engine.takes_leasequeries = False
        for task in self.answering:
            task.cancel()

    def answer_all(self) -> None:
        for query in self.engine.take_queries():
            if len(self.answering) >= MOST_AT_ONCE:
                self.dropped += 1
                continue
            task = asyncio.get_running_loop().create_task(self.answer(query))
            self.answering.add(task)
            task.add_done_callback(self.answering.discard)

    async def answer(self, query: Query) -> None:
        data, number, port, which = query
        sender: Address = IPv6Address(number) if self.engine.family == 6 else IPv4Address(number)
        allowed = any(sender in network for network in self.requesters)
        try:
            if self.engine.family == 6:
                await self.answer_by_ipv6(data, sender, port, which, allowed=allowed)
            elif allowed:
                await self.answer_by_ipv4(data, sender, port, which)
        except FAILED as error:
            if (suppressed := faults.due("leasequery")) is not None:
                log.warning("a leasequery could not be answered", error=reason(error), suppressed=suppressed)
        except Exception as error:  # noqa: BLE001 - the other queries are answered
            faults.caught("leasequery", error)

    async def answer_by_ipv6(
        self, data: bytes, sender: Address, port: int, which: int, *, allowed: bool
    ) -> None:
        if allowed:
            async with self.connections.plan.acquire() as connection:
                told = await answer6(connection, data, self.server_id, sender, self.engine.plan)
        else:
            told = await answer6(None, data, self.server_id, sender, self.engine.plan)
        if told is not None:
            self.send(which, told, str(sender), port)

    async def answer_by_ipv4(self, data: bytes, sender: Address, port: int, which: int) -> None:
        """To the relay's address (RFC 4388 section 6.4); a server on another port than 67 speaks with tests and tools,
        which have ports of their own."""
        async with self.connections.plan.acquire() as connection:
            found = await answer4(connection, data, IPv4Address(self.ours[which]), sender, self.engine.plan)
        if found is not None:
            told, giaddr = found
            self.send(which, told, str(giaddr), SERVER_PORT if self.ports[which] == SERVER_PORT else port)

    def send(self, which: int, data: bytes, host: str, port: int) -> None:
        sock = self.sockets[which].sock
        if sock is not None:
            with suppress(OSError):  # as with a lost datagram: who asked asks again
                sock.sendto(data, (host, port))
