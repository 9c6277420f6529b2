"""Every message against every binding under every configuration (RFC 8415 section 18.3).

What has to happen is oracle/decisions6.py's word, read from the texts. What happens is observed once: a server, a
subnet for each kind of place, a lease and a client for each case, rows written by SQL before the server starts, and
then the messages one after the other, each through a relay.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import Any, NamedTuple

import asyncpg
import pytest
from engine6.serving6 import Relay, serving
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.answers6 import Association, answer
from oracle.decisions4 import Binding
from oracle.decisions6 import Ask, Kind, Outcome, Place, exists
from oracle.message6 import ADVERTISE, Message
from oracle.options6 import IA_NA, IA_PD, IA_TA, RAPID_COMMIT, Lease, first
from oracle.packets6 import Packet

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.engine.configure import server_id
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect

PATIENCE_SECONDS = 10.0
OTHER_SERVER = bytes.fromhex("00030001060000000000")
UNKNOWN_LINK = "2001:db8:ffff::1"
FIRST_CASE, LAST_CASE, SPARE = 0x1000, 0x1FFF, (2, 0xFFF)
BESIDE = 0x1000  # the client's reserved lease, or one that it holds, is so far behind the one of its case
IAID = 1
CODES = {Kind.NA: IA_NA, Kind.TA: IA_TA, Kind.PD: IA_PD}
STATUSES = {0: "Success", 2: "NoAddrsAvail", 3: "NoBinding", 4: "NotOnLink", 6: "NoPrefixAvail"}

RUNNING = {"expires_at": 600.0, "reuse_at": 610.0}
GONE = {"expires_at": -20.0, "reuse_at": -10.0}
HELD_BACK = {"expires_at": -5.0, "reuse_at": 600.0}
ROWS: dict[Binding, dict[str, Any]] = {
    Binding.OWN_ACTIVE: {"state": "a", **RUNNING},
    Binding.OWN_EXPIRED: {"state": "x", **GONE},
    Binding.OWN_RELEASED: {"state": "r", **GONE},
    Binding.OWN_REVOKED: {"state": "v", **GONE},
    Binding.OWN_DECLINED: {"state": "d", **HELD_BACK},
    Binding.OTHERS_ACTIVE: {"state": "a", **RUNNING},
    Binding.OTHERS_IN_MARGIN: {"state": "x", **HELD_BACK},
    Binding.OTHERS_EXPIRED: {"state": "x", **GONE},
    Binding.OTHERS_RELEASED: {"state": "r", **GONE},
    Binding.OTHERS_DECLINED: {"state": "d", **HELD_BACK},
}
OWN = {binding for binding in Binding if binding.value.startswith("own")}
RESERVED_BESIDE = {Place.TO_BE_MOVED, Place.MUST_WAIT}
NOT_IN_POOLS = {Place.RESERVED, Place.OUTSIDE, Place.OTHERS_CLASS}
INFORMATION = {Ask.INFORMATION, Ask.INFORMATION_OTHER}
UNNAMED = {Ask.REQUEST_UNNAMED, Ask.CONFIRM_UNNAMED, Ask.RENEW_UNNAMED, Ask.REBIND_UNNAMED}


class Case(NamedTuple):
    ask: Ask
    kind: Kind
    binding: Binding
    place: Place


CASES = [Case(*parts) for parts in itertools.product(Ask, Kind, Binding, Place) if exists(*parts)]


class Seen(NamedTuple):
    """What became of a case's message. `gives`: leases with lifetimes; `row`: the new state of the lease's row."""

    said: str = ""
    dropped: str = ""
    status: str = ""
    rapid: bool = False
    gives: str = ""
    zeroed: bool = False
    ia_status: str = ""
    shown: bool = False
    row: str = ""


@dataclass(frozen=True)
class Actor:
    """The client of one case, and the lease that the case is about."""

    case: Case
    duid: bytes
    subnet: Subnet6
    place_no: int
    number: int

    @property
    def key(self) -> bytes:
        return association_key(CODES[self.case.kind], IAID, self.duid)

    @property
    def length(self) -> int:
        return 64 if self.case.kind is Kind.PD else 128

    def at(self, number: int) -> IPv6Address:
        if self.case.kind is Kind.PD:
            return IPv6Address(f"3fff:{self.place_no:x}::") + (number << 64)
        return self.subnet.network[number]

    @property
    def lease(self) -> IPv6Address:
        return self.at(self.number)

    @property
    def beside(self) -> IPv6Address:
        return self.at(self.number + BESIDE)

    def says(self, server: bytes) -> Packet:
        ask = self.case.ask
        named = OTHER_SERVER if ask.value.endswith("to another server") or ask is Ask.RENEW_OTHER else server
        words = {
            Ask.SOLICIT: lambda: say.solicit(self.duid),
            Ask.SOLICIT_RAPID: lambda: say.solicit(self.duid).rapid_commit(),
            Ask.CONFIRM: lambda: say.confirm(self.duid),
            Ask.CONFIRM_UNNAMED: lambda: say.confirm(self.duid),
            Ask.RENEW: lambda: say.renew(self.duid, named),
            Ask.RENEW_UNNAMED: lambda: say.renew(self.duid, named),
            Ask.RENEW_OTHER: lambda: say.renew(self.duid, named),
            Ask.REBIND: lambda: say.rebind(self.duid),
            Ask.REBIND_UNNAMED: lambda: say.rebind(self.duid),
            Ask.RELEASE: lambda: say.release(self.duid, named),
            Ask.RELEASE_OTHER: lambda: say.release(self.duid, named),
            Ask.DECLINE: lambda: say.decline(self.duid, named),
            Ask.DECLINE_OTHER: lambda: say.decline(self.duid, named),
            Ask.INFORMATION: lambda: say.information_request(self.duid),
            Ask.INFORMATION_OTHER: lambda: say.information_request(self.duid).server_id(named),
        }
        packet = words.get(ask, lambda: say.request(self.duid, named))()
        return packet if ask in INFORMATION else packet.association(*self.association())

    def association(self) -> tuple[Any, ...]:
        lease = () if self.case.ask in UNNAMED else (Lease(self.lease, self.length, 0, 0),)
        return CODES[self.case.kind], IAID, *lease


# --- the plan: a subnet and a delegation pool for each place


async def lay_out(site: Site6) -> list[Actor]:
    actors: list[Actor] = []
    phones = await site.client_class("phones", vendor_class="phone")
    await site.client_class("unwanted", mac_prefix=bytes.fromhex("0666"), deny=True)
    for place_no, place in enumerate(Place, start=1):
        told = {"dhcp_enabled": place is not Place.SWITCHED_OFF, "rapid_commit": place is Place.POOL_RAPID}
        subnet = await site.subnet(place_no, **told)
        await pools(subnet, place, place_no, phones)
        for number, case in enumerate((case for case in CASES if case.place is place), start=FIRST_CASE):
            first_octets = "0666" if place is Place.DENIED else "0200"
            mac = bytes.fromhex(first_octets) + bytes([place_no]) + number.to_bytes(3, "big")
            actor = Actor(case, say.duid_ll(mac), subnet, place_no, number)
            await reservations(actor)
            await rows(site, actor)
            actors.append(actor)
    return actors


async def pools(subnet: Subnet6, place: Place, place_no: int, phones: int) -> None:
    """Lowest free first, so that who cannot have the lease of its case gets a spare one and nobody else's."""
    if place is Place.NO_POOLS:
        return
    if place is Place.EXHAUSTED:
        await full_pools(subnet, place_no)
        return
    in_order = {"allocation": "sequential"}
    if place in NOT_IN_POOLS:
        await subnet.pool(SPARE[0], SPARE[1], **in_order)
        await subnet.delegation_pool(f"3fff:{place_no:x}::/52", 64, **in_order)
    else:
        await subnet.pool(SPARE[0], LAST_CASE + BESIDE, **in_order)
        await subnet.delegation_pool(f"3fff:{place_no:x}::/48", 64, **in_order)
    if place is Place.OTHERS_CLASS:
        await subnet.pool(FIRST_CASE, LAST_CASE, class_no=phones)
        await subnet.delegation_pool(f"3fff:{place_no:x}:0:1000::/52", 64, class_no=phones)
    if place is Place.EXCLUDED:
        await subnet.exclude(FIRST_CASE, LAST_CASE)
        first, last = IPv6Address(f"3fff:{place_no:x}:0:1000::"), IPv6Address(f"3fff:{place_no:x}:0:1fff::")
        await add(subnet.site.connection, "exclude", subnet_no=subnet.no, start_ip=first, end_ip=last)


