"""What clients were told, judged against the database (Jepsen's method).

A client that takes an ACK up holds the address until it gives it back, leaves it, is refused or the lease it was
told of is over, counted from the REQUEST that it sent last. Five things must be so:

* nobody holds an address while another client does;
* each ACK, also one that came too late to be taken up, stands in the history as a grant or renewal of that client's;
* it had been committed when it was received, and the committed lease lasts as long as was promised;
* what is held at the end is an active lease;
* an address's history does not run against its versions: in their order, no event is older than the one before it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from typing import Any, NamedTuple

from chaos.clock import now
from outage.databases import connected

Address = IPv4Address | IPv6Address
TAKEN, LATE, RELEASED, DECLINED, REFUSED, LEFT, UNANSWERED, OFFERED, WAITED = (
    "taken",
    "late",  # an ACK that nobody waited for any more
    "released",
    "declined",
    "refused",
    "left",
    "unanswered",
    "offered",
    "waited",  # from `sent` to `at` for any answer
)
ENDS = {RELEASED, DECLINED, REFUSED, LEFT}
ACKS = {TAKEN, LATE}
# The row's times are taken when its statement begins, and the reply may leave five seconds later; the reuse margin,
# twice as long, keeps the address for the client. The rest is for us, who wait for a processor before we read it.
SHORT_SECONDS = 6.0
# Of rows: a server that waits for whoever reads a million of them at once takes him for dead.
PORTION = 5000

# The client of a lease: of IPv4 its hardware address, of IPv6 DUID and kind of association.
WHOSE = "case when ia_type = 0 then hw_address else duid || set_byte('\\x00', 0, ia_type) end"
EVENTS = f"""
select {WHOSE}, address, extract(epoch from pg_xact_commit_timestamp(xid::xid))::float8 as committed,
  extract(epoch from expires_at)::float8 as expires
from lease_event where kind in ('g', 'n') and {WHOSE} is not null"""
HISTORY = """
select address, version, extract(epoch from at)::float8 as at, kind::text
from lease_event where address = any($1::inet[])"""
LEASES = f"select {WHOSE}, address from lease where state = 'a' and {WHOSE} is not null"


class Record(NamedTuple):
    """What became of a client at a moment (of crowd.now): which of the words above, and for an ACK its lease time and
    when its REQUEST was sent last."""

    at: float
    what: str
    mac: bytes
    address: Address
    server: Address
    seconds: int = 0
    sent: float = 0.0

    @property
    def end(self) -> float:
        """Of the lease of an ACK, as its client counts."""
        return (self.sent or self.at) + self.seconds


class Event(NamedTuple):
    """A grant or renewal of the history."""

    mac: bytes
    address: Address
    committed: float
    expires: float


class Moment(NamedTuple):
    """Any event of the history: when it was, and which of its address's it is by its version."""

    address: Address
    version: int
    at: float
    kind: str


class Hold(NamedTuple):
    address: Address
    mac: bytes
    begin: float
    end: float


@dataclass
class Verdict:
    """Faults by name."""

    acks: int
    holds: int
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    accused: set[Address] = field(default_factory=set)

    def accuse(self, name: str, address: Address, text: str) -> None:
        self.faults[name].append(text)
        self.accused.add(address)

    def __str__(self) -> str:
        lines = [f"{self.acks} ACKs, {self.holds} holds"]
        for name, found in self.faults.items():
            lines += [f"{name}: {len(found)}", *(f"  {fault}" for fault in found[:5])]
        return "\n".join(lines)


def judge(
    records: Iterable[Record],
    events: Iterable[Event],
    active: set[tuple[bytes, Address]],
    history: Iterable[Moment] = (),
    read: float = 0.0,
) -> Verdict:
    """`active`: hardware address and address of each lease that stands at `read`, after the last record."""
    told = sorted(records)
    holds = held(told)
    verdict = Verdict(sum(record.what in ACKS for record in told), len(holds))
    find_doubled(holds, verdict)
    find_unwritten(told, events, verdict)
    find_backward(history, verdict)
    read = max([read, *(record.at for record in told[-1:])])
    for hold in holds:
        if hold.end > read and (hold.mac, hold.address) not in active:
            text = f"{hold.address} of {hold.mac.hex(':')} since {hold.begin:.3f}"
            verdict.accuse("lost", hold.address, text)
    return verdict


