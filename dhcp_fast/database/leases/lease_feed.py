"""Feed of what other servers did: the reader of `lease_event` (engine rule 15).

A reading takes the transactions from the cursor up to the oldest one still running; feed_age.py has
the moment up to which that is complete.

If the cluster, its timeline or the table has changed, or versions went backwards (a promotion, a
restore), transaction numbers mean nothing any more. All leases are then loaded again while clients
are served; an entry of the cache counts until its row has been read. A lease that was acknowledged
but is missing in the database is kept for its client until it expires, and written again when the
client returns (engine rule 26).
"""

import asyncio
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import structlog
from asyncpg import Connection, Pool

from dhcp_fast.database.leases.feed_age import Horizon
from dhcp_fast.database.leases.initial_load import LAST_PAGE, load_leases
from dhcp_fast.database.leases.log_bounds import POSTGRES_EPOCH_MICROSECONDS, LogBounds
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.engine.recount import doubting, sweeping
from ipam_core.db import queries

PAGES = 64  # about 2,500 rows
REST = 4.0  # times as long as the reading of these takes
SWEPT = 65_536  # entries a turn

log = structlog.get_logger()


class LeaseFeed:
    """Feed that keeps the engine's cache in step with the database: `load`, then `read` some times a second.

    A reading that raises (one of AWAY, usually) leaves the cursor where it was, so that the next one repeats it; rows
    that were taken already change nothing then.
    """

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
        self.next_page: int | None = None  # of the lease table, to be read in full; None: all are
        self.pages = 1
        self.address = IPv4Address if engine.family == 4 else IPv6Address

    async def load(self, connection: Connection, dsn: str | None = None) -> None:
        """Load all leases, and the cursor to continue from. With the database's `dsn` in brief, over connections of its
        own; `read_pages` then reads what that leaves out."""
        position = await self.read_position(connection)
        again = self.history != ""
        for _ in doubting(self.engine, SWEPT) if again else ():
            await asyncio.sleep(0)
        if dsn is None:
            self.rows += await self.copy(
                connection,
                self.queries.copy_leases.sql,
                "(0,0)",
                f"({LAST_PAGE},0)",
                self.engine.family,
                in_bulk=True,
            )
        else:
            self.rows += await load_leases(dsn, connection, self.engine)
        if again:
            await self.sweep()
        self.next_page = None if dsn is None else 0
        self.cursor, self.history, self.version = position["xmin"], position["history"], position["version"]
        self.horizon = Horizon()
        self.bounds = LogBounds()

    async def sweep(self) -> None:
        """Sweep after a load beside which clients were served: report entries that are not in the database."""
        held = 0
        for some in sweeping(self.engine, SWEPT):
            held += some
            await asyncio.sleep(0)
        if held:
            log.warning(
                "acknowledged leases are missing in the database; keeping them for their clients", leases=held
            )

    @property
    def pages_to_read(self) -> int:
        """Number of pages of the lease table to read; at least 1 until the last one is read in full."""
        return 0 if self.next_page is None else max(self.pages - self.next_page, 1)

    async def backfill(self, pool: Pool) -> None:
        """Load the data that `load` left out, a little at a time, so that packets are hardly delayed.

        A database of another history waits until `load` has noticed the change, because the bit of
        a row (engine rule 21) counts at once.
        """
        while self.next_page is not None:
            async with pool.acquire() as connection:
                began = time.monotonic()
                if not await self.is_of(connection):
                    return
                await self.read_pages(connection)
            await asyncio.sleep((time.monotonic() - began) * REST)

    async def read_pages(self, connection: Connection) -> bool:
        """Return some pages' rows in full; False when all are read. One that was written meanwhile is known already.
        Where two read at once, or the table is loaded anew meanwhile, the other's position counts."""
        first = self.next_page
        if first is None:
            return False
        self.pages = (await self.queries.measure_leases(connection))["pages"]
        last = first + PAGES
        await self.copy(
            connection,
            self.queries.copy_leases.sql,
            f"({first},0)",
            f"({last},0)",
            self.engine.family,
            in_bulk=True,
        )
        if self.next_page == first:
            self.next_page = last if last <= self.pages else None
        return self.next_page is not None

    async def read(self, connection: Connection) -> bool:
        """Return what was committed since the last reading. False: the database's history is another one, or goes back
        no further than to a later reading; `load` anew."""
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
            self.rows += await self.copy(
                connection, self.queries.copy_events.sql, *window, *bounds, self.engine.family
            )
        self.cursor = position["xmin"]
        known = self.horizon.note(before, int(position["xmin"]), int(position["xmax"]))
        self.engine.note_feed_read(known)
        return True

    async def is_of(self, connection: Connection) -> bool:
        """Return whether the cache is of this database's history."""
        return bool((await self.queries.read_position(connection))["history"] == self.history)

    async def read_position(self, connection: Connection) -> Any:
        """Return the current end of the log: a row of `history`, `version`, `xmin` and `xmax` (as
        text), and `clock` (microseconds since 1970), which also sets the engine's clock.
        """
        before = boot_clock()
        position = await self.queries.read_position(connection)
        self.engine.set_clock(position["clock"] - POSTGRES_EPOCH_MICROSECONDS, before, boot_clock())
        return position

    async def read_rows(self, connection: Connection, keys: list[tuple[int, Any]]) -> None:
        """Read the rows of these (tenant_no, address), as far as there are any."""
        tenants, addresses = [key[0] for key in keys], [key[1] for key in keys]
        await self.copy(connection, self.queries.copy_rows.sql, tenants, addresses)

    async def read_subnet(self, connection: Connection, tenant_no: int, first: int, last: int) -> None:
        """Read all rows from one address to another, both as numbers."""
        span = self.address(first), self.address(last)
        await self.copy(connection, self.queries.copy_subnet.sql, tenant_no, *span, in_bulk=True)

    async def read_subnets(self, connection: Connection, numbers: Iterable[int]) -> None:
        """Read the rows of these subnets, of those that the engine serves."""
        for no in numbers:
            view = self.engine.plan.subnets.get(no)
            for span in [] if view is None else view.spans:
                await self.read_subnet(connection, *span)

    async def read_vacant(self, connection: Connection, tenant_no: int, first: int, last: int) -> None:
        """Read the rows of a subnet that anybody may have by now."""
        span = self.address(first), self.address(last)
        await self.copy(connection, self.queries.copy_vacant.sql, tenant_no, *span, in_bulk=True)

    async def copy(self, connection: Connection, query: str, *arguments: Any, in_bulk: bool = False) -> int:
        """Return the rows of a query of dhcp_feed into the cache; how many. `in_bulk`: among so many that packets
        should not wait for each of them. Raises ValueError where they are not as copy_leases has them."""
        reader = RowReader(self.engine, in_bulk)
        await connection.copy_from_query(
            query.rstrip().rstrip(";"), *arguments, output=reader.take, format="binary"
        )
        return int(reader.count)
