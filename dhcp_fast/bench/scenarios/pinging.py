"""A client that sends request after request, so that every pause of the server is a long wait of this client.

It is of one subnet, behind a relay address of its own; the next DISCOVER leaves when the last one's
OFFER is there. The contents of the OFFERs show when a change is served. It is a process of its own:
in the process that changes the plan, waits for the interpreter would count as pauses of the server.
Beside a server in real time it is scheduled so too, or else its own waits for a processor would
count. The machine may cause a long wait; the processor time of the server shows its own part.
"""

import gc
import multiprocessing
import socket
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address
from multiprocessing.connection import Connection
from types import TracebackType
from typing import NamedTuple, Self

from dhcp_fast import scheduling
from dhcp_fast.bench.generator.result import mac_of
from dhcp_fast.bench.servers.processes import thread_seconds
from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Reply

SEED = 0xBD
PATIENCE_SECONDS = 1.0
LOOK_SECONDS = 0.1


class Answer(NamedTuple):
    """An OFFER, when it came (monotonic clock) and after how many seconds; None: there was none in a second.

    `work` are the seconds of processor time that the server took since the last one.
    """

    at: float
    seconds: float
    offer: Reply | None
    work: float


class Pinger:
    """`answers` are the waits that the process has reported; `look` and `wait_for` make it report
    (EOFError: it died).
    """

    def __init__(
        self, server: tuple[str, int], process: int, relay: IPv4Address, *, realtime: bool = False
    ) -> None:
        self.answers: list[Answer] = []
        spawning = multiprocessing.get_context("spawn")
        self.line, self.theirs = spawning.Pipe()
        arguments = server, process, relay, self.theirs, realtime
        self.process = spawning.Process(target=ping, args=arguments, name="pinger", daemon=True)

    def __enter__(self) -> Self:
        self.process.start()
        self.theirs.close()
        self.look()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.join()

    def look(self) -> None:
        self.line.send(None)
        self.answers += self.line.recv()

    def wait_for(self, served: Callable[[Reply], bool], seconds: float) -> float | None:
        """Return when the first OFFER came of which this is true; None: not within so many seconds."""
        seen = len(self.answers)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
            self.look()
            for answer in self.answers[seen:]:
                if answer.offer is not None and served(answer.offer):
                    return answer.at
            seen = len(self.answers)
        return None

    def longest(self, since: float, until: float) -> float:
        """Return seconds of the longest wait of those that touched this time."""
        return max((a.seconds for a in self.between(since, until)), default=0.0)

    def most_work(self, since: float, until: float) -> float:
        """Return the seconds of the server's longest work between two answers."""
        return max((a.work for a in self.between(since, until)), default=0.0)

    def between(self, since: float, until: float) -> Iterator[Answer]:
        return (a for a in self.answers if a.at >= since and a.at - a.seconds <= until)


def ping(server: tuple[str, int], process: int, relay: IPv4Address, line: Connection, realtime: bool) -> None:
    """Ask until killed; to everything that comes on the line, answer with what there was since the last time."""
    gc.disable()
    if realtime:
        scheduling.begin(scheduling.SESSION)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind((str(relay), 0))
        link.settimeout(PATIENCE_SECONDS)
        answers: list[Answer] = []
        xid = 0
        worked = thread_seconds(process)
        while True:
            xid += 1
            packet = discover(relay, xid)
            began = time.monotonic()
            link.sendto(packet, server)
            offer = receive_reply(link, xid)
            ended = time.monotonic()
            before, worked = worked, thread_seconds(process)
            answers.append(Answer(ended, ended - began, offer, worked - before))
            if line.poll():
                line.recv()
                line.send(answers)
                answers.clear()


def discover(relay: IPv4Address, xid: int) -> bytes:
    said = [
        (message4.MESSAGE_TYPE, bytes((MessageType.DISCOVER,))),
        (message4.PARAMETER_LIST, message4.ASKED),
        message4.relay_agent(b"pinger"),
    ]
    return message4.request(mac_of(SEED, 0), xid, said, giaddr=relay)


def receive_reply(link: socket.socket, xid: int) -> Reply | None:
    while True:
        try:
            reply = message4.read_reply(link.recv(65535))
        except TimeoutError:
            return None
        if reply and reply.xid == xid:
            return reply
