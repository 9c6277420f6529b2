"""Watch of the lag of each secondary: its SOA is queried, and errors of it or of this server are stored.

Each DNS server asks, two seconds after a change and every half minute: no election is needed, and
another server may reach a secondary that this one cannot. At most sixteen zones are asked about at
once, so that thousands of them do not delay queries.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple, Protocol

import asyncpg
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import structlog

from dhcp_fast.dns_server.notify import exchange, sources_for
from dhcp_fast.dns_server.secondaries import Copying, Secondary
from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import FAILED, reason
from ipam_core.errors import FATAL
from ipam_core.faults import Rests
from ipam_core.model.values import Address
from ipam_core.outbound.guard import Guard
from ipam_core.services import secondaries as shown

SQL = queries.load("dns_secondary")

ROUND_SECONDS = 30.0
SETTLE_SECONDS = 2.0  # a notified secondary has usually copied the zone by then
BETWEEN_SECONDS = 1.0
ANSWER_SECONDS = 3.0
ZONES_AT_ONCE = 16
# Of the answer to a question for a SOA, with NS records and their addresses beside it.
MOST_OCTETS, MOST_RECORDS = 4096, 64

log = structlog.get_logger("dns")


class Known(Protocol):
    """Part of a `ZoneLoader`: the zones that are served, by their numbers."""

    names: dict[int, bytes]


class Copied(Protocol):
    """Part of `Secondaries`."""

    guard: Guard
    by_zone: dict[bytes, Copying]

    def of(self, zone: bytes) -> Copying: ...


class Told(NamedTuple):
    """Answer of a secondary for a zone: its serial, or why there is none."""

    zone: bytes
    server_no: int
    serial: int | None
    refusal: str


class SecondaryWatch:
    """Call `run` until it is canceled.

    `pool` contains the sessions, `served` the addresses of this server.
    """

    def __init__(
        self,
        loader: Known,
        secondaries: Copied,
        pool: Callable[[], Awaitable[asyncpg.Pool]],
        served: Sequence[Address],
    ) -> None:
        self.loader = loader
        self.secondaries = secondaries
        self.pool = pool
        self.served = served
        self.due: dict[bytes, float] = {}  # when a zone's secondaries are asked next
        self.refusals: dict[tuple[bytes, int], str] = {}  # that are not written yet
        self.counted_at = 0.0
        self.counted = (0, 0, 0.0)
        self.fault = ""
        self.rests = Rests()

    async def run(self) -> None:
        while True:
            try:
                await self.look()
                self.fault = ""
                self.rests.end()
            except FAILED as error:
                if not self.fault:
                    log.warning("the state of secondaries cannot be stored now", error=reason(error))
                self.fault = reason(error)
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - what is served goes on
                faults.caught("dns secondary watch", error)
                self.fault = f"{type(error).__name__}; see the log"
                await asyncio.sleep(self.rests.next())
            await asyncio.sleep(BETWEEN_SECONDS)

    def ask_soon(self, zone: bytes) -> None:
        """Ask after a change. A zone that changes all the time is still asked about."""
        soon = asyncio.get_running_loop().time() + SETTLE_SECONDS
        self.due[zone] = min(soon, self.due.get(zone, soon))

    def refused(self, zone: bytes, server_no: int, refusal: str) -> None:
        self.refusals[zone, server_no] = refusal

    def refused_here(self, zone: bytes, address: Address, why: str) -> None:
        """Note a refused transfer if it was for a secondary's address."""
        for each in self.secondaries.of(zone).secondaries:
            if address in each.addresses:
                self.refused(zone, each.server_no, f"a transfer to {address} was refused here: {why}")

    def numbers(self) -> Mapping[str, float]:
        behind, lost, seconds = self.counted
        return {"behind": behind, "lost": lost, "behind_seconds": seconds}

    async def look(self) -> None:
        told = await self.ask_all(self.next_zones())
        for each in told:
            if each.refusal:
                self.refused(each.zone, each.server_no, each.refusal)
        now = asyncio.get_running_loop().time()
        is_counted = now > self.counted_at + ROUND_SECONDS
        if told or is_counted or self.refusals:
            async with (await self.pool()).acquire() as connection:
                await self.write(connection, told)
                if is_counted:
                    self.counted = await shown.count_behind(connection)
                    self.counted_at = now

    def next_zones(self) -> list[bytes]:
        """Return the zones whose time has come, the longest due first; they are due again in half a minute."""
        now = asyncio.get_running_loop().time()
        served = set(self.loader.names.values())
        watched = {zone for zone, copying in self.secondaries.by_zone.items() if copying.secondaries} & served
        self.due = {zone: self.due.get(zone, now) for zone in watched}
        ripe = (zone for zone, at in self.due.items() if at <= now)
        zones = nsmallest(ZONES_AT_ONCE, ripe, key=self.due.__getitem__)
        self.due.update(dict.fromkeys(zones, now + ROUND_SECONDS))
        return zones

    async def ask_all(self, zones: Iterable[bytes]) -> list[Told]:
        asking = [self.ask(zone, each) for zone in zones for each in self.secondaries.of(zone).secondaries]
        return await asyncio.gather(*asking)

    async def ask(self, zone: bytes, secondary: Secondary) -> Told:
        """Ask at each of its addresses until one answers with a serial."""
        refusal = "its name cannot be resolved"
        for address in secondary.addresses:
            try:
                async with self.secondaries.guard.turn(secondary.reach), asyncio.timeout(ANSWER_SECONDS):
                    serial, refusal = await self.ask_at(zone, secondary, address)
            except TimeoutError:
                serial, refusal = None, f"no answer to SOA from {address}"
            except Exception as error:  # noqa: BLE001 - the other secondaries are asked
                faults.caught("dns secondary", error, server_no=secondary.server_no)
                serial, refusal = None, f"{address} did not get the SOA query"
            if serial is not None:
                return Told(zone, secondary.server_no, serial, "")
        return Told(zone, secondary.server_no, None, refusal)

    async def ask_at(self, zone: bytes, secondary: Secondary, address: Address) -> tuple[int | None, str]:
        """Return the serial that it has, or why there is none."""
        if refused := self.secondaries.guard.refusal(address, secondary.port, secondary.reach):
            return None, f"{address} is blocked by outbound_allow: {refused}"
        source = sources_for(address, self.served)[0]
        message = question(zone, secondary)
        try:
            answer = await exchange(
                message, address, secondary.port, source, octets=MOST_OCTETS, records=MOST_RECORDS
            )
        except (OSError, dns.exception.DNSException, NotImplementedError) as error:
            if isinstance(error, TimeoutError):
                raise
            return None, f"{address} did not get the SOA query: {type(error).__name__}"
        return read(answer, message.question[0].name, address)

    async def write(self, connection: asyncpg.Connection, told: Iterable[Told]) -> None:
        """Write the answers; answers that the database does not accept are kept for the next time."""
        numbers = {name: no for no, name in self.loader.names.items()}
        known = [each for each in told if each.serial is not None and each.zone in numbers]
        if known:
            await SQL.note_seen(
                connection,
                zones=[numbers[each.zone] for each in known],
                servers=[each.server_no for each in known],
                serials=[each.serial for each in known],
            )
        refusals = dict(self.refusals)
        told_of = [(*pair, text) for pair, text in refusals.items() if pair[0] in numbers]
        if told_of:
            await SQL.note_refusals(
                connection,
                zones=[numbers[zone] for zone, _, _ in told_of],
                servers=[server_no for _, server_no, _ in told_of],
                refusals=[text for _, _, text in told_of],
            )
        for pair, text in refusals.items():
            if self.refusals.get(pair) == text:
                del self.refusals[pair]


def question(zone: bytes, secondary: Secondary) -> dns.message.Message:
    """Return a question without recursion, because a cached answer proves nothing."""
    message = dns.message.make_query(dns.name.from_wire(zone, 0)[0], dns.rdatatype.SOA)
    message.flags = dns.flags.Flag(0)
    if secondary.key is not None:
        message.use_tsig(secondary.key)
    return message


def read(answer: dns.message.Message, zone: dns.name.Name, address: Address) -> tuple[int | None, str]:
    """Return the serial of an authoritative answer, or the reason why there is none."""
    if answer.rcode() != dns.rcode.NOERROR:
        return None, f"{address} answered SOA with {dns.rcode.to_text(answer.rcode())}"
    found = answer.get_rrset(answer.answer, zone, dns.rdataclass.IN, dns.rdatatype.SOA)
    if not found or not answer.flags & dns.flags.AA:
        return None, f"{address} does not serve the zone"
    serial: int = found[0].serial
    return serial, ""
