"""Every message against every binding under every configuration (RFC 2131 section 4.3, table 5).

What has to happen is oracle/decisions4.py's word, read from the texts. What happens is observed once: a server, a
subnet for each kind of place, an address and a client for each case, rows written by SQL before the server starts, and
then the messages one after the other. Each case is a test of its own.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Any, NamedTuple

import asyncpg
import pytest
from engine.serving import Relay, octets, serving
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.decisions4 import BY_UNICAST, Ask, Binding, Decision, Place, decide, exists
from oracle.message4 import ZERO
from oracle.options4 import REQUEST
from oracle.packets import Packet

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect

SERVER, OTHER_SERVER = IPv4Address("127.0.0.1"), IPv4Address("192.0.2.99")
PATIENCE_SECONDS = 10.0
TRUSTED, UNTRUSTED_RELAY = ip_network("127.0.0.0/17"), IPv4Address("127.0.200.1")
SPARE = (2, 29)  # last octets of addresses that no case is about
FIRST_CASE, LAST_CASE = 30, 30 + len(Ask) * len(Binding) - 1
BESIDE = 256  # the client's reserved address, or one that it holds, is so far behind the one of its case

# Seconds from now. A margin and a quarantine last until long after the test.
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
WITHOUT_AUTHORITY = {
    Place.POOL_WITHOUT_AUTHORITY,
    Place.OUTSIDE_WITHOUT_AUTHORITY,
    Place.HOLDS_ANOTHER,
}
OWN = {binding for binding in Binding if binding.value.startswith("own")}
RESERVED_BESIDE = {Place.TO_BE_MOVED, Place.MUST_WAIT}


class Case(NamedTuple):
    ask: Ask
    binding: Binding
    place: Place


Seen = tuple[str, str, str, str]  # the reply's type, its address, why there is none, the row's new state
CASES = [Case(*parts) for parts in itertools.product(Ask, Binding, Place) if exists(*parts[1:])]


@dataclass(frozen=True)
class Actor:
    """The client of one case and the address that the case is about."""

    case: Case
    mac: str
    subnet: Subnet
    last: int

    @property
    def address(self) -> IPv4Address:
        return self.subnet.address(self.last)

    @property
    def beside(self) -> IPv4Address:
        return self.subnet.address(self.last + BESIDE)

    @property
    def stranger(self) -> str:
        return "06" + self.mac[2:]

    def says(self) -> Packet:
        words: dict[Ask, Callable[[], Packet]] = {
            Ask.DISCOVER: lambda: say.discover(self.mac).requesting(self.address),
            Ask.SELECTING: lambda: say.request_selecting(self.mac, self.address, SERVER),
            Ask.SELECTING_WITH_CIADDR: lambda: say.request_selecting(self.mac, self.address, SERVER).field(
                ciaddr=self.address
            ),
            Ask.SELECTING_UNNAMED: lambda: say.message(REQUEST, self.mac).server_id(SERVER),
            Ask.SELECTING_UNREADABLE: lambda: say.request_init_reboot(self.mac, self.address).option(
                54, SERVER.packed[:3]
            ),
            Ask.SELECTING_OTHER: lambda: say.request_selecting(self.mac, self.address, OTHER_SERVER),
            Ask.INIT_REBOOT: lambda: say.request_init_reboot(self.mac, self.address),
            Ask.RENEWING: lambda: say.request_renewing(self.mac, self.address),
            Ask.REBINDING: lambda: say.request_rebinding(self.mac, self.address),
            Ask.DECLINE: lambda: say.decline(self.mac, self.address, SERVER),
            Ask.RELEASE: lambda: say.release(self.mac, self.address, SERVER),
            Ask.INFORM: lambda: say.inform(self.mac, self.address),
            Ask.INFORM_UNNAMED: lambda: say.inform(self.mac, ZERO),
        }
        return words[self.case.ask]()


class Reaction(NamedTuple):
    """What the server said to a case's message, in the oracle's words."""

    said: str
    address: str
    dropped: str


# --- the plan: a subnet for each place


async def lay_out(site: Site) -> list[Actor]:
    actors = []
    denied = bytes.fromhex("0200") + bytes([list(Place).index(Place.DENIED)])
    await site.client_class("unwanted", mac_prefix=denied, deny=True)
    phones = await site.client_class("phones", vendor_class="phone")
    for number, place in enumerate(Place):
        subnet = await subnet_of(site, number, place)
        cases = [case for case in CASES if case.place is place]
        await pools(subnet, place, phones)
        for last, case in enumerate(cases, start=FIRST_CASE):
            actor = Actor(case, f"02:00:{number:02x}:00:00:{last:02x}", subnet, last)
            await reservations(actor)
            await rows(site, actor)
            actors.append(actor)
    return actors


async def subnet_of(site: Site, number: int, place: Place) -> Subnet:
    """127.N.0.0/23: replies by unicast to its clients stay on the loopback interface. Each renewal is a write."""
    fields: dict[str, Any] = {"cidr": IPv4Network(f"127.{number + 1}.0.0/23"), "gateway": None}
    fields["authoritative"] = place not in WITHOUT_AUTHORITY
    fields["dhcp_enabled"] = place is not Place.SWITCHED_OFF
    if place is Place.UNTRUSTED:
        fields["relay_addresses"] = [UNTRUSTED_RELAY]
    return await site.subnet(number + 1, **fields)


async def pools(subnet: Subnet, place: Place, phones: int) -> None:
    """Lowest free first, so that who cannot have the address of its case gets a spare one and nobody else's."""
    outside = place in (Place.RESERVED, Place.OUTSIDE, Place.OUTSIDE_WITHOUT_AUTHORITY, Place.OTHERS_CLASS)
    last = SPARE[1] if outside else LAST_CASE + BESIDE if place is Place.HOLDS_ANOTHER else LAST_CASE
    await subnet.pool(SPARE[0], last, allocation="sequential")
    if place is Place.OTHERS_CLASS:
        await subnet.pool(FIRST_CASE, LAST_CASE, class_no=phones)
    if place is Place.EXCLUDED:
        await subnet.exclude(FIRST_CASE, LAST_CASE)


