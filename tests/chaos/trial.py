"""A whole campaign, judged: besides what judge.py demands, by what befell the site meanwhile.

* Nobody is refused what it holds, unless the database was told to lose it.
* Who wants something has it within ten seconds in which nothing is wrong.
* What was acknowledged is in the database, unless it was acknowledged while the database was told to lose it.

A history is kept as a file of JSON lines, narrowed to what was found wrong, and can be judged again.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from chaos.judge import (
    ACKS,
    REFUSED,
    TAKEN,
    WAITED,
    Address,
    Event,
    Hold,
    Moment,
    Record,
    Verdict,
    find_backward,
    find_doubled,
    find_unwritten,
    held,
)

SERVED_SECONDS = 10.0
# Faults that the database was told to lose by; those after which its times cannot be compared with clients'.
LOSING = {"lose_commits", "restore_dump"}
FALSE_TIME = {"step_database_clock"}
# What was acknowledged before a fault's end may be read after it, by clients that wait for a processor.
READ_SECONDS = 5.0
LONGEST_STEP = 90.0  # so far from their true time are moments that the database noted by a false clock


class Struck(NamedTuple):
    """A fault, until clients can be served again."""

    name: str
    begin: float
    end: float


@dataclass
class History:
    seed: int
    faults: list[Struck] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    active: set[tuple[bytes, Address]] = field(default_factory=set)
    """What stood at the moment `read`."""
    read: float = 0.0
    moments: list[Moment] = field(default_factory=list)

    def during(self, names: set[str], step: float = 0.0) -> list[tuple[float, float]]:
        return [
            (fault.begin - step, fault.end + step + READ_SECONDS)
            for fault in self.faults
            if fault.name in names
        ]


def try_(history: History) -> Verdict:
    """The verdict on a campaign."""
    told = sorted(history.records)
    holds = held(told)
    verdict = Verdict(sum(record.what in ACKS for record in told), len(holds))
    losing, false = history.during(LOSING), history.during(FALSE_TIME)
    find_doubled(holds, verdict)
    lasting = [record for record in told if not within(record.at, losing)]
    find_unwritten([record for record in lasting if not within(record.at, false)], history.events, verdict)
    noted_falsely = history.during(FALSE_TIME, LONGEST_STEP)
    find_backward([m for m in history.moments if not within(m.at, noted_falsely)], verdict)
    acked = last_acks(told)
    find_lost(holds, acked, losing, history.active, history.read or (told[-1].at if told else 0.0), verdict)
    find_refused(told, losing, verdict)
    find_waiting(told, history.faults, verdict)
    return verdict


def within(moment: float, windows: Iterable[tuple[float, float]]) -> bool:
    return any(begin <= moment <= end for begin, end in windows)


def last_acks(told: Iterable[Record]) -> dict[tuple[bytes, Address], float]:
    return {(record.mac, record.address): record.at for record in told if record.what == TAKEN}


def find_lost(
    holds: Iterable[Hold],
    acked: dict[tuple[bytes, Address], float],
    losing: list[tuple[float, float]],
    active: set[tuple[bytes, Address]],
    now: float,
    verdict: Verdict,
) -> None:
    """`now`: when `active` was read; what had ended by then may be gone."""
    for hold in holds:
        whose = hold.mac, hold.address
        if hold.end > now and whose not in active and not within(acked[whose], losing):
            verdict.accuse(
                "lost", hold.address, f"{hold.address} of {hold.mac.hex(':')} since {hold.begin:.3f}"
            )


def find_refused(told: Iterable[Record], losing: list[tuple[float, float]], verdict: Verdict) -> None:
    """A client's hold ends by its refusal: what was it by then?"""
    last: dict[bytes, Record] = {}
    for record in told:
        if record.what == TAKEN:
            last[record.mac] = record
        elif record.what == REFUSED:
            ack = last.pop(record.mac, None)
            if ack and ack.address == record.address and record.at < ack.end and not within(ack.at, losing):
                left = ack.end - record.at
                verdict.accuse("refused", record.address, f"{record}, {left:.1f} s before its end")
        elif record.what in ("released", "declined", "left"):
            last.pop(record.mac, None)


