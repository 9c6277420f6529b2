"""Comparison of what the capture's DHCPv6 server gave and what we would give, side by side; see comparison.py."""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from dhcp_fast.packets.dissect6 import duid
from dhcp_fast.packets.message6 import (
    ASSOCIATIONS,
    CLIENT_ID,
    IA_NA,
    IA_PD,
    NOWHERE,
    SERVER_ID,
    STATUS_CODE,
    Association,
    Lease,
    Message,
)
from dhcp_fast.replay.comparison import Difference, Outcome, differing, outcome
from dhcp_fast.replay.conversations6 import Conversation6
from dhcp_fast.replay.rehearsal6 import Given6
from ipam_core.dhcp import reasons
from ipam_core.dhcp.describe import describe, duration

PREFERENCE, RAPID_COMMIT = 7, 14
# Options that name the server or the client, status codes, and options with lines of their own.
APART = {*ASSOCIATIONS, CLIENT_ID, SERVER_ID, STATUS_CODE, PREFERENCE, RAPID_COMMIT}


class Compared6(msgspec.Struct, frozen=True):
    """A client; `theirs` and `ours` contain each side's answer, by field.

    `link` is the link-address of its relay.
    """

    duid: str | None
    link: str | None
    outcome: Outcome
    theirs: dict[str, str] | None
    ours: dict[str, str] | None
    differences: list[Difference]
    drop_reason: str | None
    meaning: str | None
    note: str | None


def compare6(client: Conversation6, given: Given6) -> Compared6:
    theirs, ours = lease_of6(client.reply), lease_of6(given.reply)
    differences = differing(theirs, ours) if theirs and ours else []
    return Compared6(
        duid=duid(client.duid) if client.duid else None,
        link=str(client.link) if client.link != NOWHERE else None,
        outcome=outcome(theirs is not None, ours is not None, bool(differences)),
        theirs=theirs,
        ours=ours,
        differences=differences,
        drop_reason=given.drop,
        meaning=reasons.of_drop(given.drop, 6) if given.drop else None,
        note=given.note,
    )


def lease_of6(reply: Message | None) -> dict[str, str] | None:
    """Return the fields of a reply that gives something; one whose associations all have a status instead gives
    nothing."""
    if reply is None:
        return None
    told = dict(fields_of(reply.associations))
    if reply.associations and not told:
        return None
    for code, data in sorted(reply.options):
        if code not in APART:
            name, _, value = describe(6, code, data).partition(": ")
            told[name] = f"{told[name]}; {value}" if name in told else value
    return {name: value for name, value in told.items() if value}


def fields_of(associations: Iterable[Association]) -> Iterator[tuple[str, str]]:
    """Yield the fields of those that have leases, by their kind, and of several of one kind by their number, which both
    sides know."""
    names = {IA_NA: "address", IA_PD: "prefix"}
    count: Counter[str] = Counter()
    for ia in sorted(associations, key=lambda ia: ia.iaid):
        given = [lease for lease in ia.leases if lease.valid]
        if given and ia.kind in names:
            what = names[ia.kind]
            count[what] += 1
            yield from association_fields(f"{what} {count[what]}" if count[what] > 1 else what, ia, given)


def association_fields(what: str, ia: Association, given: list[Lease]) -> Iterator[tuple[str, str]]:
    yield (
        what,
        ", ".join(sorted(str(lease.network if ia.kind == IA_PD else lease.address) for lease in given)),
    )
    yield f"{what} valid for", duration(given[0].valid)
    yield f"{what} preferred for", duration(given[0].preferred)
    yield f"T1 of {what}", duration(ia.t1 or None)
    yield f"T2 of {what}", duration(ia.t2 or None)