async def reservations(actor: Actor) -> None:
    place, subnet = actor.case.place, actor.subnet
    if place in (Place.RESERVED, Place.RESERVED_IN_POOL):
        await subnet.reserve(actor.last, mac=actor.mac)
    if place is Place.RESERVED_FOR_OTHER:
        await subnet.reserve(actor.last, mac="06:ff" + actor.mac[5:])
    if place in RESERVED_BESIDE:
        await subnet.reserve(actor.last + BESIDE, mac=actor.mac)
    if place is Place.ASSIGNED:
        await add(
            subnet.site.connection, "assignment", subnet_no=subnet.no, ip=actor.address, hostname="machine"
        )


async def rows(site: Site, actor: Actor) -> None:
    case = actor.case
    if case.place is Place.MUST_WAIT:
        holder = octets("0e" + actor.mac[2:])
        await site.put_lease(actor.beside, holder, actor.subnet.no, state="a", **RUNNING)
    if case.place is Place.HOLDS_ANOTHER:
        await site.put_lease(actor.beside, octets(actor.mac), actor.subnet.no, state="a", **RUNNING)
    if case.binding in ROWS:
        owner = actor.mac if case.binding in OWN else actor.stranger
        await site.put_lease(actor.address, octets(owner), actor.subnet.no, **ROWS[case.binding])


# --- what the server does

# Who speaks of an address of one subnet through the relay of another one.
FOREIGN_HOMES = {
    Place.WRONG_NETWORK: Place.POOL,
    Place.WRONG_NETWORK_WITHOUT_AUTHORITY: Place.POOL_WITHOUT_AUTHORITY,
}


def relay_in_front(actors: list[Actor], place: Place) -> IPv4Address:
    return next(actor.subnet.relay for actor in actors if actor.case.place is place)


