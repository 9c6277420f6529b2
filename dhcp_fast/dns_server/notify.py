"""NOTIFY (RFC 1996): a message to a zone's secondaries as soon as this server serves a new serial.

Every server sends it, because a secondary queries the sender. The first change is sent at once,
those of the following second together. A NOTIFY without an answer is repeated at growing intervals
until there is a newer serial. It is also sent when the zone gets another secondary. A secondary
accepts a NOTIFY from a primary that it knows (section 3.11), so it is sent from the addresses of
`dns_listen` if that names any.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from ipaddress import ip_address

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdatatype
import structlog

from dhcp_fast.dns_server.secondaries import Secondaries, Secondary
from ipam_core import faults
from ipam_core.model.values import Address
from ipam_core.outbound import name_work
from ipam_core.setting_values import Endpoint

PAUSES = (2.0, 4.0, 8.0, 16.0, 32.0, 60.0)  # seconds, for an answer each
BETWEEN_SECONDS = 1.0  # two serials of a zone
MOST_CLOSED = 1000  # addresses of which it is logged that they are closed
# Of an answer, which has nothing to say: octets, and records. Parsing a large one would hold up the queries.
MOST_OCTETS, MOST_RECORDS = 1024, 3

SENT, ANSWERED, UNANSWERED = OUTCOMES = ("sent", "answered", "unanswered")

log = structlog.get_logger("dns")

Refused = Callable[[bytes, int, str], None]  # a zone, the number of its secondary, and what was refused


def heard_by_nobody(_zone: bytes, _server_no: int, _refusal: str) -> None:
    """Ignore refusals: the default of `refused`."""


class Notifier:
    """Notifier: `tell` from anywhere on the loop; `close` at the end.

    `served` are the addresses of this server. `refused` is called with secondaries that accept no
    NOTIFY.
    """

    def __init__(self, secondaries: Secondaries, served: Sequence[Endpoint] = ()) -> None:
        self.secondaries = secondaries
        self.served = [ip_address(endpoint.host) for endpoint in served]
        self.telling: dict[bytes, asyncio.Task[None]] = {}
        self.resting: dict[bytes, float] = {}  # zones notified just now, and until when they wait
        self.counts: Counter[str] = Counter()
        self.closed: set[Address] = set()
        self.refused: Refused = heard_by_nobody

    def tell(self, zone: bytes) -> None:
        """Notify all secondaries of the zone of its current serial, now or in a moment; a running
        notification of an older one ends.
        """
        if before := self.telling.pop(zone, None):
            before.cancel()
        task = asyncio.create_task(self.tell_in_turn(zone))
        self.telling[zone] = task
        task.add_done_callback(lambda done: self.forget(zone, done))

    def forget(self, zone: bytes, task: "asyncio.Task[None]") -> None:
        if self.telling.get(zone) is task:
            del self.telling[zone]

    async def tell_in_turn(self, zone: bytes) -> None:
        """Notify a second after the last time, or at once if that is longer ago."""
        loop = asyncio.get_running_loop()
        if (over := self.resting.get(zone)) is not None:
            await asyncio.sleep(over - loop.time())
        self.resting[zone] = loop.time() + BETWEEN_SECONDS
        loop.call_at(self.resting[zone], self.rest_is_over, zone, self.resting[zone])
        await self.tell_all(zone)

    def rest_is_over(self, zone: bytes, moment: float) -> None:
        if self.resting.get(zone) == moment:
            del self.resting[zone]

    async def tell_all(self, zone: bytes) -> None:
        await self.secondaries.read.wait()
        copying = self.secondaries.of(zone)
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
        self.refused(zone.to_digestable(), secondary.server_no, f"no answer to NOTIFY from {address}")
        log.warning("a secondary does not answer NOTIFY", zone=str(zone), address=str(address))

    def note_closed(self, address: Address, refusal: str) -> None:
        """Log an address that may not be notified once: its owner could change the zone's serial all the time."""
        if len(self.closed) < MOST_CLOSED and address not in self.closed:
            self.closed.add(address)
            log.warning("NOTIFY is blocked by outbound_allow", address=str(address), reason=refusal)

    async def ask(self, zone: dns.name.Name, secondary: Secondary, address: Address, seconds: float) -> bool:
        """Return whether it answered from any source address. A refusal counts as an answer of the last one."""
        sources = sources_for(address, self.served)
        asking = (
            self.ask_from(source, zone, secondary, address, seconds / len(sources)) for source in sources
        )
        refusal = None
        for answer in asking:
            rcode = await answer
            if rcode == dns.rcode.NOERROR:
                return True
            refusal = refusal if rcode is None else rcode
        if refusal is None:
            return False
        text = f"{address} answered NOTIFY with {dns.rcode.to_text(refusal)}"
        self.refused(zone.to_digestable(), secondary.server_no, text)
        return True

    async def ask_from(
        self,
        source: Address | None,
        zone: dns.name.Name,
        secondary: Secondary,
        address: Address,
        seconds: float,
    ) -> dns.rcode.Rcode | None:
        """Return the response code of the answer to one message; None where there is no answer."""
        try:
            async with asyncio.timeout(seconds):
                message = notification(zone, secondary)
                return (await exchange(message, address, secondary.port, source)).rcode()
        except (OSError, dns.exception.DNSException, NotImplementedError):
            return None
        except Exception as error:  # noqa: BLE001 - the other secondaries are told
            faults.caught("dns notify", error, server_no=secondary.server_no)
            return None

    def close(self) -> None:
        for task in self.telling.values():
            task.cancel()


