"""What a server has to do with a client's DHCPv6 message, read from RFC 8415 section 18.3 as RFC 9915 keeps it.

Where the RFCs leave a choice, decisions.md ("Unknown bindings", "Reservations and identities", "Which addresses are
given") and the engine's rules 4, 7, 8 and 9 have made it, or Kea's way is taken; each rule below says which. Nothing
here was taken from the engine.

The case is one lease, an address or a delegated prefix, what the database knows of it, how the configuration stands
to it, and one association of one message that names it; `answers6.py` puts the associations of a message together.
The lease's row has the states of DHCPv4; "own" is this association's of this client (rule 32).

Sections are those of RFC 8415. How servers share clients out by elapsed time is not told here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from oracle.decisions4 import TAKEN, Binding


class Ask(Enum):
    """Messages, by what they say beside their type."""

    SOLICIT = "solicit"
    SOLICIT_RAPID = "solicit with rapid commit"
    REQUEST = "request"
    REQUEST_UNNAMED = "request, an association without a lease"
    REQUEST_OTHER = "request to another server"
    CONFIRM = "confirm"
    CONFIRM_UNNAMED = "confirm, an association without a lease"
    RENEW = "renew"
    RENEW_UNNAMED = "renew, an association without a lease"
    RENEW_OTHER = "renew at another server"
    REBIND = "rebind"
    REBIND_UNNAMED = "rebind, an association without a lease"
    RELEASE = "release"
    RELEASE_OTHER = "release to another server"
    DECLINE = "decline"
    DECLINE_OTHER = "decline to another server"
    INFORMATION = "information-request"
    INFORMATION_OTHER = "information-request to another server"


class Kind(Enum):
    """The association: addresses, temporary addresses (obsolete), delegated prefixes."""

    NA = "na"
    TA = "ta"
    PD = "pd"


class Way(Enum):
    """How the message came."""

    MULTICAST = "to ff02::1:2"
    RELAYED = "through a relay"
    UNICAST = "by unicast from the client itself"


class Place(Enum):
    """How the configuration stands to the lease and to the client."""

    POOL = "in a pool"
    POOL_RAPID = "in a pool of a subnet with rapid_commit"
    RESERVED = "reserved for the client, outside the pools"
    RESERVED_IN_POOL = "reserved for the client, in a pool"
    RESERVED_FOR_OTHER = "reserved for another client, in a pool"
    TO_BE_MOVED = "in a pool, and the client's reserved lease is free"
    MUST_WAIT = "in a pool, and another client holds the client's reserved lease"
    OUTSIDE = "in no pool"
    EXCLUDED = "in a pool, excluded"
    ASSIGNED = "in a pool, assigned to a machine without DHCP"
    OTHERS_CLASS = "in the pool of a class that the client is not of"
    EXHAUSTED = "in no pool, and the pools are full"
    NO_POOLS = "on a link whose subnets have no pool of the kind"
    WRONG_LINK = "in a pool of a subnet of another link"
    UNKNOWN_LINK = "on a link that no subnet is of"
    SWITCHED_OFF = "in a subnet with dhcp_enabled false"
    DENIED = "in a pool, for a client of a denied class"
    UNTRUSTED = "in a pool behind a relay that is not trusted"
    HOLDS_ANOTHER = "in a pool, and the association holds another lease"


@dataclass(frozen=True)
class Outcome:
    """What the answer says in one association, and what becomes of the lease's row.

    `gives`: "asked", "reserved", "held" (what the association has already) or "another" of the pools; "" for none.
    `zeroed`: the lease that was named comes back with lifetimes of 0. `status`: the code in the association.
    `answers`: whether this association is reason enough to answer. `shown`: whether it stands in the answer.
    `fits`: whether the lease is appropriate for the link (Confirm), None where that cannot be told.
    `row`: the state of the lease's row afterwards ("" if it is as it was), which is then the client's.
    `source`: the line that asks for it.
    """

    source: str
    gives: str = ""
    status: str = ""
    zeroed: bool = False
    row: str = ""
    shown: bool = True
    answers: bool = True
    fits: bool | None = None
    dropped: str = ""  # the counted reason, where the whole message is


FORBIDDEN = {
    Place.RESERVED_FOR_OTHER: "decisions, Reservations: nobody else gets the reserved address",
    Place.TO_BE_MOVED: "decisions, Reservations: moved at its next renewal",
    Place.OUTSIDE: "18.3.2: what the server's configuration gives",
    Place.EXCLUDED: "decisions, Which addresses are given: excludes are never offered",
    Place.ASSIGNED: "decisions, Which addresses are given: assignments are never offered",
    Place.OTHERS_CLASS: "decisions, Classes: a pool with class_id serves that class only",
    Place.EXHAUSTED: "18.3.2: cannot assign any",
    Place.NO_POOLS: "18.3.2: cannot assign any",
}
EMPTY = {Place.EXHAUSTED, Place.NO_POOLS}
NONE_AVAILABLE = {Kind.NA: "NoAddrsAvail", Kind.TA: "NoAddrsAvail", Kind.PD: "NoPrefixAvail"}

SOLICITS = {Ask.SOLICIT, Ask.SOLICIT_RAPID}
TO_OTHERS = {
    Ask.REQUEST_OTHER,
    Ask.RENEW_OTHER,
    Ask.RELEASE_OTHER,
    Ask.DECLINE_OTHER,
    Ask.INFORMATION_OTHER,
}
UNNAMED = {Place.HOLDS_ANOTHER: "held", Place.TO_BE_MOVED: "reserved"}
INFORMATION = {Ask.INFORMATION, Ask.INFORMATION_OTHER}
CONFIRMS = {Ask.CONFIRM, Ask.CONFIRM_UNNAMED}
NEVER_BY_UNICAST = SOLICITS | CONFIRMS | INFORMATION | {Ask.REBIND, Ask.REBIND_UNNAMED}


def exists(ask: Ask, kind: Kind, binding: Binding, place: Place) -> bool:
    """What can be at all: a row that runs is of one lease; an information-request has no association (16.12)."""
    if ask in INFORMATION and kind is not Kind.NA:
        return False
    if place is Place.HOLDS_ANOTHER and binding is Binding.OWN_ACTIVE:
        return False
    return not (place is Place.UNKNOWN_LINK and binding is not Binding.NONE)


def decide(ask: Ask, kind: Kind, binding: Binding, place: Place, way: Way = Way.RELAYED) -> Outcome:
    unserved = not_served(ask, place, way)
    if unserved is not None:
        return unserved
    if place is Place.UNTRUSTED:
        place = Place.POOL  # no relay has a part in it
    if ask in INFORMATION:
        # Of a link without a subnet the global options of its tenant (decisions, Links without a subnet)
        return Outcome("18.3.6: configuration without leases", shown=False)
    if kind is Kind.TA:
        return on_temporary(ask)
    rule = {
        Ask.SOLICIT: on_solicit,
        Ask.SOLICIT_RAPID: on_solicit_rapid,
        Ask.REQUEST: on_request,
        Ask.REQUEST_UNNAMED: on_request_unnamed,
        Ask.CONFIRM: on_confirm,
        Ask.CONFIRM_UNNAMED: on_confirm_unnamed,
        Ask.RENEW: on_renew,
        Ask.RENEW_UNNAMED: on_renew_unnamed,
        Ask.REBIND: on_rebind,
        Ask.REBIND_UNNAMED: on_renew_unnamed,
        Ask.RELEASE: on_release,
        Ask.DECLINE: on_decline,
    }[ask]
    return rule(kind, binding, place)


def not_served(ask: Ask, place: Place, way: Way) -> Outcome | None:
    """The whole message is dropped and counted; the cheapest look first."""
    if ask in TO_OTHERS:
        return _dropped("16.4 to 16.12: names another server", "other_server")
    if way is Way.UNICAST and ask in NEVER_BY_UNICAST:
        return _dropped("RFC 8415 16: discarded if by unicast; RFC 9915 16: not accepted", "by_unicast")
    if place is Place.UNTRUSTED and way is Way.RELAYED:
        return _dropped("specification 1.7: relays must be listed before", "untrusted_relay")
    if place is Place.UNKNOWN_LINK and ask is not Ask.INFORMATION:
        return _dropped("18.3.3: no information about the link; 13: nothing to choose from", "no_subnet")
    if place is Place.SWITCHED_OFF:
        return _dropped("decisions, Which addresses are given: dhcp_enabled false", "dhcp_disabled")
    if place is Place.DENIED:
        return _dropped("decisions, Classes: deny: nobody of it is answered", "denied_class")
    return None


def _dropped(source: str, reason: str) -> Outcome:
    return Outcome(source, shown=False, answers=False, dropped=reason)


def on_temporary(ask: Ask) -> Outcome:
    """21.5 and RFC 9915 21.5: obsolete. The message is answered as if it were whole, nothing temporary is given."""
    source = "RFC 9915 21.5: IA_TA is obsolete"
    if ask in CONFIRMS:
        return Outcome(source, shown=False, answers=False)
    if ask in SOLICITS | {Ask.REQUEST, Ask.REQUEST_UNNAMED}:
        return Outcome(source, status="NoAddrsAvail")
    return Outcome(source, status="NoBinding")


def on_solicit(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.9: what a Request would get; leases in a Solicit are hints. Rule 4: nothing is written.

    As in DHCPv4 (rule 19): the reservation, what the client has or had, what it asks for if that is free, another.
    """
    if place is Place.TO_BE_MOVED:
        return Outcome("decisions, Reservations: the client gets that lease", gives="reserved")
    if place is Place.HOLDS_ANOTHER:
        return Outcome("18.3.2: already a binding: existing bindings", gives="held")
    if place in EMPTY:
        return Outcome("18.3.9: no lease, and a status", status=NONE_AVAILABLE[kind])
    if place in FORBIDDEN or place is Place.WRONG_LINK:
        return Outcome("18.3.9: a hint that is not followed is not repeated", gives="another")
    if binding in TAKEN:
        return Outcome("18.3.9: a hint that is not followed is not repeated", gives="another")
    return Outcome("18.3.9: hints about the leases that the client would like", gives="asked")


