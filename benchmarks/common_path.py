"""The engine's common path in one process, without waiting for the database: the program that
`benchmarks.instructions` counts.

    python -m benchmarks.common_path DSN PACKETS

The server reads the storm's plan from the database at DSN and is then driven by hand. Packets
arrive over loopback as the storm's clients send them, 64 per system call. Operations leave as Bind
messages of 256; their answers are made up here and committed. Each step is done by `WARM_UP`
clients first and then by PACKETS others; a call of getppid() marks its begin and end for the
profiler.
"""

import asyncio
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network

from dhcp_fast.database.connections import open_pools
from dhcp_fast.database.leases.lease_writer import STATEMENTS
from dhcp_fast.engine.batch import Batch, take_batch
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option
from dhcp_fast.pg.bind import AnswerReader, BatchEncoder
from dhcp_fast.server.server import Server
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

STEPS = ("DISCOVER, offered", "REQUEST, written", "renewal, from memory", "renewal by unicast, written")
WARM_UP = 512
BATCH, STATEMENT = 64, 256
LOOPBACK = "127.0.0.1"
RELAY = IPv4Address(LOOPBACK)
CLOCK = 800_000_000_000_000  # made up: microseconds since 2000 by the database's clock
PAUSE_SECONDS = 2.1
DAY, HALF_A_DAY = 86_400_000_000, 43_200_000_000
COMPLETE = b"2" + struct.pack("!i", 4)
READY = b"C" + struct.pack("!i", 13) + b"SELECT 1\0" + b"Z" + struct.pack("!i", 5) + b"I"
IDENTITY = (
    (message4.PARAMETER_LIST, message4.ASKED),
    (message4.MAX_SIZE, (1500).to_bytes(2, "big")),
    (message4.VENDOR_CLASS, b"ipam-bench"),
)


class Clients:
    """Packets of clients of the storm's kind; `held` is what each was offered."""

    def __init__(self) -> None:
        self.held: dict[bytes, IPv4Address] = {}

    def discover(self, number: int) -> bytes:
        return self.packet(number, MessageType.DISCOVER, relayed=True)

    def select(self, number: int) -> bytes:
        taken = [
            (message4.REQUESTED_ADDRESS, self.held[mac(number)].packed),
            (message4.SERVER_ID, RELAY.packed),
        ]
        return self.packet(number, MessageType.REQUEST, taken, relayed=True)

    def renew_through_relay(self, number: int) -> bytes:
        return self.packet(number, MessageType.REQUEST, ciaddr=self.held[mac(number)], relayed=True)

    def renew(self, number: int) -> bytes:
        return self.packet(number, MessageType.REQUEST, ciaddr=self.held[mac(number)], relayed=False)

    def packet(
        self,
        number: int,
        kind: MessageType,
        extra: list[Option] | None = None,
        *,
        ciaddr: IPv4Address = message4.NOWHERE,
        relayed: bool,
    ) -> bytes:
        options = [(message4.MESSAGE_TYPE, bytes((kind,))), *(extra or [])]
        options += [(message4.HOST_NAME, b"host-%08x" % number), *IDENTITY]
        if relayed:
            options.append(self.relay_agent(number, ciaddr))
        giaddr = RELAY if relayed else message4.NOWHERE
        return message4.request(mac(number), number, options, ciaddr=ciaddr, giaddr=giaddr, size=336)

    def relay_agent(self, number: int, ciaddr: IPv4Address) -> Option:  # noqa: ARG002 - for those that look
        """Return the option of the relay for this client."""
        return message4.relay_agent(b"bench/01")


