"""The real server inside the test's event loop, and clients behind relays of their own.

A Relay is a socket on the relay's own address, so that the server's unicast to giaddr reaches it; it asks for
its own port by RFC 8357. Every reply that it takes is judged by the oracle before the test sees it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import IPv4Address, ip_network
from typing import Any

from engine.shared import Shared
from engine.site import Subnet, until
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK, NAK, OFFER, Malformed
from oracle.packets import Packet
from oracle.replies4 import check_reply
from ports import free_endpoint

from dhcp_fast.database.leases.commit_stats import ABANDONED
from dhcp_fast.net.icmp import IcmpSocket
from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

LOOPBACK = "127.0.0.1"
ANSWER_SECONDS = 5.0
SILENCE_SECONDS = 0.4
AFTERWARDS_SECONDS = 0.02  # in which the kernel delivers what a server has sent
XIDS = itertools.count(0x10000)

# Why the server drops a packet that waited for five seconds, in the kernel or in its queue: its client has asked again.
# What waited in PostgreSQL is counted among the commits.
GIVEN_UP = ("stale", "starting", "waited_too_long")


def endpoint(host: str, fields: Mapping[str, Any]) -> Endpoint:
    """Return where a server listens. Bulk leasequery takes the same port of TCP, which may belong to a connection if
    the kernel chooses a port that is free for UDP."""
    return free_endpoint(host) if "leasequery_requesters" in fields else Endpoint(host, 0)


def settings(**fields: Any) -> Settings:
    return Settings(
        **{
            "dhcp4_listen": (endpoint(LOOPBACK, fields),),
            "health_listen": Endpoint(LOOPBACK, 0),
            "trusted_relays": (ip_network("127.0.0.0/8"),),
        }
        | fields
    )


@asynccontextmanager
async def serving(dsn: str, pings: socket.socket | None = None, **fields: Any) -> AsyncIterator[Serving]:
    """A server that is ready; it ends with the block, and whatever it died of is raised. It pings by the raw socket
    `pings`, which may belong to another network namespace."""

    def make(told: Settings) -> Server:
        server = Server(told, dsn)
        server.startup.pings.socket = IcmpSocket(pings) if pings else None
        return server

    async with running(make, **fields) as server:
        yield server


@asynccontextmanager
async def running(make: Callable[[Settings], Server], **fields: Any) -> AsyncIterator[Serving]:
    """A server of any kind, made with the test's settings."""
    server = make(settings(**fields))
    task = asyncio.create_task(server.run())
    try:
        await until("ready", lambda: task.done() or not server.stage.not_ready())
        if task.done():
            await task
        assert isinstance(server.stage, Serving)
        yield server.stage
    finally:
        if not task.done():
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


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

    def relay(self, server: Serving, address: Any) -> Relay:
        made = Relay(server, address)
        self.stack.callback(made.close)
        return made


def counters(server: Serving) -> dict[str, Any]:
    return server.counters()


async def read_feed(server: Serving) -> None:
    """As its host does four times a second."""
    await server.duties.read_feed(server)


async def heard(server: Serving) -> None:
    """Wait until the server knows what others wrote a second ago. One that knows only of more than two seconds ago
    writes each renewal."""

    async def is_up_to_date() -> bool:
        await read_feed(server)
        return server.feed_lag() < 1.0

    await until("up to date", is_up_to_date)


async def reloaded(server: Serving, subnet: Subnet) -> None:
    """Wait until the server serves the subnet as it stands in the database."""
    fence = await subnet.site.connection.fetchval("select fence from subnet where no = $1", subnet.no)
    subnets = server.engine.plan.subnets
    await until("reloaded", lambda: subnet.no in subnets and subnets[subnet.no].fence == fence)


def drops(server: Serving, reason: str) -> int:
    return int(server.counters()["drops"].get(reason, 0))


def cached(server: Serving, tenant_no: int, address: IPv4Address) -> dict[str, Any] | None:
    return server.engine.lease(tenant_no, int(address))