class Stage:
    """The server and the ways to it."""

    def __init__(self, server: Serving, actors: list[Actor]) -> None:
        self.server = server
        addresses = {actor.subnet.relay for actor in actors} | {UNTRUSTED_RELAY, SERVER}
        self.relays = {address: Relay(server, address) for address in addresses}
        self.relay_beside = {place: relay_in_front(actors, home) for place, home in FOREIGN_HOMES.items()}
        self.relay_beside[Place.UNTRUSTED] = UNTRUSTED_RELAY

    def close(self) -> None:
        for relay in self.relays.values():
            relay.close()

    def relay_of(self, actor: Actor) -> Relay:
        return self.relays[self.relay_beside.get(actor.case.place, actor.subnet.relay)]

    async def play(self, actor: Actor) -> Reaction:
        """The case's message, and what the server's books and the relay say of it."""
        before = self.books()
        relayed = actor.case.ask not in BY_UNICAST
        relay = self.relay_of(actor) if relayed else self.relays[SERVER]
        packet = actor.says()
        if relayed:
            packet = relay.send(packet)
        else:
            relay.socket.sendto(packet.bytes(), relay.server)
        said, dropped = await self.outcome(before)
        reply = await relay.answer_to(packet) if relayed and said else None
        return Reaction(said, which(actor, reply.yiaddr) if reply else "", dropped)

    def books(self) -> Counter[tuple[str, str]]:
        told = self.server.counters()
        kept = [("replied", told["replied"]), ("dropped", told["drops"]), ("ended", {"": told["ended"]})]
        return Counter({(book, name): count for book, counts in kept for name, count in counts.items()})

    async def outcome(self, before: Counter[tuple[str, str]]) -> tuple[str, str]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (fresh := self.books() - before):  # noqa: ASYNC110 - nothing tells of a counter
                await asyncio.sleep(0.0005)
        ((book, name),) = fresh.elements()
        return (name, "") if book == "replied" else ("", name)


def which(actor: Actor, given: IPv4Address) -> str:
    beside = "held" if actor.case.place is Place.HOLDS_ANOTHER else "reserved"
    names = {ZERO: "", actor.address: "asked", actor.beside: beside}
    return names.get(given, "another" if is_spare(given) else str(given))


def is_spare(address: IPv4Address) -> bool:
    return SPARE[0] <= address.packed[3] <= SPARE[1]


Row = tuple[int, str, bytes]


async def rows_now(connection: asyncpg.Connection) -> dict[IPv4Address, Row]:
    found = await connection.fetch("select address, version, state, hw_address from lease")
    return {row["address"]: (row["version"], row["state"], row["hw_address"]) for row in found}


def changed_row(actor: Actor, before: Row | None, after: Row | None) -> str:
    if before == after or after is None:
        return "" if before == after else "gone"
    owner = "" if after[2] == octets(actor.mac) else " of another"
    return after[1] + owner


# --- the table


async def observe(dsn: str) -> dict[Case, Seen]:
    """Play all cases; no two speak of one address or client, so rows need to be read only before and after."""
    connection: asyncpg.Connection = await connect(dsn)
    try:
        actors = await lay_out(await Site.create(connection))
        before = await rows_now(connection)
        async with serving(dsn, trusted_relays=(TRUSTED,)) as server:
            stage = Stage(server, actors)
            reactions = [await stage.play(actor) for actor in actors]
            stage.close()
        after = await rows_now(connection)
    finally:
        await connection.close()
    changes = [changed_row(actor, before.get(actor.address), after.get(actor.address)) for actor in actors]
    return {actor.case: (*told, row) for actor, told, row in zip(actors, reactions, changes, strict=True)}


@pytest.fixture(scope="module")
def seen(module_database: str) -> dict[Case, Seen]:
    return asyncio.run(observe(module_database))


def expected(decision: Decision, ask: Ask) -> Seen:
    """What a reply by unicast gives stands in the row alone: it goes to the client's own port 68."""
    address = "" if ask in BY_UNICAST else decision.address
    return decision.said, address, decision.dropped, decision.row


@pytest.mark.parametrize("binding", Binding, ids=lambda binding: binding.value or "no row")
@pytest.mark.parametrize("ask", Ask, ids=lambda ask: ask.value)
def test_decisions(ask: Ask, binding: Binding, seen: dict[Case, Seen]) -> None:
    """A packet to each kind of place whose row is so: what came of it, where that is not what was to come."""
    wanted = {case: decide(*case) for case in CASES if (case.ask, case.binding) == (ask, binding)}
    assert wanted
    assert {
        (case.place.value, decision.source, expected(decision, ask), seen[case])
        for case, decision in wanted.items()
        if seen[case] != expected(decision, ask)
    } == set()
