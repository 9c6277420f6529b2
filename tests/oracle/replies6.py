"""Is this a lawful answer to that DHCPv6 message? RFC 8415 sections 18.3, 19.3 and 21, and what amended them.

`check_reply6` returns a sentence for each rule that the answer breaks, each beginning with the rule's name and a
colon; an empty list is a lawful answer. It knows the two datagrams and the server's DUID only: whether a lease was
right is a question for the database. Sections are those of RFC 8415.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Network

from oracle import message6 as kind
from oracle.message6 import Message, parse, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import (
    AUTH,
    CLIENT_FQDN,
    CLIENT_ID,
    ELAPSED_TIME,
    IA_NA,
    IA_PD,
    IA_TA,
    IAADDR,
    INSTANCES,
    INTERFACE_ID,
    MANY,
    NO_ADDRS_AVAIL,
    NO_BINDING,
    NO_PREFIX_AVAIL,
    NOT_ON_LINK,
    ORO,
    PD_EXCLUDE,
    RAPID_COMMIT,
    RECONF_ACCEPT,
    RECONF_MSG,
    RELAY_MSG,
    RELAY_PORT,
    SERVER_ID,
    STATUS_CODE,
    SUCCESS,
    UNICAST,
    USE_MULTICAST,
    USER_CLASS,
    IdentityAssociation,
    Status,
    values,
)
from oracle.values6 import excluded_prefix

ANSWERS = {asked: {kind.REPLY} for asked in kind.FROM_CLIENT} | {
    kind.SOLICIT: {kind.ADVERTISE, kind.REPLY},
    kind.ADDR_REG_INFORM: {kind.ADDR_REG_REPLY},
}
GRANTING = {kind.SOLICIT, kind.REQUEST, kind.RENEW, kind.REBIND}
GIVING_BACK = {kind.RELEASE, kind.DECLINE}
NEVER_SENT = (ORO, ELAPSED_TIME, RELAY_MSG, UNICAST, USER_CLASS, INTERFACE_ID, RECONF_MSG)
ECHOED = (INTERFACE_ID, RELAY_PORT)  # 19.3 and RFC 8357 5

# Which statuses an association may bear, by what was asked (18.3.2 to 18.3.9); rapid commit answers as to a Request.
STATUSES = {
    kind.SOLICIT: {IA_NA: {NO_ADDRS_AVAIL, NOT_ON_LINK}, IA_PD: {NO_PREFIX_AVAIL}},
    kind.REQUEST: {IA_NA: {NO_ADDRS_AVAIL, NOT_ON_LINK}, IA_PD: {NO_PREFIX_AVAIL}},
    kind.RENEW: {IA_NA: {NO_BINDING, NO_ADDRS_AVAIL}, IA_PD: {NO_BINDING, NO_PREFIX_AVAIL}},
    kind.REBIND: {IA_NA: {NO_BINDING, NO_ADDRS_AVAIL}, IA_PD: {NO_BINDING, NO_PREFIX_AVAIL}},
    kind.RELEASE: {IA_NA: {NO_BINDING}, IA_PD: {NO_BINDING}},
    kind.DECLINE: {IA_NA: {NO_BINDING}, IA_PD: {NO_BINDING}},
}


def check_reply6(request: bytes, reply: bytes, server: bytes) -> list[str]:
    """Rules broken by `reply` of the server with this DUID."""
    asked, said = parse(request, server=server), parse_reply(reply)
    if isinstance(asked, Malformed):
        return [f"unanswerable: the request is malformed ({asked.reason} {asked.code})"]
    if isinstance(said, Malformed):
        return [f"malformed: {said.reason} {said.code}"]
    rules = (message, envelopes, options, statuses, associations, excluded, times, lifetimes, registration)
    return [*identity(asked, said, server), *(broken for rule in rules for broken in rule(asked, said))]


def identity(asked: Message, said: Message, server: bytes) -> Iterator[str]:
    """18.3: always the server's DUID, and the client's as it came; 16.10: none where none came."""
    if said.server_id != server:
        yield "server_id: option 2 is not this server's"
    if said.client_id != asked.client_id:
        yield "client_id: option 1 is not the client's"


def message(asked: Message, said: Message) -> Iterator[str]:
    """18.3.1: a Reply to a Solicit is rapid commit's, says so, and was asked for."""
    if said.message_type not in ANSWERS[asked.message_type]:
        yield f"kind: type {said.message_type} does not answer type {asked.message_type}"
    if said.transaction_id != asked.transaction_id:
        yield f"transaction_id: {said.transaction_id:#08x} is not {asked.transaction_id:#08x}"
    rapid = asked.message_type == kind.SOLICIT and said.message_type == kind.REPLY
    if rapid and not asked.rapid_commit:
        yield "rapid_commit: a Reply to a Solicit that did not ask for it"
    if rapid != bool(values(said.options, RAPID_COMMIT)):
        yield "rapid_commit: option 14 stands in the Reply to a Solicit and nowhere else"


