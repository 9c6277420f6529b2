"""What a server has to do with a client's message, read from RFC 2131 sections 4.3 and 4.4 and table 5.

Where the RFC leaves a choice, decisions.md ("Unknown bindings", "Reservations and identities", "Which addresses are
given", "Classes") and the engine's rules 4 and 7 have made it; each rule below says which. The case is one address,
what the database knows of it, how the configuration stands to it, and one message that names it. Nothing here was
taken from the engine.

The address is always the same one: SELECTING, INIT-REBOOT and DECLINE name it in option 50, a DISCOVER asks for it
there, RENEWING, REBINDING, RELEASE and INFORM carry it in ciaddr. RENEWING and RELEASE come by unicast (4.3.2, 4.4.4),
the others through a relay. Four messages break the RFC as clients do: a SELECTING REQUEST with the address in ciaddr
too, one with no address at all and one whose server identifier is malformed, both to a server that has made no offer,
and an INFORM with no address.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Ask(Enum):
    """Messages by the state that the client is in (4.3.2, figure 5)."""

    DISCOVER = "discover"
    SELECTING = "request, selecting"
    SELECTING_WITH_CIADDR = "request, selecting, with ciaddr too"
    SELECTING_UNNAMED = "request, selecting, without an address"
    SELECTING_OTHER = "request, selecting another server"
    SELECTING_UNREADABLE = "request, selecting a server by a malformed identifier"
    INIT_REBOOT = "request, init-reboot"
    RENEWING = "request, renewing"
    REBINDING = "request, rebinding"
    DECLINE = "decline"
    RELEASE = "release"
    INFORM = "inform"
    INFORM_UNNAMED = "inform, without an address"


class Binding(Enum):
    """The row of the address: whose, in which state, and whether others may have it yet."""

    NONE = ""
    OWN_ACTIVE = "own, active"
    OWN_EXPIRED = "own, expired"
    OWN_RELEASED = "own, released"
    OWN_REVOKED = "own, revoked"
    OWN_DECLINED = "own, in quarantine"
    OTHERS_ACTIVE = "another's, active"
    OTHERS_IN_MARGIN = "another's, expired, within the margin"
    OTHERS_EXPIRED = "another's, expired beyond the margin"
    OTHERS_RELEASED = "another's, released"
    OTHERS_DECLINED = "another's, in quarantine"


class Place(Enum):
    """How the configuration stands to the address and to the client."""

    POOL = "in a pool"
    POOL_WITHOUT_AUTHORITY = "in a pool, not authoritative"
    RESERVED = "reserved for the client, outside the pools"
    RESERVED_IN_POOL = "reserved for the client, in a pool"
    RESERVED_FOR_OTHER = "reserved for another client, in a pool"
    TO_BE_MOVED = "in a pool, and the client's reserved address is free"
    MUST_WAIT = "in a pool, and another client holds the client's reserved address"
    OUTSIDE = "in no pool"
    OUTSIDE_WITHOUT_AUTHORITY = "in no pool, not authoritative"
    EXCLUDED = "in a pool, excluded"
    ASSIGNED = "in a pool, assigned to a machine without DHCP"
    OTHERS_CLASS = "in the pool of a class that the client is not of"
    SWITCHED_OFF = "in a subnet with dhcp_enabled false"
    DENIED = "in a pool, for a client of a denied class"
    UNTRUSTED = "in a pool behind a relay that is not trusted"
    WRONG_NETWORK = "in a pool of a subnet that the relay does not stand for"
    WRONG_NETWORK_WITHOUT_AUTHORITY = (
        "in a pool of a subnet that the relay, not authoritative, does not stand for"
    )
    HOLDS_ANOTHER = "in a pool, not authoritative, and the client holds another address"


@dataclass(frozen=True)
class Decision:
    """`said`: the reply's type, "" for none. `address`: which one the reply gives. `dropped`: the counted reason.

    `row`: the state of the address's row afterwards ("" if it is as it was), which is then the client's.
    `source`: the line that asks for it.
    """

    source: str
    said: str = ""
    address: str = ""  # "asked", "reserved" or "held" by the client, "another" of the pool, "" for 0.0.0.0
    dropped: str = ""
    row: str = ""


TAKEN = {Binding.OWN_DECLINED, Binding.OTHERS_ACTIVE, Binding.OTHERS_IN_MARGIN, Binding.OTHERS_DECLINED}
FORBIDDEN = {
    Place.RESERVED_FOR_OTHER: "decisions, Reservations: nobody else gets the reserved address",
    Place.TO_BE_MOVED: "decisions, Reservations: moved at its next renewal",
    Place.OUTSIDE: "4.3.1: the address must be chosen from the pool",
    Place.OUTSIDE_WITHOUT_AUTHORITY: "4.3.1: the address must be chosen from the pool",
    Place.EXCLUDED: "decisions, Which addresses are given: excludes are never offered",
    Place.ASSIGNED: "decisions, Which addresses are given: assignments are never offered",
    Place.OTHERS_CLASS: "decisions, Classes: a pool with class_id serves that class only",
}
WITHOUT_AUTHORITY = {Place.POOL_WITHOUT_AUTHORITY, Place.OUTSIDE_WITHOUT_AUTHORITY}
WRONG_NETWORK = {Place.WRONG_NETWORK, Place.WRONG_NETWORK_WITHOUT_AUTHORITY}
BY_UNICAST = {Ask.RENEWING, Ask.RELEASE}


def exists(binding: Binding, place: Place) -> bool:
    """A client has one lease on a wire (rule 9)."""
    return not (place is Place.HOLDS_ANOTHER and binding is Binding.OWN_ACTIVE)


def decide(ask: Ask, binding: Binding, place: Place) -> Decision:
    unserved = not_served(ask, place)
    if unserved is not None:
        return unserved
    if ask in BY_UNICAST and place in WRONG_NETWORK | {Place.UNTRUSTED}:
        place = Place.POOL  # no relay has a part in it
    rule = {
        Ask.DISCOVER: on_discover,
        Ask.SELECTING: on_selecting,
        Ask.SELECTING_WITH_CIADDR: on_selecting,
        Ask.SELECTING_UNNAMED: on_selecting_unnamed,
        Ask.SELECTING_OTHER: on_selecting_other,
        Ask.SELECTING_UNREADABLE: on_selecting_unreadable,
        Ask.INIT_REBOOT: on_known_address,
        Ask.REBINDING: on_known_address,
        Ask.RENEWING: on_renewing,
        Ask.DECLINE: on_decline,
        Ask.RELEASE: on_release,
        Ask.INFORM: on_inform,
        Ask.INFORM_UNNAMED: on_inform_unnamed,
    }[ask]
    return rule(binding, place)


def not_served(ask: Ask, place: Place) -> Decision | None:
    if place is Place.SWITCHED_OFF:
        return Decision("decisions, Which addresses are given: dhcp_enabled false", dropped="dhcp_disabled")
    if place is Place.DENIED:
        return Decision("decisions, Classes: deny: nobody of it is answered", dropped="denied_class")
    if place is Place.UNTRUSTED and ask not in BY_UNICAST:
        return Decision("specification 1.7: relays must be listed before", dropped="untrusted_relay")
    return None


def on_discover(binding: Binding, place: Place) -> Decision:
    """4.3.1: the current binding, else the previous one if free, else the address asked for if free, else a new one.

    A reservation goes before all of these. Rule 4: nothing is written.
    """
    if place is Place.TO_BE_MOVED:
        return Decision("decisions, Reservations: the client gets that address", "offer", "reserved")
    if place is Place.HOLDS_ANOTHER:
        return Decision("4.3.1: the client's current address as recorded in its binding", "offer", "held")
    if place in FORBIDDEN:
        return Decision(FORBIDDEN[place], "offer", "another")
    if place in WRONG_NETWORK:
        return Decision("4.3.1: from the subnet from which the message was received", "offer", "another")
    if binding in TAKEN:
        return Decision("4.3.1: if that address is not already allocated", "offer", "another")
    source = "4.3.1: the client's current, previous or requested address"
    return Decision(source, "offer", "asked")


def on_selecting(binding: Binding, place: Place) -> Decision:
    """4.3.2: an ACK commits the binding; 3.1 step 4: a NAK where the server cannot satisfy the REQUEST. A server
    identifier says that it is one, whatever ciaddr holds."""
    if place in FORBIDDEN:
        return Decision(FORBIDDEN[place], "nak")
    if place in WRONG_NETWORK:
        return Decision("decisions, Unknown bindings: wrong network: NAK", "nak")
    if binding in TAKEN:
        return Decision("3.1 step 4: unable to satisfy the request, already allocated: NAK", "nak")
    return Decision("3.1 step 4: the server commits the binding", "ack", "asked", row="a")


def on_selecting_unnamed(binding: Binding, place: Place) -> Decision:
    """The server's own offer would tell the address, but none is open in these cases: a lease on that wire does."""
    if place is Place.HOLDS_ANOTHER:
        return Decision("decisions, Server identifier and source address: own lease", "ack", "held")
    if binding is Binding.OWN_ACTIVE and place not in WRONG_NETWORK:
        return on_selecting(binding, place)
    return Decision("decisions, Server identifier and source address: silence", dropped="no_address_asked")