async def full_pools(subnet: Subnet6, place_no: int) -> None:
    """One address and one prefix, and both are somebody's."""
    await subnet.pool(2, 2)
    await subnet.delegation_pool(f"3fff:{place_no:x}::/64", 64)
    holder = say.duid_ll(bytes.fromhex("0a0000000001"))
    for kind, at, length in ((IA_NA, subnet.address(2), 128), (IA_PD, f"3fff:{place_no:x}::", 64)):
        key = association_key(kind, IAID, holder)
        await subnet.site.put_lease(at, key, subnet.no, prefix_length=length, **RUNNING)


async def reserve(actor: Actor, at: IPv6Address, duid: bytes) -> None:
    if actor.case.kind is Kind.PD:
        await actor.subnet.reserve_prefix(str(IPv6Network((at, 64))), duid=duid)
    else:
        await add(actor.subnet.site.connection, "reservation", subnet_no=actor.subnet.no, ip=at, duid=duid)


async def reservations(actor: Actor) -> None:
    place, other = actor.case.place, say.duid_ll(b"\x06\xff" + actor.duid[6:])
    if place in (Place.RESERVED, Place.RESERVED_IN_POOL):
        await reserve(actor, actor.lease, actor.duid)
    if place is Place.RESERVED_FOR_OTHER:
        await reserve(actor, actor.lease, other)
    if place in RESERVED_BESIDE:
        await reserve(actor, actor.beside, actor.duid)
    if place is Place.ASSIGNED:
        ip = actor.lease + (1 if actor.case.kind is Kind.PD else 0)
        await add(actor.subnet.site.connection, "assignment", subnet_no=actor.subnet.no, ip=ip, hostname="m")


