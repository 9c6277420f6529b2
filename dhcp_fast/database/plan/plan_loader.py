"""Reading of the plan into the engine, without making packets wait.

A subnet is compiled separately and replaced between two packets. A reply uses one subnet and the
tenant that it was compiled with. So during a change that affects all subnets, some clients are
still answered by the old configuration. Only the subnets of one shared network change together,
because they serve each other's clients. Packets have their turn after about a millisecond of work.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import structlog
from asyncpg import Connection

from dhcp_fast.database.plan import in_use, plan_reader, plan_rows
from dhcp_fast.database.plan.placing import InterfaceNumbers, Numbers, Places, Placing
from dhcp_fast.database.plan.plan_reader import CompiledSubnet, Reader
from dhcp_fast.database.plan.plan_reader6 import Reader6
from dhcp_fast.engine.configure import (
    forget_after,
    keep_details,
    let_supply,
    protect,
    serve_bootp,
    set_own_addresses,
    set_server_id,
    set_switches,
)
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.recount import is_much, recount_at_once, recounting
from dhcp_fast.net.links import Links
from dhcp_fast.net.listen import interfaces_of
from dhcp_fast.plan.compile import ServedView
from dhcp_fast.plan.relays import TrustedRelay
from ipam_core.settings import Settings

TURN_SECONDS = 0.001
START_TURN_SECONDS = 0.005
RECOUNTED = 4000  # addresses or leases a turn
PORTION = 50  # subnets a reading
PASSING_SECONDS = 10.0  # between two readings of a subnet of which a part ends by itself
EVERYWHERE = 0  # in place of a subnet's number
SHOWN = 3  # problems that are reported to operators
DAY_SECONDS = 86_400

log = structlog.get_logger()


async def reader(
    connection: Connection,
    family: int = 4,
    numbers: Iterable[int] | None = None,
    interfaces: Numbers | None = None,
) -> Reader:
    """Return the plan as of one moment, not compiled yet: of all subnets of the family, or of those with these numbers
    (missing ones are gone)."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        rows = await plan_rows.read_rows(connection, None if numbers is None else list(numbers), family)
        return (Reader if family == 4 else Reader6)(rows, interfaces)


def new_engine(hash_key: tuple[int, int], settings: Settings, family: int = 4) -> Engine:
    """Return an engine that knows its settings, and no plan yet."""
    engine = Engine(hash_key, family)
    protect(engine, settings)
    if family == 6:
        let_supply(engine, settings.dhcp6_relay_supplied_options)
        forget_after(engine, settings.freed_lease_days * DAY_SECONDS)
    serve_bootp(engine, settings.dhcp4_bootp)
    keep_details(engine, settings.lease_device_details)
    engine.block_names(settings.ddns_blocked_names)
    return engine


def note_surroundings(engine: Engine, settings: Settings, links: Links) -> None:
    """Note this machine's present addresses, and those of its interfaces that a switch relays to."""
    set_own_addresses(engine, links.own_addresses(engine.family))
    present = links.indexes()
    set_switches(engine, [present[name] for name in settings.dhcp4_option82_interfaces if name in present])