def sources_for(address: Address, served: Sequence[Address]) -> list[Address | None]:
    """Return the source addresses to try, in the order of the setting. None is the kernel's choice: the server listens
    on all addresses of the family, or on none from which the address can be reached."""
    of_family = [each for each in served if each.version == address.version]
    reaching = [each for each in of_family if address.is_loopback or not each.is_loopback]
    if not reaching or any(each.is_unspecified for each in of_family):
        return [None]
    return list(dict.fromkeys(reaching))


async def exchange(
    message: dns.message.Message,
    address: Address,
    port: int,
    source: Address | None,
    *,
    octets: int = MOST_OCTETS,
    records: int = MOST_RECORDS,
) -> dns.message.Message:
    """Send a message over UDP and return its answer, of no more octets and records. Raises OSError."""
    loop = asyncio.get_running_loop()
    transport, answered = await loop.create_datagram_endpoint(
        lambda: Answered(message, octets, records),
        remote_addr=(str(address), port),
        local_addr=None if source is None else (str(source), 0),
    )
    try:
        transport.sendto(message.to_wire())
        return await answered.done
    finally:
        transport.close()


class Answered(asyncio.DatagramProtocol):
    """Protocol that waits for the answer to one message; datagrams that are none are passed over."""

    def __init__(self, message: dns.message.Message, octets: int, records: int) -> None:
        self.message = message
        self.octets = octets
        self.records = records
        self.done: asyncio.Future[dns.message.Message] = asyncio.get_running_loop().create_future()

    def datagram_received(self, data: bytes, _sender: object) -> None:
        """Look at the first datagram with the message's id only: a flood of bad ones must not cost a parse each."""
        if self.done.done() or data[:2] != self.message.id.to_bytes(2, "big"):
            return
        answer = self.answer_of(data)
        if answer is not None:
            self.done.set_result(answer)
        else:
            self.done.set_exception(ConnectionError("no answer"))

    def answer_of(self, data: bytes) -> dns.message.Message | None:
        """Return an answer to the message; None where the datagram is none."""
        message = self.message
        if len(data) > self.octets or records_of(data) > self.records:
            return None
        try:
            name_work.check(data)
            answer = dns.message.from_wire(data, keyring=message.keyring, request_mac=message.mac or b"")
        except (dns.exception.DNSException, NotImplementedError):
            return None
        return answer if message.is_response(answer) else None

    def error_received(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)


def records_of(data: bytes) -> int:
    """Return the number of records after the question, from the header."""
    return sum(int.from_bytes(data[at : at + 2], "big") for at in (6, 8, 10))


def notification(zone: dns.name.Name, secondary: Secondary) -> dns.message.Message:
    """Return a notification without the SOA as a hint, which is not to be believed anyway (section 3.7)."""
    message = dns.message.make_query(zone, dns.rdatatype.SOA)
    message.flags = dns.flags.AA
    message.set_opcode(dns.opcode.NOTIFY)
    if secondary.key is not None:
        message.use_tsig(secondary.key)
    return message