def find_waiting(told: Iterable[Record], faults: list[Struck], verdict: Verdict) -> None:
    """`sent` of such a record is from when on the client has waited."""
    calm = list(calms(faults))
    for record in told:
        if record.what == WAITED:
            longest = max((min(end, record.at) - max(begin, record.sent) for begin, end in calm), default=0.0)
            if longest > SERVED_SECONDS:
                text = f"{record.mac.hex(':')} from {record.sent:.3f} to {record.at:.3f}, {longest:.1f} s of calm"
                verdict.accuse("not served", record.address, text)


def calms(faults: Iterable[Struck]) -> Iterator[tuple[float, float]]:
    end = 0.0
    for fault in sorted(faults, key=lambda each: each.begin):
        if fault.begin > end:
            yield end, fault.begin
        end = max(end, fault.end)
    yield end, float("inf")


# --- figures


class Gap(NamedTuple):
    """Of faults of a name: how many, for how long nobody at all was answered at the longest, and how long a client
    that wanted something waited beyond the fault's end."""

    count: int
    silence: float
    wait: float


def gaps(history: History) -> dict[str, Gap]:
    """By the name of the fault, with what happened until the next one."""
    acks = sorted(record.at for record in history.records if record.what == TAKEN)
    waits = [record for record in history.records if record.what == WAITED]
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    faults = sorted(history.faults, key=lambda fault: fault.begin)
    for fault, following in zip(faults, [*faults[1:], None], strict=True):
        until = following.begin if following else float("inf")
        silence = max((b - a for a, b in pairwise(acks) if b > fault.begin and a < until), default=0.0)
        over = [
            min(w.at, until) - max(w.sent, fault.end) for w in waits if fault.end < w.at and w.sent < until
        ]
        found[fault.name].append((silence, max([0.0, *over])))
    return {
        name: Gap(len(each), max(s for s, _ in each), max(w for _, w in each)) for name, each in found.items()
    }


# --- files


def write(path: Path, history: History, verdict: Verdict) -> None:
    """What concerns the addresses that the verdict names, with all of their clients."""
    accused = verdict.accused
    clients = {record.mac for record in history.records if record.address in accused}
    with gzip.open(path, "wt") as file:
        for line in lines(history, accused, clients, sorted(verdict.faults)):
            file.write(json.dumps(line) + "\n")


def lines(
    history: History, accused: set[Address], clients: set[bytes], found: list[str]
) -> Iterator[list[Any]]:
    yield ["seed", history.seed, found]
    yield ["read", history.read]
    for fault in history.faults:
        yield ["fault", *fault]
    for record in history.records:
        if record.mac in clients:
            at, what, mac, address, server, *rest = record
            yield ["told", at, what, mac.hex(), str(address), str(server), *rest]
    for event in history.events:
        if event.address in accused or event.mac in clients:
            yield ["event", event.mac.hex(), str(event.address), *event[2:]]
    for mac, address in history.active:
        if mac in clients:
            yield ["active", mac.hex(), str(address)]
    for moment in history.moments:
        if moment.address in accused:
            yield ["moment", str(moment.address), *moment[1:]]


def read(path: Path) -> tuple[History, list[str]]:
    """A history, and what was found wrong in it."""
    history, found = History(0), []
    with gzip.open(path, "rt") as file:
        for kind, *said in map(json.loads, file):
            if kind == "seed":
                history.seed, found = said
            elif kind == "read":
                (history.read,) = said
            elif kind == "fault":
                history.faults.append(Struck(*said))
            elif kind == "told":
                at, what, mac, address, server, *rest = said
                told = Record(at, what, bytes.fromhex(mac), ip_address(address), ip_address(server), *rest)
                history.records.append(told)
            elif kind == "event":
                history.events.append(Event(bytes.fromhex(said[0]), ip_address(said[1]), *said[2:]))
            elif kind == "active":
                history.active.add((bytes.fromhex(said[0]), ip_address(said[1])))
            else:
                history.moments.append(Moment(ip_address(said[0]), *said[1:]))
    return history, found
