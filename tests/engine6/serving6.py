"""A real DHCPv6 server inside the test's event loop, and relays on ::1; see engine/serving.py.

Every answer that a relay takes is judged by the oracle before the test sees it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import IPv6Address, ip_network
from typing import Any

from engine.serving import AFTERWARDS_SECONDS, Settled, endpoint, running
from engine.shared import Shared
from engine6.site6 import Subnet6
from oracle import packets6 as say
from oracle.message6 import ADVERTISE, REPLY, Message, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import IA_NA, IA_PD, SERVER_ID, first
from oracle.packets6 import Packet
from oracle.replies6 import check_reply6

from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.settings import Settings

ANSWER_SECONDS = 5.0
XIDS = itertools.count(0x10000)


@asynccontextmanager
async def serving(dsn: str, **fields: Any) -> AsyncIterator[Serving]:
    """A server that is ready; it ends with the block, and whatever it died of is raised."""

    def make(told: Settings) -> Server:
        return Server(told, dsn, family=6)

    told = {"dhcp6_listen": (endpoint("::1", fields),), "trusted_relays": (ip_network("::1/128"),)} | fields
    async with running(make, **told) as server:
        yield server


class Servers:
    """Servers on this test's database; the test starts them when its plan is written."""

    def __init__(self, dsn: str, stack: AsyncExitStack, shared: Shared | None = None) -> None:
        self.dsn = dsn
        self.stack = stack
        self.shared = shared

    async def start(self, **fields: Any) -> Serving:
        if self.shared is not None and not fields:
            return await self.shared.current(serving)
        return await self.stack.enter_async_context(serving(self.dsn, **fields))

    def relay(self, server: Serving, link: Any) -> Relay:
        made = Relay(server, link)
        self.stack.callback(made.close)
        return made


async def meeting(servers: Servers, count: int) -> list[Serving]:
    """Servers that know of each other that they are ready."""
    running = [await servers.start() for _ in range(count)]
    for server in [*running, *running]:
        await beat(server)
    return running


async def beat(server: Serving) -> None:
    server.duties.heartbeat.last = 0
    await server.duties.beat(server)


def duid(number: int) -> bytes:
    return say.duid_ll((0x020000000000 + number).to_bytes(6, "big"))


class Relay:
    """A relay agent that says the link-address `link`, towards one server."""

    def __init__(self, server: Serving, link: Any) -> None:
        self.server = server.sockets[0].address
        self.counters = server.counters
        self.link = IPv6Address(link)
        self.server_id = b""
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.bind(("::1", 0))

    @classmethod
    def of(cls, server: Serving, subnet: Subnet6) -> Relay:
        return cls(server, subnet.link)

    def close(self) -> None:
        self.socket.close()

    def dress(self, packet: Packet) -> Packet:
        """The packet as this relay passes it on, unless it came through one, with a transaction id of its own."""
        packet = packet.xid(next(XIDS) & 0xFFFFFF)
        return packet if packet.envelopes else packet.through(self.link)

    def send(self, packet: Packet) -> Packet:
        dressed = self.dress(packet)
        self.socket.sendto(dressed.bytes(), self.server)
        return dressed

    async def answer_to(self, sent: Packet, seconds: float = ANSWER_SECONDS) -> Message | None:
        """The answer to what was sent, found lawful; None when there is none in time."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    data = await loop.sock_recv(self.socket, 65535)
                    reply = parse_reply(data)
                    assert not isinstance(reply, Malformed), reply
                    if reply.transaction_id == sent.transaction_id:
                        return self.judged(sent, data, reply)
        return None

    def judged(self, sent: Packet, data: bytes, reply: Message) -> Message:
        assert reply.server_id is not None
        self.server_id = self.server_id or reply.server_id
        assert check_reply6(sent.bytes(), data, self.server_id) == []
        return reply

    async def ask(self, packet: Packet) -> Message:
        reply = await self.answer_to(self.send(packet))
        assert reply is not None, f"no answer to {packet}; the server counts {self.counters()}"
        return reply

    async def unanswered(self, packet: Packet) -> None:
        """Assert that the server decides the packet, writes what it has to write, and answers nothing."""
        settled = Settled(self.counters)
        sent = self.send(packet)
        await settled.over()
        reply = await self.answer_to(sent, AFTERWARDS_SECONDS)
        assert reply is None, f"answered: {reply}"

    # the conversation

    async def advertise_in_time(self, packet: Packet, seconds: float = 10.0) -> Message:
        """The ADVERTISE to a client that asks again and again, as clients do."""
        async with asyncio.timeout(seconds):
            while (answer := await self.answer_to(self.send(packet), 0.5)) is None:
                pass
        return answer

    async def advertise(self, packet: Packet) -> Message:
        answer = await self.ask(packet)
        assert answer.message_type == ADVERTISE
        return answer

    async def reply(self, packet: Packet) -> Message:
        answer = await self.ask(packet)
        assert answer.message_type == REPLY
        return answer

    async def lease(self, client: bytes, solicit: Packet | None = None) -> Message:
        """SOLICIT to REPLY; what was offered is asked for."""
        solicit = solicit or say.solicit(client).ia_na(1)
        offer = await self.advertise(solicit)
        return await self.reply(chosen(say.request(client, self.server_id), offer))


def chosen(packet: Packet, offer: Message) -> Packet:
    """The packet with the associations of an answer, and their leases."""
    for ia in offer.associations:
        if ia.code == IA_NA:
            packet = packet.ia_na(ia.iaid, *(lease.address for lease in ia.leases))
        elif ia.code == IA_PD:
            packet = packet.ia_pd(ia.iaid, *(f"{lease.address}/{lease.length}" for lease in ia.leases))
    return packet


def leases(answer: Message, kind: int = IA_NA) -> list[str]:
    """What the answer gives with lifetimes, as text."""
    return [
        str(lease.address) if kind == IA_NA else f"{lease.address}/{lease.length}"
        for ia in answer.associations
        if ia.code == kind
        for lease in ia.leases
        if lease.valid
    ]


def statuses(answer: Message) -> list[int]:
    """Of the associations that have one."""
    return [ia.status.code for ia in answer.associations if ia.status is not None]


def server_id(answer: Message) -> bytes:
    found = first(answer.options, SERVER_ID)
    assert found is not None
    return found
