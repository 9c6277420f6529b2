"""What others did: the readers of `lease_event` and `change` (engine rules 15 and 20).

A reading takes the transactions from the cursor up to the oldest one still running. What is visible then is complete
only up to the moment when that oldest one had not begun; `Horizon` remembers the moments, so that "how old is what we
know" is answered truthfully even while a long transaction holds everything up.

When the cluster, its timeline or the table is another one than before, or versions went back (a promotion, a restore),
transaction numbers mean nothing any more and all is loaded again, while clients are served: what the cache holds counts
until its row has been seen. A lease that was acknowledged and that the database knows no more is held for its client
until its end, and written again when that asks (engine rule 26).
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from ipaddress import IPv4Address
from typing import Any, NamedTuple

import structlog
from asyncpg import Connection, Pool

from dhcp_fast.database.initial_load import LAST_PAGE, load_leases
from dhcp_fast.database.log_bounds import LogBounds
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.engine.recount import doubting, sweeping
from ipam_core.db import queries

POSTGRES_EPOCH_MICROSECONDS = 946_684_800_000_000
MOMENTS = 4096
PAGES = 64  # about 2,500 rows
REST = 4.0  # times as long as the reading of these takes
SWEPT = 65_536  # entries a turn

log = structlog.get_logger()


class Horizon:
    """At which moment was everything begun before it visible? Moments are microseconds of the boot clock."""

    def __init__(self) -> None:
        self.moments: deque[tuple[int, int]] = deque(maxlen=MOMENTS)
        self.known = 0

    def note(self, moment: int, xmin: int, xmax: int) -> int:
        """A snapshot drawn not before `moment`; the latest moment whose transactions have all ended."""
        self.moments.append((xmax, moment))
        while self.moments and self.moments[0][0] <= xmin:
            self.known = self.moments.popleft()[1]
        return self.known


class LeaseFeed:
    """Keeps the engine's cache in step with the database."""

    def __init__(self, engine: Engine, node_no: int) -> None:
        self.engine = engine
        self.node_no = node_no
        self.queries = queries.load("dhcp_feed")
        self.cursor = "0"
        self.history = ""
        self.version = 0  # the last that was given to a row, as read last
        self.horizon = Horizon()
        self.bounds = LogBounds()
        self.rows = 0
        self.untold: int | None = None
        self.pages = 1

    async def load(self, connection: Connection, dsn: str | None = None) -> None:
        """Everything, and the cursor from which to go on. With the database's `dsn` in brief, over connections of its
        own; `tell_more` then tells what that leaves out."""
        position = await self.read_position(connection)
        again = self.history != ""
        for _ in doubting(self.engine, SWEPT) if again else ():
            await asyncio.sleep(0)
        if dsn is None:
            self.rows += await self.copy(
                connection, self.queries.copy_leases.sql, "(0,0)", f"({LAST_PAGE},0)", in_bulk=True
            )
        else:
            self.rows += await load_leases(dsn, connection, self.engine)
        if again:
            await self.sweep()
        self.untold = None if dsn is None else 0
        self.cursor, self.history, self.version = position["xmin"], position["history"], position["version"]
        self.horizon = Horizon()
        self.bounds = LogBounds()

    async def sweep(self) -> None:
        """After a load beside which clients were served: say what is known here and not there."""
        held = 0
        for some in sweeping(self.engine, SWEPT):
            held += some
            await asyncio.sleep(0)
        if held:
            log.warning(
                "leases that were acknowledged are lost in the database; held for their clients", leases=held
            )

    @property
    def pages_untold(self) -> int:
        """Of the lease table; at least 1 until the last one is told."""
        return 0 if self.untold is None else max(self.pages - self.untold, 1)

    async def tell_rest(self, pool: Pool) -> None:
        """What `load` left out, a little at a time, so that packets hardly notice."""
        while self.untold is not None:
            async with pool.acquire() as connection:
                began = time.monotonic()
                await self.tell_more(connection)
            await asyncio.sleep((time.monotonic() - began) * REST)

    async def tell_more(self, connection: Connection) -> bool:
        """Some pages' rows in full; False when all are told. A row that was written meanwhile is told already."""
        if self.untold is None:
            return False
        self.pages = (await self.queries.measure_leases(connection))["pages"]
        first, last = self.untold, self.untold + PAGES
        await self.copy(connection, self.queries.copy_leases.sql, f"({first},0)", f"({last},0)", in_bulk=True)
        self.untold = last if last <= self.pages else None
        return self.untold is not None

    async def read(self, connection: Connection) -> bool:
        """What was committed since the last reading. False: the database's history is another one, or goes back no
        further than to a later reading; `load` anew."""
        before = boot_clock()
        position = await self.read_position(connection)
        if position["history"] != self.history or position["version"] < self.version:
            return False
        if self.bounds.was_asleep(position["clock"]):
            return False
        self.version = position["version"]
        bounds = await self.bounds.around(connection, int(self.cursor), position)
        if position["xmin"] != self.cursor:
            window = self.cursor, position["xmin"], self.node_no
            self.rows += await self.copy(connection, self.queries.copy_events.sql, *window, *bounds)
        self.cursor = position["xmin"]
        known = self.horizon.note(before, int(position["xmin"]), int(position["xmax"]))
        self.engine.note_feed_read(known)
        return True

    async def is_of(self, connection: Connection) -> bool:
        """Whether the cache is of this database's history."""
        return bool((await self.queries.read_position(connection))["history"] == self.history)

    async def read_position(self, connection: Connection) -> Any:
        """Where the log stands; the database's clock is taken along."""
        before = boot_clock()
        position = await self.queries.read_position(connection)
        self.engine.set_clock(position["clock"] - POSTGRES_EPOCH_MICROSECONDS, before, boot_clock())
        return position

    async def read_rows(self, connection: Connection, keys: list[tuple[int, Any]]) -> None:
        """The rows of these (tenant_no, address)."""
        tenants, addresses = [key[0] for key in keys], [key[1] for key in keys]
        await self.copy(connection, self.queries.copy_rows.sql, tenants, addresses)

    async def read_subnet(self, connection: Connection, tenant_no: int, first: int, last: int) -> None:
        span = IPv4Address(first), IPv4Address(last)
        await self.copy(connection, self.queries.copy_subnet.sql, tenant_no, *span, in_bulk=True)

    async def read_subnets(self, connection: Connection, numbers: Iterable[int]) -> None:
        """The rows of these subnets, of those that the engine serves."""
        for no in numbers:
            view = self.engine.plan.subnets.get(no)
            if view is not None:
                await self.read_subnet(connection, *view.span)

    async def read_vacant(self, connection: Connection, tenant_no: int, first: int, last: int) -> None:
        """The rows of a subnet that anybody may have by now."""
        span = IPv4Address(first), IPv4Address(last)
        await self.copy(connection, self.queries.copy_vacant.sql, tenant_no, *span, in_bulk=True)

    async def copy(self, connection: Connection, query: str, *arguments: Any, in_bulk: bool = False) -> int:
        reader = RowReader(self.engine, in_bulk)
        await connection.copy_from_query(
            query.rstrip().rstrip(";"), *arguments, output=reader.take, format="binary"
        )
        return int(reader.count)


