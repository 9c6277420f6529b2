"""NOTIFY (RFC 1996): the secondaries of a zone are told of its new serial, as soon as it is served here.

Each server tells them, since a secondary asks who told it. What is not answered is said again, later each time, until
there is a newer serial to tell.
"""

import asyncio
from collections import Counter

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rdatatype
import structlog

from dhcp_fast.dns_server.secondaries import NOBODY, Secondaries, Secondary
from ipam_core import faults
from ipam_core.model.values import Address
from ipam_core.outbound import name_work

PAUSES = (2.0, 4.0, 8.0, 16.0, 32.0, 60.0)  # seconds, for an answer each
MOST_CLOSED = 1000  # addresses of which it is logged that they are closed
# Of an answer, which has nothing to say: octets, and records. Parsing a large one would hold up the queries.
MOST_OCTETS, MOST_RECORDS = 1024, 3

SENT, ANSWERED, UNANSWERED = OUTCOMES = ("sent", "answered", "unanswered")

log = structlog.get_logger("dns")


class Notifier:
    """`tell` from anywhere on the loop; `close` at the end."""

    def __init__(self, secondaries: Secondaries) -> None:
        self.secondaries = secondaries
        self.telling: dict[bytes, asyncio.Task[None]] = {}
        self.counts: Counter[str] = Counter()
        self.closed: set[Address] = set()

    def tell(self, zone: bytes) -> None:
        """All secondaries of the zone, of the serial that is served now; what is still being said of an older one
        ends."""
        if before := self.telling.pop(zone, None):
            before.cancel()
        task = asyncio.create_task(self.tell_all(zone))
        self.telling[zone] = task
        task.add_done_callback(lambda done: self.forget(zone, done))

    def forget(self, zone: bytes, task: "asyncio.Task[None]") -> None:
        if self.telling.get(zone) is task:
            del self.telling[zone]

    async def tell_all(self, zone: bytes) -> None:
        await self.secondaries.read.wait()
        copying = self.secondaries.by_zone.get(zone, NOBODY)
        name = dns.name.from_wire(zone, 0)[0]
        async with asyncio.TaskGroup() as group:
            for secondary in copying.secondaries:
                for address in secondary.addresses:
                    group.create_task(self.tell_one(name, secondary, address))

    async def tell_one(self, zone: dns.name.Name, secondary: Secondary, address: Address) -> None:
        guard, reach = self.secondaries.guard, secondary.reach
        if refusal := guard.refusal(address, secondary.port, reach):
            self.note_closed(address, refusal)
            return
        for pause in PAUSES:
            self.counts[SENT] += 1
            before = asyncio.get_running_loop().time()
            async with guard.turn(reach):
                if await self.ask(zone, secondary, address, pause):
                    self.counts[ANSWERED] += 1
                    return
            await asyncio.sleep(max(0.0, before + pause - asyncio.get_running_loop().time()))
        self.counts[UNANSWERED] += 1
        log.warning("a secondary does not answer NOTIFY", zone=str(zone), address=str(address))

    def note_closed(self, address: Address, refusal: str) -> None:
        """Log an address that may not be notified once: its owner could change the zone's serial all the time."""
        if len(self.closed) < MOST_CLOSED and address not in self.closed:
            self.closed.add(address)
            log.warning("NOTIFY may not go there (outbound_allow)", address=str(address), reason=refusal)

    async def ask(self, zone: dns.name.Name, secondary: Secondary, address: Address, seconds: float) -> bool:
        """Whether it answered, whatever it said: it has heard."""
        try:
            async with asyncio.timeout(seconds):
                await exchange(notification(zone, secondary), str(address), secondary.port)
        except (OSError, dns.exception.DNSException, NotImplementedError):
            return False
        except Exception as error:  # noqa: BLE001 - the other secondaries are told
            faults.caught("dns notify", error, server_no=secondary.server_no)
            return False
        return True

    def close(self) -> None:
        for task in self.telling.values():
            task.cancel()


async def exchange(message: dns.message.Message, address: str, port: int) -> None:
    """Send a message over UDP and return when its answer has come. Raises OSError."""
    loop = asyncio.get_running_loop()
    transport, answered = await loop.create_datagram_endpoint(
        lambda: Answered(message), remote_addr=(address, port)
    )
    try:
        transport.sendto(message.to_wire())
        await answered.done
    finally:
        transport.close()


class Answered(asyncio.DatagramProtocol):
    """Waits for the answer to one message; datagrams that are none are passed over."""

    def __init__(self, message: dns.message.Message) -> None:
        self.message = message
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def datagram_received(self, data: bytes, _sender: object) -> None:
        """Look at the first datagram with the message's id only: a flood of bad ones must not cost a parse each."""
        if self.done.done() or data[:2] != self.message.id.to_bytes(2, "big"):
            return
        if self.is_answer(data):
            self.done.set_result(None)
        else:
            self.done.set_exception(ConnectionError("the answer is none"))

    def is_answer(self, data: bytes) -> bool:
        message = self.message
        if len(data) > MOST_OCTETS or records_of(data) > MOST_RECORDS:
            return False
        try:
            name_work.check(data)
            answer = dns.message.from_wire(data, keyring=message.keyring, request_mac=message.mac or b"")
        except (dns.exception.DNSException, NotImplementedError):
            return False
        return message.is_response(answer)

    def error_received(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)


def records_of(data: bytes) -> int:
    """Return how many a message says that it has, behind its question."""
    return sum(int.from_bytes(data[at : at + 2], "big") for at in (6, 8, 10))


def notification(zone: dns.name.Name, secondary: Secondary) -> dns.message.Message:
    """Without the SOA as a hint, which is not to be believed anyway (section 3.7)."""
    message = dns.message.make_query(zone, dns.rdatatype.SOA)
    message.flags = dns.flags.AA
    message.set_opcode(dns.opcode.NOTIFY)
    if secondary.key is not None:
        message.use_tsig(secondary.key)
    return message