def on_selecting_other(binding: Binding, place: Place) -> Decision:
    return Decision("3.1 step 4: servers not selected take it as a decline", dropped="other_server")


def on_selecting_unreadable(binding: Binding, place: Place) -> Decision:
    """It may be another server's: whoever has no offer here, and none is open, is answered from its lease, or not."""
    granted = on_selecting(binding, place)
    if binding is Binding.OWN_ACTIVE and granted.said == "ack":
        return granted
    return Decision("decisions, Malformed options: 54, otherwise dropped", dropped="other_server")


def on_known_address(binding: Binding, place: Place) -> Decision:
    """4.3.2, INIT-REBOOT and REBINDING: "correct" is in the right network and agreeing with the record."""
    if place in WRONG_NETWORK:
        return Decision("4.3.2, INIT-REBOOT: on the wrong network: NAK", "nak")
    known = of_record(binding, place)
    if known is not None:
        return known
    if place is Place.HOLDS_ANOTHER:
        return Decision("decisions, Unknown bindings: a record with another address: NAK", "nak")
    if place in WITHOUT_AUTHORITY:
        return Decision("4.3.2: no record: must remain silent; not authoritative", dropped="unknown_binding")
    return Decision("decisions, Unknown bindings: NAK if authoritative", "nak")


def on_renewing(binding: Binding, place: Place) -> Decision:
    """4.3.2, RENEWING; specification 1.6: an address never acknowledged is a NAK, whoever has authority."""
    return of_record(binding, place) or Decision("specification 1.6: NAK", "nak")