class Relay:
    """A relay agent on `address`, towards one server."""

    def __init__(self, server: Serving, address: Any) -> None:
        self.server = server.sockets[0].address
        self.counters = server.counters
        self.commits = server.writers.commits
        self.address = IPv4Address(address)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.bind((str(address), 0))

    @classmethod
    def of(cls, server: Serving, subnet: Subnet) -> Relay:
        return cls(server, subnet.relay)

    def close(self) -> None:
        self.socket.close()

    def dress(self, packet: Packet) -> Packet:
        """The packet as this relay passes it on, with a transaction id of its own."""
        return packet.xid(next(XIDS)).with_relay(self.address).relay_port()

    def send(self, packet: Packet) -> Packet:
        dressed = self.dress(packet)
        self.socket.sendto(dressed.bytes(), self.server)
        return dressed

    async def answer_to(self, sent: Packet, seconds: float = ANSWER_SECONDS) -> Message | None:
        """The reply to what was sent, found lawful; None when there is none in time."""
        (reply,) = await self.answers_to([sent], seconds)
        return reply

    async def answers_to(self, sent: list[Packet], seconds: float = ANSWER_SECONDS) -> list[Message | None]:
        """The replies to packets that were sent together, in whatever order they come."""
        loop = asyncio.get_running_loop()
        asked = {dict(packet.header)["xid"]: packet for packet in sent}
        found: dict[int, Message] = {}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while len(found) < len(asked):
                    data = await loop.sock_recv(self.socket, 65535)
                    reply = parse_reply(data)
                    assert not isinstance(reply, Malformed), reply
                    if reply.xid in asked:
                        assert check_reply(asked[reply.xid].bytes(), data) == []
                        found[reply.xid] = reply
        return [found.get(xid) for xid in asked]

    async def ask(self, packet: Packet) -> Message:
        """The answer; where the machine stood still until the server gave the packet up, to the same asked again."""
        before = self.given_up()
        reply = await self.patiently(packet)
        if reply is None and self.given_up() > before:
            reply = await self.patiently(packet)
        assert reply is not None, f"no answer to {packet}; the server counts {self.counters()}"
        return reply

    async def patiently(self, packet: Packet) -> Message | None:
        """What came while this process stood still is read only after the time is up."""
        sent = self.send(packet)
        return await self.answer_to(sent) or await self.answer_to(sent, SILENCE_SECONDS)

    def given_up(self) -> int:
        told = self.counters()["drops"]
        return sum(int(told.get(reason, 0)) for reason in GIVEN_UP) + self.commits.failures.get(ABANDONED, 0)

    async def unanswered(self, packet: Packet) -> None:
        """Assert that the server decides the packet, writes what it has to write, and answers nothing."""
        settled = Settled(self.counters)
        sent = self.send(packet)
        await settled.over()
        reply = await self.answer_to(sent, AFTERWARDS_SECONDS)
        assert reply is None, f"answered: {reply}"

    # the conversation

    async def offer(self, packet: Packet) -> Message:
        reply = await self.ask(packet)
        assert reply.message_type == OFFER
        return reply

    async def offer_in_time(self, mac: str, seconds: float = 10.0) -> Message:
        """The offer to a client that asks again and again, as clients do."""
        async with asyncio.timeout(seconds):
            while (reply := await self.answer_to(self.send(say.discover(mac)), 0.2)) is None:
                pass
        return reply

    async def ack(self, packet: Packet) -> Message:
        reply = await self.ask(packet)
        assert reply.message_type == ACK, f"type {reply.message_type}"
        return reply

    async def nak(self, packet: Packet) -> Message:
        reply = await self.ask(packet)
        assert reply.message_type == NAK, f"type {reply.message_type}"
        return reply

    async def lease(self, mac: str, discover: Packet | None = None) -> Message:
        """DISCOVER to ACK."""
        offer = await self.offer(discover or say.discover(mac))
        return await self.select(mac, offer, discover)

    async def select(self, mac: str, offer: Message, discover: Packet | None = None) -> Message:
        request = say.request_selecting(mac, offer.yiaddr, server_id(offer))
        for code, value in (discover.options if discover else ())[1:]:
            request = request.option(code, value)
        return await self.ack(request)


async def verdict(server: Serving, packet: Packet) -> str:
    """What became of a packet that a client sends by itself, without relay: ack, nak or why it was dropped.

    Told by the server's counters, because the reply goes to the client's own port 68.
    """
    before = said_and_dropped(server)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(packet.xid(next(XIDS)).bytes(), server.sockets[0].address)
        fresh = await until("decided", lambda: said_and_dropped(server) - before)
    (verdict,) = fresh.elements()
    return str(verdict)


class Settled:
    """State of a server that has parsed or dropped a packet sent after this, and has nothing left to write or ping."""

    def __init__(self, counters: Callable[[], dict[str, Any]]) -> None:
        self.counters = counters
        self.before = heard_of(counters())

    async def over(self) -> None:
        await until("decided", self.nothing_waits)

    def nothing_waits(self) -> bool:
        told = self.counters()
        return heard_of(told) > self.before and not (
            told["slots_in_use"] or told["ready"] or told["pings_waiting"]
        )


def heard_of(told: Mapping[str, Any]) -> int:
    """Return the number of packets that were parsed or dropped; those that were both count twice."""
    return sum(told["received"].values()) + sum(told["drops"].values())


def said_and_dropped(server: Serving) -> Counter[str]:
    told = server.counters()
    return Counter(told["replied"]) + Counter(told["drops"])


def at_once(server: Serving, relay: Relay, *packets: Packet) -> list[Packet]:
    """The packets in one reading of the socket, so that their operations are ready before any is written."""
    sent = [relay.send(packet) for packet in packets]
    server.engine.receive(0)
    server.writers.kick()
    return sent


def server_id(reply: Message) -> IPv4Address:
    address = reply.address(54)
    assert address is not None
    return address


def mac_of(number: int) -> str:
    return "02:00:00" + "".join(f":{octet:02x}" for octet in number.to_bytes(3, "big"))


def octets(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))
