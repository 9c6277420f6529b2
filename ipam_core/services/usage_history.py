"""History of the usage of subnets and pools: samples of the counted figures, for graphs.

Every API process tries every half a minute; the first one in each five minutes takes the sample, one statement that
writes a row for each object whose figures have changed. Old rows are thinned out, a moment a transaction: after two
days to one an hour, after a month to one a day, each with the peak of those that it stands for; after two years they
go.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.outage import FAILED, reason
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.ids import parse_id
from ipam_core.model.usage_history import (
    SAMPLE_SECONDS,
    Figures,
    UsageHistory,
    fit_step,
    parse_step,
    period_of,
    series,
    shown,
)
from ipam_core.model.values import parse_instant
from ipam_core.services.entity.entity import Connection, Filter
from ipam_core.services.entity.lists import read_filter

SQL = queries.load("usage_history")

LOOK_SECONDS = 30.0
PAUSE = 0.1
THINNING_SECONDS = 20.0  # of half a minute at most
STRAY_LOOKS = 120  # once an hour
BATCH = 5000
DEFAULT_SPAN = timedelta(days=1)


class Level(NamedTuple):
    """Level of thinning: older rows become one row a period; None: nothing older is kept but one row."""

    age: timedelta
    period: timedelta | None


LEVELS = (
    Level(timedelta(days=2), timedelta(hours=1)),
    Level(timedelta(days=31), timedelta(days=1)),
    Level(timedelta(days=731), None),
)
FILTERS = {
    "since": Filter("", parse_instant),
    "until": Filter("", parse_instant),
    "step": Filter("", parse_step),
}

log = structlog.get_logger()


# --- writing


async def keep(pool: asyncpg.Pool) -> None:
    """Sample and thin out, and goes on when the database is away; what fails is said once."""
    said, looks = "", 0
    while True:
        looks += 1
        try:
            async with pool.acquire() as connection:
                await take_sample(connection)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(THINNING_SECONDS):
                    await thin_all(pool)
            if looks % STRAY_LOOKS == 0:
                await forget_objects(pool)
            said = ""
        except FAILED as error:
            if str(error) != said:
                log.warning("the usage history could not be stored", error=reason(error))
            said = str(error)
        await asyncio.sleep(LOOK_SECONDS)


async def take_sample(connection: Connection) -> int | None:
    """Return how many rows it has; None when these five minutes have theirs."""
    row: Any = await SQL.take_sample(connection, every=timedelta(seconds=SAMPLE_SECONDS))
    return None if row["sampled_at"] is None else int(row["made"])


async def thin_all(pool: asyncpg.Pool) -> None:
    for level in LEVELS:
        more = True
        while more:
            async with pool.acquire() as connection:
                more = await thin(connection, level)
            if more:
                await asyncio.sleep(PAUSE)


async def thin(connection: Connection, level: Level) -> bool:
    """Thin out the rows of one moment; False when nothing is old enough any more, or another process is at it."""
    period = level.period or timedelta()
    async with connection.transaction():
        if not await SQL.try_thinning(connection):
            return False
        found = await SQL.next_moment(
            connection, period=period or timedelta(days=1), mark=period, age=level.age
        )
        if found is None:
            return False
        if level.period is None:
            await SQL.forget_before(connection, moment=found["at"])
        else:
            await SQL.thin(connection, moment=found["at"], begins=found["begins"])
        await SQL.set_mark(connection, period=period, moment=found["at"])
    return True


async def forget_objects(pool: asyncpg.Pool) -> None:
    """Delete rows of subnets and pools that no longer exist."""
    gone = BATCH
    while gone == BATCH:
        async with pool.acquire() as connection:
            gone = await SQL.forget_objects(connection, at_most=BATCH)
        await asyncio.sleep(PAUSE)


# --- reading


async def of_subnet(connection: Connection, actor: Actor, id_: str, query: Mapping[str, str]) -> UsageHistory:
    """Return how full a subnet was. Raises NotFound, and ValidationError for a parameter."""
    return await read(connection, actor, id_, query, "subnet")


async def of_pool(connection: Connection, actor: Actor, id_: str, query: Mapping[str, str]) -> UsageHistory:
    """Return how full a pool was. Raises NotFound, and ValidationError for a parameter."""
    return await read(connection, actor, id_, query, "pool")


async def read(
    connection: Connection, actor: Actor, id_: str, query: Mapping[str, str], object_type: str
) -> UsageHistory:
    asked = read_query(query)
    find = getattr(SQL, f"find_{object_type}")
    key = await find(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if key is None:
        raise NotFound(object_type, id_)
    until = asked.get("until") or datetime.now(UTC)
    since = asked.get("since") or until - min(DEFAULT_SPAN, until - datetime.min.replace(tzinfo=UTC))
    step = fit_step(since, until, asked.get("step"))
    first, known = period_of(since, step), await SQL.sampled_at(connection)
    before = await SQL.before(connection, **key, since=first)
    rows = SQL.by_period(connection, **key, step=timedelta(seconds=step), since=first, until=until)
    changes = {row["begins"]: figures(row) async for row in rows}
    end = min(until, known + timedelta(microseconds=1)) if known else first
    points = series(before and figures(before), changes, first, end, step)
    return shown(since, until, step, points)


def read_query(query: Mapping[str, str]) -> dict[str, Any]:
    """Raise ValidationError for a parameter that is unknown or cannot be read."""
    for name in query:
        if name not in FILTERS:
            raise ValidationError(name, "is not a query parameter of this operation")
    return {name: read_filter(name, FILTERS[name], text) for name, text in query.items()}


def figures(row: Mapping[str, Any]) -> Figures:
    return Figures(row["at"], row["leased"], int(row["total"]), int(row["used"]), int(row["peak"]))