async def rows(site: Site6, actor: Actor) -> None:
    case = actor.case
    told: dict[str, Any] = {"prefix_length": actor.length}
    stranger = association_key(CODES[case.kind], IAID, say.duid_ll(b"\x0e\x00" + actor.duid[6:]))
    if case.place is Place.MUST_WAIT:
        await site.put_lease(actor.beside, stranger, actor.subnet.no, **told, **RUNNING)
    if case.place is Place.HOLDS_ANOTHER:
        await site.put_lease(actor.beside, actor.key, actor.subnet.no, **told, **RUNNING)
    if case.binding in ROWS:
        owner = actor.key if case.binding in OWN else stranger
        await site.put_lease(actor.lease, owner, actor.subnet.no, **told | ROWS[case.binding])


# --- what the server does


class Stage:
    """The server, and a relay that may speak for any link."""

    def __init__(self, server: Serving, actors: list[Actor]) -> None:
        self.server = server
        self.relay = Relay(server, UNKNOWN_LINK)
        self.home = next(actor.subnet.link for actor in actors if actor.case.place is Place.POOL)

    def link_of(self, actor: Actor) -> Any:
        if actor.case.place is Place.UNKNOWN_LINK:
            return UNKNOWN_LINK
        return self.home if actor.case.place is Place.WRONG_LINK else actor.subnet.link

    async def play(self, actor: Actor) -> Seen:
        """The case's message, and what the server's books and the relay say of it."""
        before = self.books()
        sent = self.relay.send(actor.says(self.relay.server_id).through(self.link_of(actor)))
        said, dropped = await self.outcome(before)
        reply = await self.relay.answer_to(sent) if said else None
        return seen_in(actor, reply) if reply else Seen(dropped=dropped)

    def books(self) -> Counter[tuple[str, str]]:
        told = self.server.counters()
        kept = [("replied", told["replied"]), ("dropped", told["drops"])]
        return Counter({(book, name): count for book, counts in kept for name, count in counts.items()})

    async def outcome(self, before: Counter[tuple[str, str]]) -> tuple[str, str]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (fresh := self.books() - before):  # noqa: ASYNC110 - nothing tells of a counter
                await asyncio.sleep(0.0005)
        ((book, name),) = fresh.elements()
        return (name, "") if book == "replied" else ("", name)