def envelopes(asked: Message, said: Message) -> Iterator[str]:
    """19.3: the same relays, each with its hop count, addresses and what it wants to have back."""
    if len(asked.envelopes) != len(said.envelopes):
        yield f"envelopes: {len(said.envelopes)} where {len(asked.envelopes)} relays wait"
        return
    for depth, (wanted, found) in enumerate(zip(asked.envelopes, said.envelopes, strict=True)):
        for name in ("hop_count", "link_address", "peer_address"):
            if getattr(wanted, name) != getattr(found, name):
                yield f"envelopes: {name} {getattr(found, name)} at depth {depth}"
        for code in ECHOED:
            if values(wanted.options, code)[:1] != values(found.options, code):
                yield f"echoed: option {code} at depth {depth} is not the relay's"


def options(asked: Message, said: Message) -> Iterator[str]:
    """21: what a server never sends, and what stands once. RFC 4704 6: a name for who sent and wants one."""
    codes = [code for code, _ in said.options]
    yield from (f"must_not: option {code}" for code in NEVER_SENT if code in codes)
    yield from (
        f"repeated: option {code}"
        for code in sorted(set(codes))
        if code not in MANY | INSTANCES and codes.count(code) > 1
    )
    willing = values(asked.options, RECONF_ACCEPT)
    yield from (
        f"reconfigure: option {code} unasked"
        for code in (AUTH, RECONF_ACCEPT)
        if code in codes and not willing
    )
    named = values(asked.options, CLIENT_FQDN) and CLIENT_FQDN in asked.requested
    if CLIENT_FQDN in codes and not named:
        yield "unsolicited: option 39 for a client that did not send and request it"


def statuses(asked: Message, said: Message) -> Iterator[str]:
    """18.3.3, 18.3.7, 18.3.8: whose status the message bears itself; RFC 9915 21.13: never UseMulticast."""
    found = said.status
    if asked.message_type == kind.CONFIRM and (found is None or found.code not in (SUCCESS, NOT_ON_LINK)):
        yield f"status: {found} of a Confirm is neither Success nor NotOnLink"
    if asked.message_type in GIVING_BACK and (found is None or found.code != SUCCESS):
        yield f"status: {found} where Success belongs"
    everywhere = [found, *(ia.status for ia in said.associations)]
    if any(status is not None and status.code == USE_MULTICAST for status in everywhere):
        yield "status: UseMulticast is obsolete"


def associations(asked: Message, said: Message) -> Iterator[str]:
    """Each that asks is answered, and only those, once."""
    wanted = [(ia.code, ia.iaid) for ia in asked.associations]
    found = [(ia.code, ia.iaid) for ia in said.associations]
    yield from (f"associations: {pair} was not asked about" for pair in found if pair not in wanted)
    running = [
        (lease.address, lease.length) for ia in said.associations for lease in ia.leases if lease.valid
    ]
    if len(set(running)) < len(running):
        yield "twice: a lease is given to more than one association"
    if asked.message_type in GRANTING:
        missing = [pair for pair in wanted if pair not in found and pair[0] != IA_TA]
        yield from (f"associations: {pair} is not answered" for pair in missing)
    if asked.message_type == kind.CONFIRM and found:
        yield "associations: a Confirm is answered by its status alone"
    for ia in said.associations:
        yield from _association(asked.message_type, ia)