class Changes(NamedTuple):
    """What a reading of the log found; `bound` and `above` are where the next one goes on."""

    subnets: set[int]
    relays: bool
    everything: bool
    bound: str
    above: set[int]


class PlanFeed:
    """Which subnets changed, and whether something changed that concerns all.

    A change is served as soon as it can be seen. The window only says from where to read again: rows of transactions
    that began after one that is still running are remembered by their number, so that each is taken once.
    """

    def __init__(self) -> None:
        self.queries = queries.load("dhcp_plan")
        self.cursor = "0"
        self.above: set[int] = set()

    async def read(self, connection: Connection) -> Changes:
        """What was committed since the last reading that was `served`."""
        bound = (await self.queries.read_plan_position(connection))["xmin"]
        rows = [row async for row in self.queries.read_changes(connection, cursor=self.cursor, bound=bound)]
        fresh = [row for row in rows if row["no"] not in self.above]
        subnets = {row["subnet_no"] for row in fresh if row["subnet_no"] is not None}
        others = {row["object_type"] for row in fresh if row["subnet_no"] is None}
        above = {row["no"] for row in rows if row["is_above"]}
        return Changes(subnets, "trusted_relay" in others, bool(others & WIDE), bound, above)

    def begin(self, position: str) -> None:
        """All that was committed below the position is in the engine."""
        self.cursor, self.above = position, set()

    def served(self, changes: Changes) -> None:
        """They are in the engine now; not before, because the database may go away between the two."""
        self.cursor, self.above = changes.bound, changes.above


# A change of one of these may concern every subnet.
WIDE = {"tenant", "client_class", "dhcp_option", "option", "option_definition"}
