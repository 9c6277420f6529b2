"""The answer to a whole DHCPv6 message: what the decision table says of each association, put together.

Each association is answered for itself (RFC 8415 18.3), a Confirm as a whole. Sections are those of RFC 8415.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from oracle.decisions4 import Binding
from oracle.decisions6 import CONFIRMS, Ask, Kind, Outcome, Place, Way, decide, not_served


@dataclass(frozen=True)
class Association:
    """One association of a message, as a case of the table."""

    kind: Kind
    binding: Binding
    place: Place


@dataclass(frozen=True)
class Answer:
    """The whole answer: `said` is the message's type, "" for none; `status` the message's own, "" for none.

    `rapid`: with the Rapid Commit option. `dropped`: the counted reason where nothing is said.
    `outcomes`: one an association, in the order of the message.
    """

    said: str
    status: str = ""
    rapid: bool = False
    dropped: str = ""
    outcomes: tuple[Outcome, ...] = ()


def answer(ask: Ask, associations: Iterable[Association], way: Way = Way.RELAYED) -> Answer:
    """Link, relay and class of all associations are the same; a place that drops the message is that of each.

    A message without any is judged as if it came from a place where leases are given.
    """
    cases = list(associations)
    for place in [case.place for case in cases] or [Place.POOL]:
        unserved = not_served(ask, place, way)
        if unserved is not None:
            return Answer("", dropped=unserved.dropped)
    outcomes = tuple(decide(ask, case.kind, case.binding, case.place, way) for case in cases)
    if ask in CONFIRMS:
        return _confirmed(outcomes)
    if ask is Ask.SOLICIT or (ask is Ask.SOLICIT_RAPID and not _commits(cases)):
        return Answer("advertise", outcomes=outcomes)
    status = "Success" if ask in (Ask.RELEASE, Ask.DECLINE) else ""
    return Answer("reply", status, rapid=ask is Ask.SOLICIT_RAPID, outcomes=outcomes)


def _commits(cases: list[Association]) -> bool:
    """18.3.1: a switch of the subnet, so of the link's first."""
    return any(case.place is Place.POOL_RAPID for case in cases)


def _confirmed(outcomes: tuple[Outcome, ...]) -> Answer:
    """18.3.3: NotOnLink if any of the addresses is not; without any address nothing."""
    looked_at = [outcome.fits for outcome in outcomes if outcome.fits is not None]
    if not looked_at:
        return Answer("", dropped="no_address_asked", outcomes=outcomes)
    return Answer("reply", "Success" if all(looked_at) else "NotOnLink", outcomes=outcomes)


def given_up(held: frozenset[str], named: frozenset[str], bound: frozenset[str]) -> frozenset[str]:
    """Rule 9, for one association: what it held is released when a Request, Renew or Rebind binds leases to it and
    names the held one no longer. Other associations of the client, of whatever kind, keep theirs."""
    return held - named - bound if bound else frozenset()
