"""Clients behind one relay that live their lives: bind, renew, give back, leave, start over; all that they were told is
kept for the judge.

The relay sends what is broadcast to every server, in any order; a client takes the first offer. Who gets no answer to
its REQUEST gives up after a while, one to three seconds, and starts over, as impatient clients do. A client
that has given its address back or left it is succeeded by another one, with a hardware address of its own.
"""

import asyncio
import contextlib
import itertools
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from chaos.judge import LATE, LEFT, OFFERED, REFUSED, RELEASED, TAKEN, UNANSWERED, Record
from chaos.plots import Plot
from outage.processes import await_true

from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option, Reply

Address = tuple[str, int]
OFFER_SECONDS = 1.0
PATIENCE_SECONDS = (1.0, 3.0)
REST_SECONDS = 1.0
NOWHERE = message4.NOWHERE


class Crowd:
    """`count` clients of a plot at a time, `rate` bindings, renewals and departures a second together, of which with a
    lease so large a share is `renewals`, and so large a one goes without a word."""

    def __init__(
        self,
        sock: socket.socket,
        plot: Plot,
        servers: Sequence[Address],
        *,
        count: int,
        rate: float,
        seed: int = 1,
        renewals: float = 0.6,
        leaving: float = 0.05,
    ) -> None:
        self.sock = sock
        self.plot = plot
        self.servers = list(servers)
        self.count = count
        self.pause_seconds = count / rate
        self.random = random.Random(seed)
        self.renewals = renewals
        self.leaving = leaving
        self.macs = map(plot.mac, itertools.count())
        self.xids = itertools.count(1)
        self.waiting: dict[int, tuple[set[MessageType], asyncio.Future[Reply]]] = {}
        self.records: list[Record] = []
        self.counted: Counter[str] = Counter()
        self.ending = threading.Event()
        self.resting = threading.Event()

    # --- what a test sees

    @contextlib.contextmanager
    def running(self) -> Iterator["Crowd"]:
        """In a thread of its own, until the end of the block; whoever waits for an answer then is heard out."""
        thread = threading.Thread(target=lambda: asyncio.run(self.live()))
        thread.start()
        try:
            yield self
        finally:
            self.ending.set()
            thread.join()
            self.sock.close()

    def goes_on(self, bindings: int, within: float = 20.0) -> None:
        """Wait until so many clients more have got an address."""
        goal = self.counted["bound"] + bindings
        await_true(lambda: self.counted["bound"] >= goal, f"{goal} bindings: {self.counted}", seconds=within)

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """Nobody asks for anything, and all that was asked is answered and known to every server."""
        self.resting.set()
        time.sleep(REST_SECONDS)
        try:
            yield
        finally:
            self.resting.clear()

    def since(self, moment: float, what: str) -> list[Record]:
        return [record for record in list(self.records) if record.at >= moment and record.what == what]

    # --- lives

    async def live(self) -> None:
        loop = asyncio.get_running_loop()
        self.sock.setblocking(False)
        loop.add_reader(self.sock, self.receive)
        async with asyncio.TaskGroup() as lives:
            for _ in range(self.count):
                lives.create_task(self.succeed_each_other())
        loop.remove_reader(self.sock)

    async def succeed_each_other(self) -> None:
        await self.pause()
        while not self.ending.is_set():
            await Client(self, next(self.macs)).live()

    async def pause(self, share: float = 1.0) -> None:
        await asyncio.sleep(self.random.uniform(0.5, 1.5) * self.pause_seconds * share)

    # --- packets

    async def ask(
        self, kind: MessageType, mac: bytes, options: Sequence[Option], ciaddr: IPv4Address, within: float
    ) -> Reply | None:
        """Broadcast a message; the first answer to it. What comes later is kept as late."""
        while self.resting.is_set():
            await self.pause(0.02)
        xid = next(self.xids)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        wanted = {MessageType.OFFER} if kind == MessageType.DISCOVER else {MessageType.ACK, MessageType.NAK}
        self.waiting[xid] = wanted, future
        self.broadcast(self.packet(kind, mac, xid, options, ciaddr))
        try:
            return await asyncio.wait_for(future, within)
        except TimeoutError:
            return None

    def packet(
        self, kind: MessageType, mac: bytes, xid: int, options: Sequence[Option], ciaddr: IPv4Address
    ) -> bytes:
        said = [(message4.MESSAGE_TYPE, bytes((kind,))), *options, message4.relay_agent(b"crowd")]
        return message4.request(mac, xid, said, ciaddr=ciaddr, giaddr=self.plot.relay)

    def broadcast(self, packet: bytes) -> None:
        for server in self.random.sample(self.servers, len(self.servers)):
            self.send(packet, server)

    def send(self, packet: bytes, server: Address) -> None:
        with contextlib.suppress(OSError):  # nobody listens where a server was killed
            self.sock.sendto(packet, server)

    def receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                try:
                    self.take_in(message4.read_reply(self.sock.recv(2048)))
                except ConnectionRefusedError:
                    continue

    def take_in(self, reply: Reply | None) -> None:
        if reply is None or reply.xid not in self.waiting:
            return
        wanted, future = self.waiting[reply.xid]
        if reply.type == MessageType.OFFER:
            self.note(OFFERED, reply.mac, reply)
        if not future.done() and reply.type in wanted:
            future.set_result(reply)
        elif reply.type == MessageType.ACK:
            self.note(LATE, reply.mac, reply)

    def note(self, what: str, mac: bytes, reply: Reply) -> None:
        """Keep what `reply` was to the client, or what it did with the lease of that reply."""
        seconds = reply.seconds(message4.LEASE_TIME) or 0
        server = reply.address(message4.SERVER_ID)
        self.records.append(Record(time.time(), what, mac, reply.yiaddr, server, seconds))
        self.counted[what] += 1