def of_record(binding: Binding, place: Place) -> Decision | None:
    """A lease that runs, or has run out and is still the client's own, is prolonged (rule 7, renew).

    One that runs where the configuration has taken the address away is revoked, and then refused. A lease that the
    client gave up, declined or lost is none.
    """
    if place in FORBIDDEN:
        if binding is Binding.OWN_ACTIVE:
            return Decision(f"{FORBIDDEN[place]}; revoked before the NAK", "nak", row="v")
        return None
    if binding in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED):
        return Decision("4.3.2: the server extends the lease; rule 7, renew", "ack", "asked", row="a")
    return None


class Declines:
    """Which of the declined addresses are marked as not available (decisions, DECLINE): within an hour three of a
    client, ten of a line and a hundred of the subnet, which is one here. The others are given to
    anybody but this client. A line is a relay with what it says of the circuit; a client is a key, in DHCPv6 a DUID."""

    HOUR, OF_CLIENT, OF_LINE, OF_ALL = 3600, 3, 10, 100

    def __init__(self) -> None:
        self.marked: list[tuple[float, str, str]] = []

    def mark(self, at: float, client: str, line: str) -> bool:
        """Whether the address that the client declines at that moment is marked."""
        lately = [one for one in self.marked if one[0] > at - self.HOUR]
        of_client = sum(one[1] == client for one in lately)
        of_line = sum(one[2] == line for one in lately)
        if of_client >= self.OF_CLIENT or of_line >= self.OF_LINE or len(lately) >= self.OF_ALL:
            return False
        self.marked.append((at, client, line))
        return True


def on_decline(binding: Binding, place: Place) -> Decision:
    """4.3.3: marked as not available if `Declines` marks it; rule 7: if the lease is the client's own and runs."""
    if binding is Binding.OWN_ACTIVE:
        return Decision("4.3.3: the server must mark the address as not available", row="d")
    return Decision("rule 7: release and decline are the client's own", dropped="refused_row")


def on_release(binding: Binding, place: Place) -> Decision:
    """4.3.4: marked as not allocated; the parameters are kept for the client's next request."""
    if binding is Binding.OWN_ACTIVE:
        return Decision("4.3.4: the server marks the address as not allocated", row="r")
    return Decision("rule 7: release and decline are the client's own", dropped="refused_row")


def on_inform(binding: Binding, place: Place) -> Decision:
    """4.3.5: parameters, no lease time, no yiaddr; 3.4: never a look at an existing lease, but at the network."""
    if place in WRONG_NETWORK:
        return Decision("3.4: should check the network address for consistency", dropped="no_subnet")
    return Decision("4.3.5: an ACK without allocating, checking a binding or filling yiaddr", "ack")


def on_inform_unnamed(binding: Binding, place: Place) -> Decision:
    """4.4.3 asks for ciaddr; without it there is nothing to look at but the network, and the relay finds the client."""
    return Decision("4.3.5: parameters for the network from which the message was received", "ack")