def _association(asked: int, ia: IdentityAssociation) -> Iterator[str]:
    """18.3.2, 18.3.9: leases or a status; 18.3.7, 18.3.8: NoBinding and nothing else."""
    where = f"association {ia.code} {ia.iaid}"
    status = ia.status or Status(SUCCESS)
    given = [lease for lease in ia.leases if lease.valid]
    if status.code and given:
        yield f"granted: {where} has leases and status {status.code}"
    named = [(lease.address, lease.length) for lease in ia.leases]
    if len(set(named)) < len(named):
        yield f"twice: {where} has a lease more than once"
    if not status.code and not ia.leases:
        yield f"granted: {where} has neither a lease nor a reason"
    if ia.code == IA_TA and given:
        yield f"temporary: {where} is obsolete and has leases"
    allowed = STATUSES.get(asked, {}).get(ia.code)
    if status.code and allowed is not None and status.code not in allowed:
        yield f"status: {status.code} in {where}"
    if asked in GIVING_BACK and [code for code, _ in ia.options] != [STATUS_CODE]:
        yield f"given_back: {where} holds more than its status"


def excluded(asked: Message, said: Message) -> Iterator[str]:
    """RFC 6603 4.2, 5.2: a smaller part of the delegated prefix, and for those alone who ask for it."""
    for lease in (lease for ia in said.associations for lease in ia.leases):
        for value in values(lease.options, PD_EXCLUDE):
            if PD_EXCLUDE not in asked.requested:
                yield f"unsolicited: option 67 in {lease.address}/{lease.length}"
            whole = IPv6Network((lease.address, lease.length), strict=False)
            if excluded_prefix(whole, value) is None:
                yield f"excluded: {value.hex()} is no part of {whole}"


def times(asked: Message, said: Message) -> Iterator[str]:
    """18.3.2: T1 and T2 are the same in all; 21.4: T1 not above T2, unless T2 is left to the client."""
    found = {(ia.t1, ia.t2) for ia in said.associations if any(lease.valid for lease in ia.leases)}
    if len(found) > 1:
        yield f"times: T1 and T2 differ: {sorted(found)}"
    yield from (f"times: T1 {t1} is above T2 {t2}" for t1, t2 in found if t1 > t2 > 0)


def lifetimes(asked: Message, said: Message) -> Iterator[str]:
    """21.6, 21.22: a client discards what is preferred longer than it is valid."""
    for ia in said.associations:
        for lease in ia.leases:
            if lease.preferred > lease.valid:
                yield f"lifetimes: {lease.address} is preferred {lease.preferred}, valid {lease.valid}"


def registration(asked: Message, said: Message) -> Iterator[str]:
    """RFC 9686 4.3: the address option comes back as it came."""
    if asked.message_type == kind.ADDR_REG_INFORM:
        if values(asked.options, IAADDR) != values(said.options, IAADDR):
            yield "registration: option 5 is not the client's"
    elif values(said.options, IAADDR):
        yield "must_not: option 5 outside of an association"


# Options that the protocol itself brings; the client's wishes choose among the others only.
PROTOCOL = frozenset(
    {CLIENT_ID, SERVER_ID, IA_NA, IA_TA, IA_PD, STATUS_CODE, RAPID_COMMIT, IAADDR, AUTH, RECONF_ACCEPT}
)


def unasked(asked: Message, said: Message) -> list[int]:
    """21.7: what the answer holds although the client did not ask; lawful where an administrator wants it so."""
    return [code for code, _ in said.options if code not in PROTOCOL and code not in asked.requested]