def judge_holds(records: Iterable[Record]) -> Verdict:
    """Only by what clients were told, where the database has lost some of it or its clock stepped."""
    told = sorted(records)
    holds = held(told)
    verdict = Verdict(sum(record.what in ACKS for record in told), len(holds))
    find_doubled(holds, verdict)
    return verdict


def held(told: Iterable[Record]) -> list[Hold]:
    """Who held what from when to when; `told` in the order of time."""
    running: dict[bytes, Hold] = {}
    over = []
    for record in told:
        hold = running.get(record.mac)
        if record.what == TAKEN:
            same = hold is not None and hold.address == record.address and hold.end >= record.at
            if hold is not None and not same:
                over.append(hold._replace(end=min(hold.end, record.at)))
            begin = hold.begin if hold is not None and same else record.at
            running[record.mac] = Hold(record.address, record.mac, begin, record.end)
        elif record.what in ENDS and hold is not None and hold.address == record.address:
            over.append(hold._replace(end=min(hold.end, record.at)))
            del running[record.mac]
    return over + list(running.values())


def find_doubled(holds: Iterable[Hold], verdict: Verdict) -> None:
    by_address: dict[Address, list[Hold]] = defaultdict(list)
    for hold in holds:
        by_address[hold.address].append(hold)
    for address, its in by_address.items():
        its.sort(key=lambda hold: hold.begin)
        longest = its[0]
        for hold in its[1:]:
            if hold.begin < longest.end and hold.mac != longest.mac:
                verdict.accuse(
                    "doubled",
                    address,
                    f"{address} to {hold.mac.hex(':')} at {hold.begin:.3f}, which {longest.mac.hex(':')} held"
                    f" from {longest.begin:.3f} to {longest.end:.3f}",
                )
            longest = max(longest, hold, key=lambda hold: hold.end)


def find_unwritten(told: Iterable[Record], events: Iterable[Event], verdict: Verdict) -> None:
    written: dict[tuple[bytes, Address], list[Event]] = defaultdict(list)
    for event in events:
        written[event.mac, event.address].append(event)
    for record in told:
        if record.what in ACKS:
            fault = unwritten(record, written[record.mac, record.address])
            if fault:
                verdict.accuse(fault, record.address, str(record))


def unwritten(record: Record, events: list[Event]) -> str:
    """What is wrong with an ACK, given all grants and renewals of that address to that client."""
    if not events:
        return "not in history"
    committed = [event for event in events if event.committed <= record.at]
    if not committed:
        return "before its commit"
    # Of one that came too late nobody knows when it was asked for: a server that was frozen sends it when it wakes.
    if record.what == TAKEN and max(event.expires for event in committed) < record.end - SHORT_SECONDS:
        return "promised for longer"
    return ""


def find_backward(history: Iterable[Moment], verdict: Verdict) -> None:
    ordered = sorted(history, key=lambda moment: (moment.address.packed, moment.version))
    for before, after in pairwise(ordered):
        if before.address == after.address and after.at < before.at:
            verdict.accuse("history runs backwards", before.address, f"{before} is followed by {after}")


def judge_by(dsn: str, records: Iterable[Record]) -> Verdict:
    """By the database's leases as they stand, and its history of the addresses that clients were told of."""
    told = list(records)
    active, read = standing(dsn), now()
    events, moments = read_history(dsn, told)
    return judge(told, events, active, moments, read)


def read_history(dsn: str, told: Iterable[Record]) -> tuple[list[Event], list[Moment]]:
    """What was granted and renewed, and all that befell the addresses of which clients were told."""
    addresses = list({record.address for record in told})

    async def read(connection: Any) -> tuple[list[Event], list[Moment]]:
        async with connection.transaction():
            events = [Event(*row) async for row in connection.cursor(EVENTS, prefetch=PORTION)]
            found = connection.cursor(HISTORY, addresses, prefetch=PORTION)
            return events, [Moment(*row) async for row in found]

    return connected(dsn, read)


def standing(dsn: str) -> set[tuple[bytes, Address]]:
    """Hardware address and address of each lease that stands now."""
    return connected(dsn, read_active)


async def read_active(connection: Any) -> set[tuple[bytes, Address]]:
    return {(row[0], row[1]) for row in await connection.fetch(LEASES)}
