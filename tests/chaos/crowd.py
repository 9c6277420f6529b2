"""Clients behind relays that live their lives: bind, renew, rebind, start up again, move, decline, give back, leave,
start over; all that they were told is kept for the judge.

What is broadcast the relay sends to every server, in any order; a client takes the first offer. Without `again` in its
habits, who gets no answer to its REQUEST gives up after a while, one to three seconds, and starts over, as impatient
clients do; with it, what is not answered is sent again, as RFC 2131 and RFC 8415 have it, only sooner. A client that
has given its address back or left it is succeeded by another one, with a hardware address of its own.
"""

import asyncio
import contextlib
import itertools
import random
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from chaos import speech4
from chaos.clock import anchor, now
from chaos.judge import (
    DECLINED,
    LATE,
    LEFT,
    OFFERED,
    REFUSED,
    RELEASED,
    TAKEN,
    UNANSWERED,
    WAITED,
    Address,
    Record,
)
from chaos.plots import Plot
from chaos.speech import ACK, NAK, OFFER, Build, Given, Heard, Speech
from outage.processes import await_true

Endpoint = tuple[str, int]
OFFER_SECONDS = 1.0
PATIENCE_SECONDS = (1.0, 3.0)
REST_SECONDS = 1.0
NOTABLE_SECONDS = 1.0
DECLINED_SECONDS = 10.0
FORGOTTEN_SECONDS = 30.0  # after which nobody answers a message any more
RUNNING: "set[Crowd]" = set()


class Habits(NamedTuple):
    """Of a client with a lease: shares of what it does next; what is left over gives its address back."""

    renew: float = 0.0  # asks the server that gave it
    rebind: float = 0.6  # asks all servers
    reboot: float = 0.0
    move: float = 0.0
    decline: float = 0.0
    leave: float = 0.05  # without a word
    again: tuple[float, ...] = ()  # pauses before a message is sent again; the last one repeats
    selecting: float = 0.0  # how long a REQUEST for an offer is sent again before the client starts over


HASTY = Habits()
PATIENT = Habits(0.52, 0.16, 0.1, 0.03, 0.01, 0.05, again=(1.0, 2.0, 3.0), selecting=6.0)


