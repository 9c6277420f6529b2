"""Engine rule 24: a reading of the log costs the same after a year as on the first day, and misses nothing for it."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest
from engine.serving import Relay, Servers, cached, mac_of
from engine.site import WAIT_SECONDS, Site, Subnet, until
from lease_year import YEAR

from dhcp_fast.database.leases import log_bounds
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.log_bounds import UNBOUNDED, LogBounds
from dhcp_fast.server.serving import Serving
from ipam_core.db import queries
from ipam_core.db.connect import connect

MAC = mac_of(1)
DAY = 86_400_000_000
SQL = queries.load("dhcp_feed")


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same course in less time."""
    monkeypatch.setattr(log_bounds, "LOOK_SECONDS", 0.0)


async def read(bounds: LogBounds, connection: asyncpg.Connection, cursor: int, days: float = 0) -> Any:
    """What a reading does, by a clock that is some days ahead: its bounds, and where the next one begins."""
    position = dict(await SQL.read_position(connection))
    position["clock"] += int(days * DAY)
    return await bounds.around(connection, cursor, position), int(position["xmin"])


async def first_bounds(connection: asyncpg.Connection) -> tuple[LogBounds, int]:
    bounds, cursor = LogBounds(), 0
    found = UNBOUNDED
    while found == UNBOUNDED:
        found, cursor = await read(bounds, connection, cursor)
    return bounds, cursor


async def plan_of(connection: asyncpg.Connection, bounds: tuple[datetime, datetime]) -> set[str]:
    """The partitions that the feed's query opens, its values written as COPY writes them."""
    values = ["100", "200", "1", *(moment.isoformat() for moment in bounds), "4"]
    query = re.sub(r"\$(\d)", lambda found: f"'{values[int(found[1]) - 1]}'", SQL.copy_events.sql)
    rows = await connection.fetch(f"explain {query}")
    return set(re.findall(r"lease_event_\d{8}\b", "\n".join(row[0] for row in rows)))


async def test_a_reading_opens_a_few_days(database: str, restless: None) -> None:
    connection = await connect(database)
    await connection.execute(YEAR)
    bounds, cursor = await first_bounds(connection)
    around, _ = await read(bounds, connection, cursor)
    assert 1 <= len(await plan_of(connection, around)) <= 2
    forever = datetime(1990, 1, 1), datetime(2100, 1, 1)
    assert len(await plan_of(connection, forever)) > 400
    await connection.close()


async def test_a_transaction_that_stays_open_holds_the_bound(database: str, restless: None) -> None:
    """It has no number, so that no cursor waits for it; when it writes at last, its event bears its beginning.
    Transactions of other tests keep the cursor and the rounds waiting too, for as long as they run."""
    one, other = await connect(database), await connect(database)
    bounds, cursor = await first_bounds(one)
    await other.execute("set idle_in_transaction_session_timeout = 0; begin")
    began = await other.fetchval("select now()")
    for day in range(8):
        (since, _), cursor = await read(bounds, one, cursor, day)
        assert since <= began - log_bounds.MARGIN
    written = int(await other.fetchval("select pg_current_xact_id()::text"))
    await other.execute("commit")
    day = 8
    async with asyncio.timeout(WAIT_SECONDS):
        while since <= began + timedelta(days=5):
            before = cursor
            (since, until_), cursor = await read(bounds, one, before, day)
            if before <= written:
                assert since <= began < until_
            day += 1
            await asyncio.sleep(0.01)
    assert cursor > written
    await one.close()
    await other.close()


async def test_transactions_with_numbers_above_the_cursor_are_waited_for(
    database: str, restless: None
) -> None:
    """One that is over stands above the cursor as long as an older one keeps that where it is."""
    one, holder, writer = [await connect(database) for _ in range(3)]
    bounds, cursor = await first_bounds(one)
    await holder.execute("set idle_in_transaction_session_timeout = 0; begin; select pg_current_xact_id()")
    await writer.execute("begin")
    began = await writer.fetchval("select now()")
    (_, _), cursor = await read(bounds, one, cursor)
    written = int(await writer.fetchval("select pg_current_xact_id()::text"))
    await writer.execute("commit")
    for day in range(6):
        (since, _), cursor = await read(bounds, one, cursor, day)
        assert cursor <= written
        assert since <= began
    await holder.execute("commit")
    for session in (one, holder, writer):
        await session.close()


async def test_a_clock_that_goes_back_lifts_the_bounds(database: str, restless: None) -> None:
    """What is written from then on bears times that were bounded away."""
    connection = await connect(database)
    bounds, cursor = await first_bounds(connection)
    _, cursor = await read(bounds, connection, cursor, 0)
    found, cursor = await read(bounds, connection, cursor, -3)
    assert found == UNBOUNDED
    while found == UNBOUNDED:
        found, cursor = await read(bounds, connection, cursor, -3)
    now = await connection.fetchval("select now()")
    assert found[0] < now - timedelta(days=3) < found[1] < now
    await connection.close()


async def test_a_server_learns_what_a_long_transaction_wrote(
    servers: Servers, site: Site, subnet: Subnet, restless: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the margin, so that the bound itself is seen at work."""
    monkeypatch.setattr(log_bounds, "MARGIN", timedelta())
    server = await servers.start()
    ack = await Relay.of(server, subnet).lease(MAC)
    await until("bounded", lambda: bounded(server))
    other = await connect(servers.dsn)
    async with other.transaction():
        began = await other.fetchval("select (extract(epoch from now()) * 1000000)::bigint")
        release = queries.load("lease").release_lease
        assert await release(other, tenant_no=site.tenant_no, address=ack.yiaddr) == 1
        read_at = server.last_feed
        await until("read on", lambda: server.last_feed > read_at + 1_500_000)
        assert (server.feed.bounds.since or 0) <= began
    version = (await site.lease(ack.yiaddr))["version"]
    await until("known", lambda: (cached(server, site.tenant_no, ack.yiaddr) or {}).get("version") == version)
    await until("bounded again", lambda: (server.feed.bounds.since or 0) > began)
    await other.close()


def bounded(server: Serving) -> bool:
    return server.feed.bounds.since is not None


async def test_who_was_asleep_for_a_day_reads_everything_anew(relay: Relay, server: Serving) -> None:
    """The days that it has not read may be forgotten by now."""
    await relay.lease(MAC)
    feed: LeaseFeed = server.feed
    async with server.connections.plan.acquire() as connection:
        assert await feed.read(connection)
        feed.bounds.clock -= 2 * DAY
        assert not await feed.read(connection)
    feed.bounds.clock = 1
    await until("read anew", lambda: feed.bounds.clock > DAY)
    assert not server.not_ready()