class Path:
    """The server's engine and the hand that drives it."""

    def __init__(self, engine: Engine, sock: UdpSocket) -> None:
        self.engine = engine
        self.socket = sock
        self.place = engine.add_socket(sock)
        self.encoder, self.answers = BatchEncoder(), AnswerReader()
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.client.bind((LOOPBACK, 0))
        self.clients = Clients()
        self.version = 0
        self.replies = 0
        self.now = CLOCK
        self.keep_on_loopback(sock.fd)

    def keep_on_loopback(self, fd: int) -> None:
        """Keep packets to a client's own address on the loopback, so that none leaves the machine."""
        with socket.socket(fileno=os.dup(fd)) as same:
            same.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")

    def drive(self, count: int) -> None:
        steps = (
            (self.clients.discover, 0),
            (self.clients.select, 0),
            (self.clients.renew_through_relay, 0),
            (self.clients.renew, HALF_A_DAY),
        )
        self.wait(0)
        for say, later in steps:
            if later:
                self.wait(later)
            self.step(say, range(WARM_UP))
            os.getppid()
            self.step(say, range(WARM_UP, WARM_UP + count))
            os.getppid()

    def step(self, say: Callable[[int], bytes], numbers: range) -> None:
        """Step through the packets of one kind, from the first one's arrival until the last one's reply has left."""
        for some in runs(numbers, STATEMENT):
            for few in runs(some, BATCH):
                self.keep_fresh()
                for number in few:
                    self.client.sendto(say(number), self.socket.address)
                self.engine.receive(self.place)
            self.write()
            self.receive()
        assert self.engine.counters()["slots_in_use"] == 0

    def wait(self, later: int) -> None:
        """Wait until the engine trusts the database's clock again, which jumps."""
        self.now += later
        self.keep_fresh()
        time.sleep(PAUSE_SECONDS)

    def keep_fresh(self) -> None:
        """Keep the database's clock, its feed and its plan as of now, because nothing here waits for real time."""
        now = boot_clock()
        self.engine.set_clock(self.now, now, now)
        self.engine.note_feed_read(now)
        self.engine.note_plan_read(now)

    def write(self) -> None:
        for number, name in enumerate(STATEMENTS):
            while (batch := take_batch(self.engine, number, STATEMENT)) is not None:
                batch.encode(self.encoder, name.encode(), 1)
                self.answers.reset()
                assert self.answers.feed(self.answer(batch))
                assert batch.committed(self.answers) == []

    def answer(self, batch: Batch) -> bytes:
        """Return PostgreSQL's answer: every operation of the batch has won."""
        rows = [self.row(tenant_no, address) for tenant_no, address, _ in batch.losers(batch.open_indexes())]
        return COMPLETE + b"".join(rows) + READY

    def row(self, tenant_no: int, address: int) -> bytes:
        self.version += 1
        inet = bytes((2, 32, 0, 4)) + address.to_bytes(4, "big")
        numbers = (struct.pack("!iq", 8, value) for value in (self.now, self.now + DAY, self.version))
        body = struct.pack("!hiii", 5, 4, tenant_no, 8) + inet + b"".join(numbers)
        return b"D" + struct.pack("!i", 4 + len(body)) + body

    def receive(self) -> None:
        while True:
            try:
                data = self.client.recv(2048, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            reply = message4.read_reply(data)
            assert reply is not None
            self.clients.held[reply.mac] = reply.yiaddr


def mac(number: int) -> bytes:
    return b"\x02\x00" + number.to_bytes(4, "big")


def runs(numbers: range, length: int) -> Iterator[range]:
    for start in range(0, len(numbers), length):
        yield numbers[start : start + length]


async def read_server(dsn: str) -> tuple[Engine, UdpSocket]:
    """Return an engine that has its plan and leases, and a socket for it."""
    settings = Settings(
        dhcp4_listen=(Endpoint(LOOPBACK, 0),), trusted_relays=(IPv4Network("127.0.0.0/8"),), log_level="error"
    )
    startup = Server(settings, dsn).startup
    connections = await open_pools(dsn)
    loaded = await startup.read(connections)
    connections.terminate()
    return loaded.engine, startup.opened.held.all[0]


def main(dsn: str, count: int) -> None:
    path = Path(*asyncio.run(read_server(dsn)))
    path.drive(count)
    told = path.engine.counters()
    clients = WARM_UP + count
    assert told["drops"] == {}, told
    assert told["replied"] == {"offer": clients, "ack": 3 * clients}, told
    assert told["early_renewals"] == clients, told


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