def on_solicit_rapid(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.1: committed at once where the server is configured so, an Advertise else."""
    found = on_solicit(kind, binding, place)
    return _committed(found) if place is Place.POOL_RAPID else found


def _committed(found: Outcome) -> Outcome:
    row = "a" if found.gives == "asked" else ""
    return Outcome("18.3.1: committed before the Reply", gives=found.gives, status=found.status, row=row)


def on_request(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.2. Rule 8: the association's status where the lease cannot be given; only what moves gets another."""
    if place is Place.TO_BE_MOVED:
        return Outcome("18.3.2: may assign different ones; decisions, Reservations", gives="reserved")
    if place is Place.WRONG_LINK and kind is Kind.NA:
        return Outcome("18.3.2: prefixes are not appropriate for the link", status="NotOnLink")
    if place in FORBIDDEN or place is Place.WRONG_LINK:
        source = FORBIDDEN.get(place, "18.3.2: NotOnLink is said of addresses only")
        return Outcome(source, status=NONE_AVAILABLE[kind])
    if binding in TAKEN:
        return Outcome("rule 8: the IA's status code", status=NONE_AVAILABLE[kind])
    return Outcome("18.3.2: records the IA as a new client binding", gives="asked", row="a")


def on_request_unnamed(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.2: any lease may be assigned; the same one as a Solicit would find.

    The case's lease is then what the association holds or had, whichever way it ended but by being declined
    (decisions, States: a returning client gets its old address); where it is another's or none, it has no part.
    """
    if binding in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED, Binding.OWN_RELEASED, Binding.OWN_REVOKED):
        found = on_solicit(kind, binding, place)
    elif place in EMPTY:
        return Outcome("18.3.2: cannot assign any", status=NONE_AVAILABLE[kind])
    elif place in (Place.RESERVED, Place.RESERVED_IN_POOL) and binding not in TAKEN:
        found = Outcome("", gives="asked")
    else:
        found = Outcome("", gives=UNNAMED.get(place, "another"))
    row = "a" if found.gives == "asked" else ""
    return Outcome(
        "18.3.2: existing bindings, else new ones", gives=found.gives, status=found.status, row=row
    )


def on_confirm(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.3: looks at the link alone, whoever has the address. A Confirm has addresses only."""
    if kind is Kind.PD:
        return on_confirm_unnamed(kind, binding, place)
    fits = place is not Place.WRONG_LINK
    return Outcome("18.3.3: appropriate for the link", shown=False, fits=fits)


def on_confirm_unnamed(kind: Kind, binding: Binding, place: Place) -> Outcome:
    return Outcome("18.3.3: no addresses in any of the IAs: no Reply", shown=False, answers=False)


def on_renew(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.4; of what nobody knows NoBinding (decisions: Unknown bindings)."""
    known = of_record(binding, place)
    return known or Outcome("decisions, Unknown bindings: Renew unknown: NoBinding", status="NoBinding")


def on_renew_unnamed(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.4, 18.3.5: a binding may be created; decisions, Unknown bindings: it is if it names no lease.

    What the association holds is extended, moved to the reserved lease where there is one; else as in a Request.
    """
    if place is Place.TO_BE_MOVED and binding is Binding.OWN_ACTIVE:
        return on_renew(kind, binding, place)
    return on_request_unnamed(kind, binding, place)


def on_rebind(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.5; nothing is bound anew, since several servers may hear it: what is off the link is told so."""
    known = of_record(binding, place)
    if known is not None:
        return known
    if place is Place.WRONG_LINK:
        source = "18.3.5: no client entry, not appropriate for the link: lifetimes of 0"
        return Outcome(source, gives="another", zeroed=True)
    return Outcome("18.3.5: bindings are not created: NoBinding", status="NoBinding")


def of_record(binding: Binding, place: Place) -> Outcome | None:
    """18.3.4, 18.3.5: the client's entry is extended, or its lease comes back with lifetimes of 0.

    Beside the lifetimes of 0 stands another lease where there is one (18.3.4, second choice).
    A lease that runs, or has run out and is still the client's own, is prolonged (rule 7, renew). One that runs where
    the configuration has taken it away is revoked first. One that the client gave up, declined or lost is no entry.
    """
    if place is Place.HOLDS_ANOTHER:
        return Outcome(
            "18.3.4: the IA back with what it holds; the rest is not its", gives="held", zeroed=True
        )
    if place is Place.WRONG_LINK and binding in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED):
        return Outcome("18.3.4: not appropriate for the link: lifetimes of 0", gives="another", zeroed=True)
    if place in FORBIDDEN:
        if binding is not Binding.OWN_ACTIVE:
            return None
        gives = "reserved" if place is Place.TO_BE_MOVED else "" if place in EMPTY else "another"
        return Outcome(f"{FORBIDDEN[place]}; revoked before it is said", gives=gives, zeroed=True, row="v")
    if binding in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED):
        return Outcome("18.3.4: the IA back with new lifetimes; rule 7, renew", gives="asked", row="a")
    return None


def on_release(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.7: Success whatever was released; NoBinding in an association of which nothing is known."""
    return _given_back(binding, place, "r", "18.3.7")


def on_decline(kind: Kind, binding: Binding, place: Place) -> Outcome:
    """18.3.8: as a release, but into quarantine if `decisions4.Declines` marks it; addresses only, since a prefix
    cannot be found in use."""
    if kind is Kind.PD:
        return Outcome("18.3.8: of addresses only", shown=False)
    return _given_back(binding, place, "d", "18.3.8")


def _given_back(binding: Binding, place: Place, row: str, section: str) -> Outcome:
    """Rule 7: release and decline are the client's own, and active. The link has no part in it."""
    if binding is Binding.OWN_ACTIVE:
        return Outcome(f"{section}: the lease is deleted from the IA", shown=False, row=row)
    if place is Place.HOLDS_ANOTHER:
        return Outcome(f"{section}: leases not assigned to the IA are ignored", shown=False)
    return Outcome(f"{section}: no binding information for the IA", status="NoBinding")


@dataclass(frozen=True)
class Together:
    """What an association is told that names several leases: of each, in their order, "given", "zeroed" or "" for
    nothing; and one status for all, "" for none."""

    leases: tuple[str, ...]
    status: str = ""


def together(ask: Ask, outcomes: tuple[Outcome, ...]) -> Together:
    """From what the table says of each lease by itself. A status stands where no lease does (18.3.2, 18.3.4)."""
    words = tuple("given" if one.gives == "asked" else "zeroed" if one.zeroed else "" for one in outcomes)
    statuses = [one.status for one in outcomes if one.status]
    nothing = ("",) * len(outcomes)
    if ask is Ask.REQUEST and "NotOnLink" in statuses:
        return Together(nothing, "NotOnLink")  # 18.3.2: if any of the addresses is not appropriate
    if ask in (Ask.RELEASE, Ask.DECLINE):
        bound = len(statuses) < len(outcomes)  # 18.3.7, 18.3.8: NoBinding where nothing is known of the IA
        return Together(nothing, "" if bound else statuses[0])
    if not any(words):
        return Together(nothing, statuses[0])
    if ask in (Ask.RENEW, Ask.REBIND):
        return Together(tuple(word or "zeroed" for word in words))  # 18.3.4: lifetimes of 0
    return Together(words)
