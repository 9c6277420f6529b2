"""Is this a lawful answer to that request? RFC 2131 table 3 and sections 4.1, 4.3, and what amended them.

`check_reply` returns a sentence for each rule that the reply breaks, each beginning with the rule's name and
a colon; an empty list is a lawful reply. It knows the two datagrams only: whether the address was right is
a question for the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from oracle.message4 import BOOTP_SIZE, BROADCAST, LEAST, ZERO, Message, parse, parse_reply
from oracle.options4 import (
    ACK,
    DISCOVER,
    INFORM,
    MESSAGE_TYPE,
    NAK,
    NETWORK_CONTROL,
    OFFER,
    OVERLOAD,
    RELAY_AGENT,
    REQUEST,
    Malformed,
    Pair,
    RelayAgent,
    encode_suboptions,
    number,
    walk_suboptions,
)

IP_AND_UDP = 28  # option 57 counts the whole datagram (RFC 2132 9.10; 576 in RFC 2131 section 2 is 548 + 28)
INFINITE = 0xFFFFFFFF

ANSWERS = {DISCOVER: {OFFER, ACK}, REQUEST: {ACK, NAK}, INFORM: {ACK}}
NEVER_SENT = (50, 55, 57)
NAK_MAY_HOLD = {53, 54, 56, 60, 61, RELAY_AGENT}

# Options that the protocol itself brings; the client's wishes order the others only.
PROTOCOL = {51, OVERLOAD, MESSAGE_TYPE, 54, 56, 58, 59, 60, 61, 80, 81, RELAY_AGENT, 97, 116, 118, 221}

# Without which a client cannot work: in this order in front where not all has room.
NEEDED = (3, 121, 249, 6, 67, 66, 60, 15)


def check_reply(request: bytes, reply: bytes, *, strict_order: bool = False) -> list[str]:
    """Rules broken. `strict_order` adds RFC 2132 9.8's wish that options follow the requested order."""
    asked, said = parse(request), parse_reply(reply)
    if isinstance(asked, Malformed):
        return [f"unanswerable: the request is malformed ({asked.reason} {asked.code})"]
    if isinstance(said, Malformed):
        return [f"malformed: {said.reason} {said.code}"]
    rules = [
        kind,
        header,
        addresses,
        lease,
        options,
        identity,
        repeated_back,
        relay_echo,
        framing(reply),
        boot_name(reply),
        overload,
        wishes,
    ]
    if strict_order:
        rules.append(requested_order)
    return [broken for rule in rules for broken in rule(asked, said)]


def answers_lease(asked: Message, said: Message) -> bool:
    """An OFFER or ACK that gives an address, which the ACK to an INFORM does not."""
    return said.message_type in (OFFER, ACK) and asked.message_type != INFORM


def kind(asked: Message, said: Message) -> Iterator[str]:
    """RFC 2131 3.1, 4.3; an ACK to a DISCOVER is RFC 4039's and carries option 80 as the DISCOVER did."""
    if said.message_type not in ANSWERS.get(asked.message_type, set()):
        yield f"kind: type {said.message_type} does not answer type {asked.message_type}"
    rapid = asked.message_type == DISCOVER and said.message_type == ACK
    if rapid and 80 not in asked.options:
        yield "rapid_commit: ACK to a DISCOVER that did not ask for it"
    if (80 in said.options) != rapid:
        yield "rapid_commit: option 80 stands in the ACK to a DISCOVER and nowhere else"


def header(asked: Message, said: Message) -> Iterator[str]:
    """Table 3: copied or zero. 4.3.2: a NAK through a relay is to be broadcast, whatever the client said."""
    for name in ("htype", "hlen", "xid", "giaddr", "chaddr"):
        if getattr(asked, name) != getattr(said, name):
            yield f"{name}: {getattr(said, name)} is not the request's {getattr(asked, name)}"
    for name in ("hops", "secs"):
        if getattr(said, name) != 0:
            yield f"{name}: {getattr(said, name)} is not 0"
    forced = BROADCAST if said.message_type == NAK and asked.giaddr != ZERO else 0
    if said.flags != asked.flags | forced:
        yield f"flags: {said.flags:#06x} is not {asked.flags | forced:#06x}"