class Crowd:
    """`count` clients of `plots` at a time, `rate` bindings, renewals and departures a second together. Of several
    plots, clients move from one to another. `unicast`: a socket that may send from clients' addresses and hears what
    is sent to them."""

    def __init__(
        self,
        sock: socket.socket,
        plots: Sequence[Plot],
        servers: Sequence[Endpoint],
        *,
        count: int,
        rate: float,
        seed: int = 1,
        habits: Habits = HASTY,
        speech: Speech = speech4.SPEECH,
        unicast: socket.socket | None = None,
    ) -> None:
        self.sock = sock
        self.plots = plots
        self.servers = list(servers)
        self.count = count
        self.pause_seconds = count / rate
        self.random = random.Random(seed)
        self.habits = habits
        self.speech = speech
        self.unicast = unicast
        self.macs = map(plots[0].mac, itertools.count())
        self.xids = itertools.count(1)
        self.waiting: dict[int, tuple[frozenset[str], asyncio.Future[Heard]]] = {}
        self.asked: deque[tuple[float, int]] = deque()
        self.records: list[Record] = []
        self.counted: Counter[str] = Counter()
        self.ending = threading.Event()
        self.resting = threading.Event()

    # --- what a test sees

    @contextlib.contextmanager
    def running(self) -> Iterator["Crowd"]:
        """In a thread of its own, until the end of the block; whoever waits for an answer then is heard out."""
        if not RUNNING:
            anchor()
        RUNNING.add(self)
        with ThreadPoolExecutor(1) as thread:
            lives = thread.submit(lambda: asyncio.run(self.live()))
            try:
                yield self
            finally:
                self.ending.set()
                RUNNING.discard(self)
                lives.result()
                self.sock.close()

    def goes_on(self, bindings: int, within: float = 20.0) -> None:
        """Wait until so many clients more have got an address."""
        self.has_bound(self.counted["bound"] + bindings, within)

    def has_bound(self, goal: int, within: float = 20.0) -> None:
        """Wait until clients have got so many addresses in all."""
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
        heard = [self.sock, *([self.unicast] if self.unicast else [])]
        for sock in heard:
            sock.setblocking(False)
            loop.add_reader(sock, self.receive, sock)
        async with asyncio.TaskGroup() as lives:
            for _ in range(self.count):
                lives.create_task(self.succeed_each_other())
        for sock in heard:
            loop.remove_reader(sock)

    async def succeed_each_other(self) -> None:
        await self.pause()
        while not self.ending.is_set():
            await Client(self, next(self.macs)).live()

    async def pause(self, share: float = 1.0) -> None:
        await asyncio.sleep(self.random.uniform(0.5, 1.5) * self.pause_seconds * share)

    # --- packets

    async def ask(
        self, build: Build, wanted: frozenset[str], within: float, send: Callable[[bytes], None]
    ) -> tuple[Heard | None, float]:
        """Send the message, again after the habits' pauses; the first answer to it, and when it was sent last. What
        comes later is kept as late."""
        while self.resting.is_set():
            await self.pause(0.02)
        xid = self.next_xid()
        future: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()
        self.waiting[xid] = wanted, future
        began = sent = now()
        for pause in self.pauses(within):
            sent = now()
            send(build(xid, sent - began))
            await asyncio.wait((future,), timeout=pause)
            if future.done():
                break
        self.forget_after(sent, xid)
        return (future.result() if future.done() else None), sent

    def next_xid(self) -> int:
        return next(self.xids) & 0xFFFFFF

    def forget_after(self, sent: float, xid: int) -> None:
        """Keep its late answers, and drop what was sent last so long ago that none can come any more."""
        self.asked.append((sent, xid))
        while self.asked[0][0] < sent - FORGOTTEN_SECONDS:
            self.waiting.pop(self.asked.popleft()[1], None)

    def pauses(self, within: float) -> Iterator[float]:
        """How long each sending of a message is waited for."""
        if not self.habits.again:
            yield within
            return
        for pause in itertools.chain(self.habits.again, itertools.repeat(self.habits.again[-1])):
            yield min(pause * self.random.uniform(0.9, 1.1), within)
            within -= pause
            if within <= 0 or self.ending.is_set():
                return

    def broadcast(self, packet: bytes) -> None:
        for server in self.random.sample(self.servers, len(self.servers)):
            self.send(packet, server)

    def send(self, packet: bytes, server: Endpoint) -> None:
        with contextlib.suppress(OSError):  # nobody listens where a server was killed
            self.sock.sendto(packet, server)

    def receive(self, sock: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                try:
                    self.take_in(self.speech.hear(*sock.recvfrom(4096)))
                except ConnectionRefusedError:
                    continue

    def take_in(self, heard: Heard | None) -> None:
        if heard is None or heard.xid not in self.waiting:
            return
        wanted, future = self.waiting[heard.xid]
        if heard.word == OFFER:
            self.note(OFFERED, heard, heard.gives)
        if not future.done() and heard.word in wanted:
            future.set_result(heard)
        elif heard.word == ACK:
            self.note(LATE, heard, heard.gives)

    def note(self, what: str, heard: Heard, given: Sequence[Given], sent: float = 0.0) -> None:
        """Keep what a reply was to the client, or what it did with the leases of that reply."""
        at = now()
        for key, address, seconds in given:
            self.records.append(Record(at, what, key, address, heard.server, seconds, sent))
        self.counted[what] += 1


class Client:
    """One hardware address, from its first DISCOVER to its departure."""

    def __init__(self, crowd: Crowd, mac: bytes) -> None:
        self.crowd = crowd
        self.mac = mac
        self.random = crowd.random
        self.plot = self.random.choice(crowd.plots)
        self.say = crowd.speech.says(self)
        self.lease: Heard | None = None
        self.end = 0.0
        self.since: float | None = None  # from when on it wants something
        self.gone = False

    async def live(self) -> None:
        try:
            while not self.crowd.ending.is_set() and not self.gone:
                if self.lease is None:
                    await self.bind()
                else:
                    await self.crowd.pause()
                    await self.go_on(self.lease)
        finally:
            self.served()

    async def bind(self) -> None:
        """DISCOVER, the first OFFER, REQUEST; no lease when that failed."""
        crowd = self.crowd
        self.wants()
        patience = crowd.habits.selecting
        offer, _ = await crowd.ask(self.say.discover(), OFFERS, patience or OFFER_SECONDS, crowd.broadcast)
        if offer is None:
            if not patience:
                await crowd.pause(0.2)
            return
        within = patience or self.random.uniform(*PATIENCE_SECONDS)
        answer, sent = await crowd.ask(self.say.select(offer), ANSWERS, within, crowd.broadcast)
        if answer is None:
            crowd.note(UNANSWERED, offer, offer.gives)
        elif answer.word == NAK:
            crowd.note(REFUSED, offer, offer.gives)
        else:
            crowd.counted["bound"] += 1
            self.takes(answer, sent)

    async def go_on(self, lease: Heard) -> None:
        """Renew it, or end it: give it back, or leave without a word, or find it in use, or start over."""
        habits, what = self.crowd.habits, self.random.random()
        for share, does in (
            (habits.renew, self.renew),
            (habits.rebind, self.rebind),
            (habits.reboot, self.reboot),
            (habits.move, self.move),
            (habits.decline, self.decline),
            (habits.leave, self.leave),
        ):
            what -= share
            if what < 0:
                return await does(lease)
        return await self.release(lease)

    async def renew(self, lease: Heard) -> None:
        """RENEWING, which its server alone hears; then REBINDING."""
        if self.crowd.unicast is None:
            return await self.rebind(lease)
        self.wants()
        within = sum(self.crowd.habits.again[:1]) or OFFER_SECONDS
        answer, sent = await self.crowd.ask(self.say.renew(lease), ANSWERS, within, self.to_server)
        if answer is None:
            return await self.rebind(lease)
        return self.hears(lease, answer, sent)

    async def rebind(self, lease: Heard) -> None:
        """REBINDING, which any server may answer; without an answer the lease goes on."""
        await self.prolong(lease, self.say.rebind(lease))

    async def reboot(self, lease: Heard) -> None:
        """INIT-REBOOT or Confirm: it remembers what it had."""
        await self.prolong(lease, self.say.reboot(lease))

    async def prolong(self, lease: Heard, build: Build) -> None:
        self.wants()
        patient = bool(self.crowd.habits.again)
        within = max(self.end - now(), 0.1) if patient else self.random.uniform(*PATIENCE_SECONDS)
        answer, sent = await self.crowd.ask(build, ANSWERS, within, self.crowd.broadcast)
        if answer is None and patient and not self.crowd.ending.is_set():
            self.lease = None  # it is over
        elif answer is not None:
            self.hears(lease, answer, sent)

    def hears(self, lease: Heard, answer: Heard, sent: float) -> None:
        """A v6 answer to Confirm gives nothing and takes nothing. Who is refused a part gives up the rest too."""
        if answer.word == NAK:
            self.crowd.note(REFUSED, answer, lost(lease, answer))
            self.crowd.note(LEFT, answer, lease.gives)
            self.lease = None
        elif answer.gives:
            self.takes(answer, sent)
        else:
            self.served()

    async def move(self, lease: Heard) -> None:
        """To the network of another relay, where it asks for what it had; a server there says no, or nothing."""
        self.crowd.note(LEFT, lease, lease.gives)
        self.lease, build = None, self.say.reboot(lease)
        self.plot = self.random.choice(self.crowd.plots)
        await self.crowd.ask(build, frozenset({NAK}), OFFER_SECONDS, self.crowd.broadcast)

    async def decline(self, lease: Heard) -> None:
        """Somebody else answers at the address; it waits before it asks for another (RFC 2131 section 3.1, step 5)."""
        self.crowd.note(DECLINED, lease, lease.gives)
        self.lease = None
        self.crowd.broadcast(self.say.decline(lease)(self.crowd.next_xid(), 0.0))
        await asyncio.sleep(DECLINED_SECONDS)

    async def leave(self, lease: Heard) -> None:
        self.crowd.note(LEFT, lease, lease.gives)
        self.gone = True

    async def release(self, lease: Heard) -> None:
        self.crowd.note(RELEASED, lease, lease.gives)
        self.gone = True
        send = self.crowd.speech.to(lease, self.crowd)
        send(self.say.release(lease)(self.crowd.next_xid(), 0.0))

    def takes(self, answer: Heard, sent: float) -> None:
        self.crowd.note(TAKEN, answer, answer.gives, sent)
        self.lease = answer
        self.end = sent + min(given.seconds for given in answer.gives)
        self.served(answer)

    def wants(self) -> None:
        if self.since is None:
            self.since = now()

    def served(self, answer: Heard | None = None) -> None:
        """It has what it wanted, or the run is over."""
        since, self.since = self.since, None
        if since is not None and now() - since > NOTABLE_SECONDS:
            told = answer or self.crowd.speech.nobody(self.mac)
            self.crowd.note(WAITED, told, told.gives[:1], since)

    def to_server(self, packet: bytes) -> None:
        assert self.lease is not None
        assert self.crowd.unicast is not None
        with contextlib.suppress(OSError):
            self.crowd.speech.unicast(packet, self.lease, self.crowd.unicast)


ANSWERS, OFFERS = frozenset({ACK, NAK}), frozenset({OFFER})


def lost(lease: Heard, answer: Heard) -> list[Given]:
    """Of what it had, what the answer does not give."""
    given: set[Address] = {each.address for each in answer.gives}
    return [each for each in lease.gives if each.address not in given]