class Configuration:
    """Configuration of one engine. `taken_in` is called with each subnet that the engine has now."""

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        links: Links,
        taken_in: Callable[[Engine, Iterable[ServedView]], None],
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.taken_in = taken_in
        self.names = interfaces_of(settings, engine.family)
        self.placings: dict[int, tuple[Placing, Places]] = {}  # of each subnet, and where it is served now
        self.numbers = self.compiled_with = InterfaceNumbers({})
        self.follow(links)
        self.tenants: dict[int, str] = {}
        self.relays: list[TrustedRelay] | None = None
        self.default_tenant = 0
        self.due: dict[int, float] = {}  # subnets to be read again, and when
        self.in_use: dict[int, list[str]] = {}  # addresses in pools that are not given, by subnet
        self.problems: dict[
            int, list[str]
        ] = {}  # rows that are left out, by subnet; of all of them, EVERYWHERE

    def follow(self, links: Links) -> None:
        """Serve each subnet on the interfaces that lead to it now.

        Conditions of classes on interfaces are compiled again (`is_outdated`) if an interface has
        another number.
        """
        self.present, self.served = links.indexes(), links.served(self.names, self.engine.family)
        if not self.numbers.holds_in(self.present):
            self.numbers = InterfaceNumbers(self.present)
        self.numbers.present = self.present
        note_surroundings(self.engine, self.settings, links)
        for no, (placing, before) in self.placings.items():
            places = placing.places(self.served, self.present)
            if places != before:
                self.engine.plan.place(no, *places)
                self.placings[no] = placing, places

    @property
    def is_outdated(self) -> bool:
        return self.compiled_with is not self.numbers

    async def read_all(self, connection: Connection) -> str:
        """Perform the first reading, before there are packets, while leases are being read; the position in `change`
        from which on changes are new. Raises UnfinishedSchemaError."""
        self.compiled_with = self.numbers
        rows = await reader(connection, self.engine.family, interfaces=self.numbers)
        self.note_plan(rows)
        await self.put_in_turns(rows, START_TURN_SECONDS)
        self.report(rows.problems)
        return str(rows.rows["position"])

    async def read(self, connection: Connection, numbers: Iterable[int]) -> list[int]:
        """Read the subnets with these numbers and those of their shared networks again; remove deleted ones.

        Return the numbers of subnets with addresses that are new here, where no client is served
        until `recount` has counted them.
        """
        wanted = {mate for no in numbers for mate in self.engine.plan.wire_mates(no)}
        rows = await reader(connection, self.engine.family, wanted, self.numbers)
        self.note_plan(rows)
        for no in wanted - {row["no"] for row in rows.rows["subnets"]}:
            self.drop(no)
        fresh = await self.put_in_turns(rows, TURN_SECONDS, counted=False)
        self.report(rows.problems)
        return fresh

    def is_as_new(self, no: int, fence: int | None) -> bool:
        """Return whether the subnet is served under this fence or a later one; None: that it is gone."""
        view = self.engine.plan.subnets.get(no)
        return fence is None if view is None else fence is not None and bool(view.fence >= fence)

    async def put_in_turns(self, rows: Reader, turn: float, *, counted: bool = True) -> list[int]:
        fresh = []
        began = time.monotonic()
        self.problems[EVERYWHERE] = list(rows.problems)
        for wire in rows.wires():
            fresh += self.put(list(self.compiled(rows, wire)), counted=counted)
            if time.monotonic() - began > turn:
                await asyncio.sleep(0)
                began = time.monotonic()
        self.note_passing(rows)
        return fresh

    def compiled(self, rows: Reader, wire: Iterable[Mapping[str, Any]]) -> Iterator[CompiledSubnet]:
        """Yield the subnets of a wire; one that cannot be served at all, as a later version may write it, is left
        out."""
        for row in wire:
            before = len(rows.problems)
            try:
                yield rows.subnet(row)
            except (ValueError, TypeError, LookupError, ArithmeticError) as error:
                rows.problems.append(f"subnet {row['cidr']}: {error}")
                self.drop(row["no"])
            self.problems[row["no"]] = rows.problems[before:]
            self.note_in_use(row["no"], in_use.described(rows.in_use(row["no"])))

    def note_in_use(self, no: int, addresses: list[str]) -> None:
        if addresses:
            self.in_use[no] = addresses
        else:
            self.in_use.pop(no, None)

    def drop(self, no: int) -> None:
        self.engine.drop_subnet(no)
        for kept in (self.due, self.problems, self.placings, self.in_use):
            kept.pop(no, None)

    def unserved(self) -> list[str]:
        """Return each row of the configuration that is left out, and why."""
        return [problem for problems in self.problems.values() for problem in problems]

    def warnings(self) -> list[str]:
        """Return the same for people."""
        found = self.unserved()
        more = [f"(and {len(found) - SHOWN} more)"] if len(found) > SHOWN else []
        return [f"not served: {problem}" for problem in found[:SHOWN]] + more + self.in_use_warning()

    def in_use_warning(self) -> list[str]:
        some = [address for addresses in self.in_use.values() for address in addresses]
        return [in_use.warning(some)] if some else []

    def note_passing(self, rows: Reader) -> None:
        """Note leases that are in the way of present delegations of their subnet over some time (Reader.passing)."""
        for row in rows.rows["subnets"]:
            self.due.pop(row["no"], None)
        self.due |= dict.fromkeys(rows.passing, time.monotonic() + PASSING_SECONDS)

    def due_again(self) -> set[int]:
        now = time.monotonic()
        return {no for no, moment in self.due.items() if moment <= now}

    async def recount(self, numbers: list[int]) -> None:
        """Count in who has which address of these subnets; then they are served."""
        if not is_much(self.engine, numbers, RECOUNTED):
            recount_at_once(self.engine, numbers)
            return
        for _ in recounting(self.engine, numbers, RECOUNTED):
            await asyncio.sleep(0)

    def put(self, subnets: Iterable[CompiledSubnet], *, counted: bool = True) -> list[int]:
        """Return those of one wire at least; the numbers of those whose leases are to be counted in."""
        fresh, views = [], []
        for compiled in subnets:
            placing = Placing(compiled.network, compiled.interface)
            by_address, bound = places = placing.places(self.served, self.present)
            self.placings[compiled.view.no] = placing, places
            views.append(compiled.view)
            if self.engine.put_subnet(compiled.view, compiled.relay_addresses, by_address, counted, bound):
                fresh.append(compiled.view.no)
        self.taken_in(self.engine, views)
        return fresh

    def note_plan(self, rows: Reader) -> None:
        """Note the part of the plan that belongs to no subnet."""
        self.note_tenants(rows.tenant_names, rows.relays, rows.default_tenant)
        if self.engine.family == 6:
            set_server_id(self.engine, rows.server_duid)
            self.engine.set_linkless(rows.linkless())

    def note_tenants(self, names: dict[int, str], relays: list[TrustedRelay], default_tenant: int) -> None:
        if (names, relays, default_tenant) == (self.tenants, self.relays, self.default_tenant):
            return
        self.tenants, self.relays, self.default_tenant = names, relays, default_tenant
        own = plan_reader.own_relays(self.settings, self.engine.family)
        plan_reader.set_relays(self.engine, relays + own, default_tenant, names)

    def portions(self, numbers: Iterable[int]) -> Iterator[set[int]]:
        """Yield all subnets there are or were, some at a time."""
        everyone = sorted({*numbers, *self.engine.plan.subnets})
        for first in range(0, len(everyone) or 1, PORTION):
            yield set(everyone[first : first + PORTION])

    def report(self, problems: Iterable[str]) -> None:
        for problem in problems:
            log.warning("part of the configuration is not served", problem=problem)