def seen_in(actor: Actor, reply: Message) -> Seen:
    ias = reply.associations
    given = [lease for ia in ias for lease in ia.leases if lease.valid]
    zeroed = [lease for ia in ias for lease in ia.leases if not lease.valid]
    assert all(lease.address == actor.lease for lease in zeroed)
    return Seen(
        said="advertise" if reply.message_type == ADVERTISE else "reply",
        status=STATUSES[reply.status.code] if reply.status else "",
        rapid=first(reply.options, RAPID_COMMIT) is not None,
        gives=" ".join(which(actor, lease.address) for lease in given),
        zeroed=bool(zeroed),
        ia_status=" ".join(STATUSES[ia.status.code] for ia in ias if ia.status),
        shown=bool(ias),
    )


def which(actor: Actor, given: IPv6Address) -> str:
    beside = "held" if actor.case.place is Place.HOLDS_ANOTHER else "reserved"
    names = {actor.lease: "asked", actor.beside: beside}
    return names.get(given, "another")


Row = tuple[int, str, bytes]


async def rows_now(connection: asyncpg.Connection) -> dict[IPv6Address, Row]:
    found = await connection.fetch("select address, version, state, client_key from lease")
    return {row["address"]: (row["version"], row["state"], row["client_key"]) for row in found}


def changed_row(actor: Actor, before: Row | None, after: Row | None) -> str:
    if before == after or after is None:
        return "" if before == after else "gone"
    return after[1] + ("" if after[2] == actor.key else " of another")


# --- the table


async def observe(dsn: str) -> dict[Case, Seen]:
    """Play all cases; no two speak of one lease or client, so rows need to be read only before and after."""
    connection: asyncpg.Connection = await connect(dsn)
    try:
        actors = await lay_out(await Site6.create(connection))
        before = await rows_now(connection)
        trusting = [actor for actor in actors if actor.case.place is not Place.UNTRUSTED]
        distrusting = [actor for actor in actors if actor.case.place is Place.UNTRUSTED]
        async with serving(dsn) as server:
            found = await reactions(server, trusting, actors)
        async with serving(dsn, trusted_relays=(ip_network("::2/128"),)) as wary:
            found |= await reactions(wary, distrusting, actors)
        after = await rows_now(connection)
    finally:
        await connection.close()
    changes = [changed_row(actor, before.get(actor.lease), after.get(actor.lease)) for actor in actors]
    return {
        actor.case: found[actor.case]._replace(row=row) for actor, row in zip(actors, changes, strict=True)
    }


async def reactions(server: Serving, playing: list[Actor], actors: list[Actor]) -> dict[Case, Seen]:
    stage = Stage(server, actors)
    stage.relay.server_id = server_id(server.engine)
    found = {actor.case: await stage.play(actor) for actor in playing}
    stage.relay.close()
    return found


@pytest.fixture(scope="module")
def seen(module_database: str) -> dict[Case, Seen]:
    return asyncio.run(observe(module_database))


def expected(case: Case) -> Seen:
    associations = [] if case.ask in INFORMATION else [Association(case.kind, case.binding, case.place)]
    told = answer(case.ask, associations)
    if not associations and case.place in UNSERVED:
        told = answer(case.ask, [Association(case.kind, case.binding, case.place)])
    one = told.outcomes[0] if told.outcomes else Outcome("")
    row = one.row if told.said else ""
    gives_up = one.gives in ("another", "reserved") and not one.zeroed
    if case.ask in UNNAMED and case.binding is Binding.OWN_ACTIVE and gives_up:
        row = "" if case.place is Place.WRONG_LINK else "r"  # answers6.given_up, on that wire (rule 9)
    return Seen(
        said=told.said,
        dropped=told.dropped,
        status=told.status,
        rapid=told.rapid and told.said == "reply",
        gives=one.gives,
        zeroed=one.zeroed,
        ia_status=one.status,
        shown=bool(told.said and associations and one.shown),
        row=row,
    )


UNSERVED = {Place.UNTRUSTED, Place.UNKNOWN_LINK, Place.SWITCHED_OFF, Place.DENIED}


@pytest.mark.parametrize("ask", Ask, ids=lambda ask: ask.value)
@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.value)
def test_decisions(ask: Ask, kind: Kind, seen: dict[Case, Seen]) -> None:
    """By message and kind of association; what differs is shown by binding and place."""
    wrong = {
        f"{case.binding.value or 'no row'}; {case.place.value}": (seen[case], expected(case))
        for case in CASES
        if case.ask is ask and case.kind is kind and seen[case] != expected(case)
    }
    assert wrong == {}