def addresses(asked: Message, said: Message) -> Iterator[str]:
    """Table 3: ciaddr, yiaddr, siaddr and the two text fields."""
    may_copy = said.message_type == ACK
    if said.ciaddr != ZERO and not (may_copy and said.ciaddr == asked.ciaddr):
        yield f"ciaddr: {said.ciaddr}"
    if answers_lease(asked, said) == (said.yiaddr == ZERO):
        yield f"yiaddr: {said.yiaddr} in type {said.message_type} to type {asked.message_type}"
    if asked.message_type == REQUEST and said.message_type == ACK:
        # Table 5 forbids to fill in both; from one that does, either may be meant. Neither: the OFFER told it.
        wanted = [address for address in (asked.address(50), asked.ciaddr) if address not in (None, ZERO)]
        if wanted and said.yiaddr not in wanted:
            yield f"yiaddr: {said.yiaddr} acknowledged, {' or '.join(map(str, wanted))} requested"
    if said.message_type == NAK and (said.siaddr != ZERO or any(said.sname) or any(said.file)):
        yield "unused: siaddr, sname and file are unused in a NAK"


def lease(asked: Message, said: Message) -> Iterator[str]:
    """Table 3: option 51. 4.3.5: none in the ACK to an INFORM. 4.4.5: T1 < T2 < lease."""
    held = [code for code in (51, 58, 59) if code in said.options]
    if not answers_lease(asked, said):
        yield from (f"lease_time: option {code} without a lease" for code in held)
    elif 51 not in said.options:
        yield "lease_time: option 51 is missing"
    else:
        times = [number(said.options[code]) for code in (58, 59, 51) if code in said.options]
        if times[-1] == 0:
            yield "lease_time: 0 seconds"
        if 3 <= times[-1] < INFINITE and any(early >= late for early, late in pairwise(times)):
            yield f"timers: T1, T2, lease are {times}"


def options(asked: Message, said: Message) -> Iterator[str]:
    """Table 3: what must and must not be there."""
    yield from (f"must_not: option {code}" for code in NEVER_SENT if code in said.options)
    if 54 not in said.options:
        yield "server_id: option 54 is missing"
    elif (wanted := expected_server_id(asked)) not in (None, said.address(54)):
        yield f"server_id: {said.address(54)} is not {wanted}"
    if said.message_type == NAK:
        yield from (f"must_not: option {code} in a NAK" for code in said.options.keys() - NAK_MAY_HOLD)
    if said.in_options[0][0] != MESSAGE_TYPE:
        yield "type_first: option 53 is customarily the first"


def expected_server_id(asked: Message) -> object:
    """RFC 5107 section 4: the relay's override; RFC 2131 4.3.2: a SELECTING client named the server."""
    if asked.relay and asked.relay.server_id_override:
        return asked.relay.server_id_override
    return asked.address(54)


def identity(asked: Message, said: Message) -> Iterator[str]:
    """RFC 6842 section 3: option 61 comes back as sent, in a NAK too, and only if it was sent."""
    if asked.options.get(61) != said.options.get(61):
        yield "client_id: option 61 is not the client's"


def repeated_back(asked: Message, said: Message) -> Iterator[str]:
    """RFC 3011 2 and RFC 4578 2.3: options 118 and 97 come back as they came, where they have room, and only then; 221
    and 81 answer."""
    for code in (97, 118):
        wanted, echoed = asked.options.get(code), said.options.get(code)
        if said.message_type == NAK or wanted == echoed:
            continue
        if echoed is not None or wanted is None or len(wanted) + 2 <= room(asked, said):
            yield f"repeated_back: option {code} is not the client's"
    yield from (
        f"unsolicited: option {code}" for code in (81, 221) if code in said.options.keys() - asked.options
    )


def relay_echo(asked: Message, said: Message) -> Iterator[str]:
    """RFC 3046 2.2: option 82 comes back verbatim, as the last option, or not at all where it has no room.

    RFC 6607 7.2: without the control sub-option of a virtual network, if that network was used.
    """
    wanted, echoed = asked.options.get(RELAY_AGENT), said.options.get(RELAY_AGENT)
    if wanted is not None and echoed is None and len(wanted) + 2 > room(asked, said):
        return
    if echoed not in (wanted, without_control(asked.relay)):
        yield "relay_agent: option 82 is not the relay's"
    elif echoed is not None and said.in_options[-1][0] != RELAY_AGENT:
        yield "relay_last: option 82 is not the last"