class Client:
    """One hardware address, from its first DISCOVER to its departure."""

    def __init__(self, crowd: Crowd, mac: bytes) -> None:
        self.crowd = crowd
        self.mac = mac
        self.random = crowd.random

    async def live(self) -> None:
        lease = None
        while not self.crowd.ending.is_set() and lease is None:
            lease = await self.bind()
        while lease is not None and not self.crowd.ending.is_set():
            await self.crowd.pause()
            lease = await self.go_on(lease)

    async def bind(self) -> Reply | None:
        """DISCOVER, the first OFFER, REQUEST; None when that failed."""
        crowd = self.crowd
        offer = await crowd.ask(MessageType.DISCOVER, self.mac, (), NOWHERE, OFFER_SECONDS)
        if offer is None:
            await crowd.pause(0.2)
            return None
        taken = [
            (message4.REQUESTED_ADDRESS, offer.yiaddr.packed),
            (message4.SERVER_ID, offer.address(message4.SERVER_ID).packed),
        ]
        answer = await self.request(taken, NOWHERE)
        if answer is None:
            crowd.note(UNANSWERED, self.mac, offer)
        elif answer.type == MessageType.NAK:
            crowd.note(REFUSED, self.mac, offer)
        else:
            crowd.counted["bound"] += 1
            crowd.note(TAKEN, self.mac, answer)
            return answer
        return None

    async def go_on(self, lease: Reply) -> Reply | None:
        """Renew it, or end it: give it back, or leave without a word."""
        what = self.random.random()
        if what < self.crowd.renewals:
            return await self.renew(lease)
        if what < 1 - self.crowd.leaving:
            self.release(lease)
        else:
            self.crowd.note(LEFT, self.mac, lease)
        return None

    async def renew(self, lease: Reply) -> Reply | None:
        """REBINDING, which any server may answer; without an answer the lease goes on."""
        answer = await self.request((), lease.yiaddr)
        if answer is None:
            return lease
        if answer.type == MessageType.NAK:
            self.crowd.note(REFUSED, self.mac, lease)
            return None
        self.crowd.note(TAKEN, self.mac, answer)
        return answer

    def release(self, lease: Reply) -> None:
        self.crowd.note(RELEASED, self.mac, lease)
        server = lease.address(message4.SERVER_ID)
        said = [(message4.SERVER_ID, server.packed)]
        packet = self.crowd.packet(MessageType.RELEASE, self.mac, next(self.crowd.xids), said, lease.yiaddr)
        self.crowd.send(packet, (str(server), 67))

    async def request(self, options: Sequence[Option], ciaddr: IPv4Address) -> Reply | None:
        within = self.random.uniform(*PATIENCE_SECONDS)
        return await self.crowd.ask(MessageType.REQUEST, self.mac, options, ciaddr, within)
