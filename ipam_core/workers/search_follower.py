"""Follower that copies leases and objects into the tables by which parts of their names and MACs are found (decisions:
Search).

The logs only tell what was touched; what is to be found of it is then read from the tables themselves, so a reading may
be repeated. A build reads all leases and objects in steps of their own, while what there is stays in use: the first one
of a database, one after a promotion or a restore, and one that an operator asks for. Whoever comes first reads; the
others find nothing to do.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from ipaddress import IPv4Address
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from ipam_core.db import queries
from ipam_core.model.search_texts import findable, grams
from ipam_core.model.values import parse_address
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("search_follower")
DDNS = queries.load("ddns")

AT_ONCE = 2000  # leases or objects of one step of a build
TYPES = tuple(re.findall(r"select '(\w+)'", queries.fragment("search_source")))
STEPS = ("lease", *TYPES)
FIRST_LEASE = (0, IPv4Address(0))
FIRST_OBJECT = UUID(int=0)


class Snapshot(NamedTuple):
    """A moment, and the first transaction that had not begun by then."""

    at: datetime
    xmax: int


class Progress(NamedTuple):
    """Progress of a build: the next type, and the key behind which it continues; None: nothing is built."""

    building: str | None
    built_to: str


class Reading(NamedTuple):
    """`looked`: transactions below it were read; `builds`: a build has further steps."""

    history: str
    looked: int
    builds: bool


class SearchFollower:
    """`step` by any worker."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.written = 0  # leases and objects whose texts this process wrote
        self.looked = 0  # transactions below it are done, or meant nothing
        self.history = ""
        self.snapshot: Snapshot | None = None

    async def step(self) -> bool:
        """Read what was committed since the last reading of any worker, and a step of a build. True: it goes on."""
        async with self.pool.acquire() as connection:
            news = await SQL.news(connection, since=str(self.looked))
            if not news["logged"] and news["history"] == self.history:
                self.looked = int(news["xmin"])
                return False
            async with connection.transaction():
                found = await self.read(connection)
            # Only after the COMMIT: events of a failed transaction are read again.
            self.history, self.looked = found.history, found.looked
            return found.builds

    async def read(self, connection: Connection) -> Reading:
        cursor = await SQL.lock_cursor(connection)
        if cursor is None:
            await SQL.begin_cursor(connection)
            return Reading(self.history, self.looked, builds=False)
        news = await SQL.news(connection, since=cursor["xid"])
        progress = Progress(cursor["building"], cursor["built_to"])
        as_of = cursor["as_of"]
        if cursor["history"] != news["history"]:
            progress, as_of = Progress("", ""), None
        elif int(cursor["xid"]) < int(news["xmin"]):
            await DDNS.take_time(connection)
            window = {"since": cursor["xid"], "until": news["xmin"]}
            await self.follow(connection, window, cursor["since"])
        if progress.building is not None:
            progress = await self.build(connection, progress)
        await SQL.set_cursor(
            connection,
            history=news["history"],
            xid=news["xmin"],
            as_of=self.moment(news, as_of, first=progress.building is not None and as_of is None),
            building=progress.building,
            built_to=progress.built_to,
        )
        return Reading(news["history"], int(news["xmin"]), builds=progress.building is not None)

    def moment(self, news: Row, as_of: datetime | None, *, first: bool) -> datetime | None:
        """Return up to when all that was committed is in the tables: a snapshot all of whose transactions are done by
        now. Until a first build is done it is unknown."""
        done = self.snapshot if self.snapshot and self.snapshot.xmax <= int(news["xmin"]) else None
        if self.snapshot is None or done is not None:
            self.snapshot = Snapshot(news["now"], int(news["xmax"]))
        if first:
            return None
        if int(news["xmin"]) >= int(news["xmax"]):
            done = Snapshot(news["now"], int(news["xmax"]))
        return max(filter(None, (as_of, done and done.at)), default=None)

    async def follow(self, connection: Connection, window: dict[str, str], since: datetime) -> None:
        await self.write_leases(
            connection, await rows_of(SQL.touched_leases(connection, **window, began=since))
        )
        ids = [row["id"] async for row in SQL.touched_objects(connection, **window, types=list(TYPES))]
        if ids:
            found = await rows_of(SQL.objects(connection, ids=ids))
            gone = set(ids) - {row["id"] for row in found}
            await self.write_objects(connection, found, gone)

    async def build(self, connection: Connection, progress: Progress) -> Progress:
        """Return one step; return the next one."""
        await DDNS.take_time(connection)
        kind = progress.building or STEPS[0]
        if kind == "lease":
            behind = await self.build_leases(connection, progress.built_to)
        else:
            behind = await self.build_objects(connection, kind, progress.built_to)
        if behind is not None:
            return Progress(kind, behind)
        later = STEPS[STEPS.index(kind) + 1 :]
        return Progress(later[0] if later else None, "")

    async def build_leases(self, connection: Connection, built_to: str) -> str | None:
        """Return the key behind which to go on; None: there are no more."""
        number, _, text = built_to.partition(" ")
        begin = (int(number), parse_address(text)) if text else FIRST_LEASE
        key = {"tenant_no": begin[0], "address": begin[1]}
        rows = await rows_of(SQL.next_leases(connection, **key, at_most=AT_ONCE))
        await self.write_leases(connection, rows)
        last = rows[-1] if len(rows) == AT_ONCE else None
        await SQL.forget_leases(
            connection,
            **key,
            to_tenant_no=last["tenant_no"] if last else None,
            to_address=last["address"] if last else None,
        )
        return f"{last['tenant_no']} {last['address']}" if last else None

    async def build_objects(self, connection: Connection, kind: str, built_to: str) -> str | None:
        begin = UUID(built_to) if built_to else FIRST_OBJECT
        rows = await rows_of(SQL.next_objects(connection, type=kind, id=begin, at_most=AT_ONCE))
        await self.write_objects(connection, rows, ())
        last = rows[-1]["id"] if len(rows) == AT_ONCE else None
        kept = [row["id"] for row in rows]
        await SQL.forget_objects(connection, type=kind, id=begin, to_id=last, kept=kept)
        return str(last) if last else None

    async def write_leases(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write the search texts of leases that differ from the stored ones."""
        told = [(row, folded((row["hostname"], digits(row["hw_address"])))) for row in rows]
        changed = [(row["tenant_no"], row["address"], texts) for row, texts in told if texts != row["texts"]]
        put = [(*key, texts, grams(texts)) for *key, texts in changed if any(texts)]
        gone = [key for *key, texts in changed if not any(texts)]
        if put:
            await SQL.put_leases(connection, rows=put)
        if gone:
            tenants, addresses = zip(*gone, strict=True)
            await SQL.drop_leases(connection, tenants=list(tenants), addresses=list(addresses))
        self.written += len(changed)

    async def write_objects(self, connection: Connection, rows: Sequence[Row], gone: Iterable[UUID]) -> None:
        told = [(row, folded(row["fields"])) for row in rows]
        put = [
            (row["id"], row["type"], texts, grams(texts))
            for row, texts in told
            if any(texts) and texts != row["texts"]
        ]
        if put:
            await SQL.put_objects(connection, rows=put)
        empty = [row["id"] for row, texts in told if not any(texts) and row["texts"] is not None]
        if dropped := [*gone, *empty]:
            await SQL.drop_objects(connection, ids=dropped)
        self.written += len(put) + len(dropped)


async def rows_of(found: Any) -> list[Row]:
    return [row async for row in found]


def folded(fields: Iterable[str | None]) -> list[str]:
    return [findable(field) for field in fields]


def digits(hw_address: bytes | None) -> str:
    """Return the digits of a MAC; other kinds of hardware addresses are searched like one."""
    return hw_address.hex() if hw_address else ""