def without_control(relay: RelayAgent | None) -> bytes | str:
    """All else as it came, malformed or not."""
    if relay is None or relay.network is None:
        return "nothing else"
    walked, rest = walk_suboptions(relay.verbatim)
    return encode_suboptions(tuple(pair for pair in walked if pair[0] != NETWORK_CONTROL)) + rest


def room(asked: Message, said: Message) -> int:
    """Octets left for options before END, were the padding cut off."""
    used = LEAST + sum(2 + len(value) for _, value in said.in_options) + 1
    return asked.max_message_size - IP_AND_UDP - used


def framing(reply: bytes) -> Callable[[Message, Message], Iterator[str]]:
    """Sizes and END (RFC 2131 section 2, 4.1; RFC 1542 2.1), and each option once unless it is long."""

    def rule(asked: Message, said: Message) -> Iterator[str]:
        if not said.ended:
            yield "end: END is missing"
        if any(said.behind_end):
            yield "end: octets other than pad behind END"
        if len(reply) < BOOTP_SIZE:
            yield f"too_small: {len(reply)} octets"
        if len(reply) + IP_AND_UDP > asked.max_message_size:
            yield f"too_large: {len(reply)} octets of {asked.max_message_size - IP_AND_UDP}"
        yield from repeated(said)

    return rule


def repeated(said: Message) -> Iterator[str]:
    """RFC 2131 4.1 allows an option once; RFC 3396 6 cuts one that is over 255 octets or spans fields."""
    for code, value in said.options.items():
        pieces = sum(1 for seen, _ in said.in_options if seen == code)
        if pieces > max(1, -(-len(value) // 255)):
            yield f"repeated: option {code} stands {pieces} times"


def boot_name(reply: bytes) -> Callable[[Message, Message], Iterator[str]]:
    """RFC 2132 3.1: pad may stand anywhere. One behind option 67 ends the name for ROMs that read on to a zero."""

    def rule(asked: Message, said: Message) -> Iterator[str]:
        for pairs, field in (
            (said.in_options, reply[240:]),
            (said.in_file, said.file),
            (said.in_sname, said.sname),
        ):
            name = b"".join(value for code, value in pairs if code == 67)
            end = field.find(name[-255:]) + len(name[-255:])
            if name and field[end] != 0:
                yield f"boot_pad: {field[end]:#04x} stands behind option 67"

    return rule


def overload(asked: Message, said: Message) -> Iterator[str]:
    """RFC 2132 9.3, RFC 2131 4.1: option 52 stands where a field holds options, each ended, and nowhere else."""
    fields = (1 if said.in_file else 0) | (2 if said.in_sname else 0)
    told = number(said.options[OVERLOAD]) if OVERLOAD in said.options else 0
    if told != fields:
        yield f"overload: option 52 is {told}, options stand in {fields}"


def wishes(asked: Message, said: Message) -> Iterator[str]:
    """RFC 2132 9.8: what was asked for goes before what was not, in each field; 3.3: the mask before the routers."""
    for pairs in (said.in_options, said.in_file, said.in_sname):
        yield from wishes_in(asked, pairs)


def wishes_in(asked: Message, pairs: Iterable[Pair]) -> Iterator[str]:
    requested = asked.options.get(55, b"")
    codes = [code for code, _ in pairs if code not in PROTOCOL]
    if 1 in codes and 3 in codes and codes.index(3) < codes.index(1):
        yield "mask_first: option 3 stands before option 1"
    unasked_seen = False
    for code in codes:
        if code in requested and unasked_seen:
            yield f"asked_first: requested option {code} stands behind one that was not requested"
        unasked_seen |= code not in requested and code != 1


def requested_order(asked: Message, said: Message) -> Iterator[str]:
    """RFC 2132 9.8: in the order requested, in each field, apart from the mask, which 3.3 puts before the routers, and
    from what goes first where not all has room."""
    wanted = [code for code in asked.options.get(55, b"") if code not in PROTOCOL | {1}]
    needed_first = [*(code for code in NEEDED if code in wanted), *(c for c in wanted if c not in NEEDED)]
    for pairs in (said.in_options, said.in_file, said.in_sname):
        codes = list(dict.fromkeys(code for code, _ in pairs if code in wanted))
        if codes != sorted(codes, key=wanted.index) and codes != sorted(codes, key=needed_first.index):
            yield "requested_order: options do not follow the requested order"
