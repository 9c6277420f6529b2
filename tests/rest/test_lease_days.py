"""Questions to a lease history of many days: which of them are opened, and that the answer is the same."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.db.lease_days import close_days
from ipam_core.model.actor import Actor
from ipam_core.services import lease_events, lease_walk
from ipam_core.services.lease_events import Question
from ipam_core.services.lease_walk import DAY, Day, Stretch, stretches

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=3)
DAYS = 30
MAC = bytes.fromhex("020000000001")
EVENT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key, hw_address, client_id, duid, hostname)
values ($1, pg_current_xact_id(), $2, $1, $1::timestamptz + $3::interval, $1, $4, 1, 32, 0, $5::"char", 'a', $6,
        '\\x0101', $7,
        '\\x01' || $7::bytea, '\\x0002' || $7::bytea, 'Host-' || encode($7::bytea, 'hex'))"""
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address)
values ($1, $1, $1::timestamptz + $2::interval, $1::timestamptz + $2::interval, 1, 1, 1, 32, 'a', $3, '\\x0101', 1,
        $4)"""
HOURS, MONTH = timedelta(hours=12), timedelta(days=31)


async def write(
    pool: asyncpg.Pool, days: float, ip: str, kind: str = "g", lasts: timedelta = HOURS, **others: Any
) -> None:
    """An event so many days before noon; its version rises with time."""
    at = NOON - timedelta(days=days)
    values = others.get("tenant_no", 1), kind, ip_address(ip), others.get("mac", MAC)
    await pool.execute(EVENT, at, int((DAYS - days) * 1000), lasts, *values)


def day(days: float) -> str:
    return (NOON - timedelta(days=days)).strftime("%Y%m%d")


def moment(days: float) -> str:
    return (NOON - timedelta(days=days)).isoformat().replace("+00:00", "Z")


@pytest.fixture
async def history(pool: asyncpg.Pool) -> asyncpg.Pool:
    """A month of days; each has others' leases."""
    for n in range(-3, DAYS):
        await pool.execute("select make_lease_event_partition($1)", (NOON - timedelta(days=n)).date())
        await write(pool, n + 0.1, "10.0.9.9", mac=b"\x02\0\0\0\x09\x09")
    return pool


async def close(pool: asyncpg.Pool) -> None:
    """Look after days that are over, when the test has written its story."""
    async with pool.acquire() as connection:
        assert await close_days(connection)


class Opened:
    """Which days the statements of a question have read."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.counts: dict[str, int] = {}

    async def look(self) -> set[str]:
        """Since the last look."""
        sessions = [await self.pool.acquire() for _ in range(self.pool.get_size())]
        for session in sessions:
            await session.execute("select pg_stat_force_next_flush()")
            await self.pool.release(session)
        rows = await self.pool.fetch(
            "select relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_all_tables"
            " where relname ~ '^lease_event_[0-9]{8}$'"
        )
        now = {row["relname"][-8:]: row["scans"] for row in rows}
        opened = {name for name, count in now.items() if count > self.counts.get(name, 0)}
        self.counts = now
        return opened


async def found(client: httpx.AsyncClient, **params: Any) -> list[str]:
    """The days of the events that are found, of all pages."""
    told: list[str] = []
    while True:
        answer = await client.get("/lease-events", params=params)
        assert answer.status_code == 200, answer.text
        told += [re.sub("[^0-9]", "", event["at"])[:8] for event in answer.json()["items"]]
        if answer.json()["next_cursor"] is None:
            return told
        params["cursor"] = answer.json()["next_cursor"]


@pytest.fixture(params=["open", "closed"])
async def state(request: pytest.FixtureRequest) -> str:
    """Whether days that are over have been looked after: answers are the same."""
    return str(request.param)


@pytest.fixture
async def settle(history: asyncpg.Pool, state: str) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        if state == "closed":
            await close(history)

    return run


async def test_where_a_client_was(admin: httpx.AsyncClient, history: asyncpg.Pool, settle: Any) -> None:
    for days, ip in ((20, "10.0.0.1"), (11, "10.0.0.2"), (10.9, "10.0.0.2"), (0, "10.0.0.3")):
        await write(history, days, ip)
    await write(history, -2.9, "10.0.0.4")  # today, or yesterday's evening
    await settle()
    days = [day(-2.9), day(0), day(10.9), day(11), day(20)]
    for filter_ in (
        {"mac": "02:00:00:00:00:01"},
        {"client_id": "01020000000001"},
        {"duid": "0002020000000001"},
        {"hostname": "host-02000000000"},
    ):
        assert await found(admin, **filter_) == days
        assert await found(admin, **filter_, limit=2) == days
        assert await found(admin, **filter_, since=moment(15), until=moment(5)) == [day(10.9), day(11)]
        assert await found(admin, **filter_, at=moment(10.8)) == [day(10.9)]
    assert await found(admin, mac="02:00:00:00:00:02") == []


async def test_who_held_an_address(admin: httpx.AsyncClient, history: asyncpg.Pool, settle: Any) -> None:
    """The last event before the moment decides, however long ago it was, and whatever else happened that day."""
    await write(history, 25, "10.0.0.1", lasts=MONTH)
    await write(history, 20, "10.0.0.2", lasts=MONTH)
    await write(history, 12, "10.0.0.2", "r", timedelta())
    await write(history, 5, "10.0.0.2")
    await settle()
    for days, ip, told in (
        (3, "10.0.0.1", [day(25)]),
        (25.1, "10.0.0.1", []),
        (13, "10.0.0.2", [day(20)]),
        (11, "10.0.0.2", []),
        (5, "10.0.0.2", [day(5)]),
        (4, "10.0.0.2", []),
        (3, "10.0.0.3", []),
    ):
        assert await found(admin, ip=ip, at=moment(days)) == told, (days, ip)
    assert await found(admin, at=moment(4.9), mac="02:00:00:00:00:01") == [day(5), day(25)]
    assert await found(admin, at=moment(4.9), within="10.0.0.0/24") == [day(5), day(25)]
    assert await found(admin, ip="10.0.0.1", at=moment(3), mac="02:00:00:00:00:02") == []
    assert await found(admin, ip="10.0.0.1", at=moment(3), since=moment(20)) == []
    assert await found(admin, ip="10.0.0.2", at=moment(11), until=moment(15)) == []
    assert await found(admin, ip="10.0.0.2", at=moment(13), until=moment(15)) == [day(20)]
    assert await found(admin, ip="10.0.0.2", at="2999-01-01T00:00:00Z") == []


async def test_each_tenant_has_its_own_address(
    admin: httpx.AsyncClient, history: asyncpg.Pool, settle: Any, make: Any, connect: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    number = await history.fetchval("select max(no) from tenant")
    await write(history, 25, "10.0.0.1", lasts=MONTH)
    await write(history, 6, "10.0.0.1", lasts=MONTH, tenant_no=number)
    await settle()
    asked = {"ip": "10.0.0.1", "at": moment(3)}
    assert await found(admin, **asked) == [day(6), day(25)]
    assert await found(admin, **asked, tenant_id=tenant["id"]) == [day(6)]
    token = await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"])
    assert await found(connect(token["token"]), **asked) == [day(6)]
    assert await found(connect(token["token"]), ip="10.0.0.1") == [day(6)]


async def test_the_holder_is_looked_for_no_further_than_its_last_event(
    admin: httpx.AsyncClient, history: asyncpg.Pool
) -> None:
    """That it still runs is shown by the address's row, so the days since are not looked at for its end."""
    await write(history, 8, "10.0.0.1", lasts=MONTH)
    await write(history, 25, "10.0.0.1", lasts=MONTH)
    await history.execute(LEASE, NOON - timedelta(days=8), MONTH, ip_address("10.0.0.1"), MAC)
    opened = Opened(history)
    await opened.look()
    assert await found(admin, ip="10.0.0.1", at=moment(6)) == [day(8)]
    seen = await opened.look()
    assert day(8) in seen
    assert day(5) not in seen
    assert min(seen) >= day(6 + 2 + 8)  # windows of two and of eight days


async def test_days_whose_leases_had_all_ended_are_not_opened(
    admin: httpx.AsyncClient, history: asyncpg.Pool
) -> None:
    """Leases of twelve hours: nobody holds by them an address a day later. Their end is looked for on the day after."""
    await write(history, 8, "10.0.0.1")
    await close(history)
    opened = Opened(history)
    for filter_ in ({"ip": "10.0.0.1"}, {"mac": "02:00:00:00:00:01"}, {}):
        await opened.look()
        assert await found(admin, **filter_, at=moment(7.6)) == [day(8)]
        assert {day(8)} <= await opened.look() <= {day(7), day(8), day(9)}, filter_


async def test_a_page_opens_no_more_days_than_fill_it(
    admin: httpx.AsyncClient, history: asyncpg.Pool
) -> None:
    for days in range(28):
        await write(history, days, "10.0.0.1")
    await close(history)
    opened = Opened(history)
    for filter_ in ({"ip": "10.0.0.1"}, {"mac": "02:00:00:00:00:01"}):
        await opened.look()
        answer = await admin.get("/lease-events", params={**filter_, "limit": 5})
        assert len(answer.json()["items"]) == 5
        seen = await opened.look()
        assert min(seen) >= day(12), filter_


async def test_a_client_is_found_by_the_index_of_a_day_that_is_over(history: asyncpg.Pool) -> None:
    await close(history)
    question = Question(Actor(role="admin"), {"mac": "02:00:00:00:00:01"})
    async with history.acquire() as connection, connection.transaction():
        await lease_events.SQL.plan_for_values(connection)
        question.reader(connection)
        values = question.conditions.values[:-2]
        text = "explain " + question.conditions.page(lease_events.VIEW, lease_events.ORDER, 10)
        ends = [NOON - timedelta(days=4), NOON - timedelta(days=2)]
        await connection.execute("set local enable_seqscan = off")  # the days are nearly empty
        plan = "\n".join(row[0] for row in await connection.fetch(text, *values, *ends))
    assert set(re.findall(r"lease_event_(\d{8})\b", plan)) <= {day(4), day(3), day(2)}
    assert f"lease_event_{day(3)}_hw_address" in plan


def test_days_that_are_read_alike_are_one_stretch() -> None:
    few = lease_walk.FEW_DAYS
    days = [Day(n * DAY, (n + 1) * DAY, few) for n in (8, 7, 5)]
    days = [Day(9 * DAY, 10 * DAY, 1), *days, Day(4 * DAY, 5 * DAY, 1)]
    assert stretches(days, 9 * DAY + 5, 4 * DAY + 7) == [
        Stretch(9 * DAY + 5, 9 * DAY, 1),
        Stretch(9 * DAY, 7 * DAY, few),
        Stretch(6 * DAY, 5 * DAY, few),
        Stretch(5 * DAY, 4 * DAY + 7, 1),
    ]
    assert stretches(days, 5, 0) == []


def test_what_is_still_to_come_of_today_is_a_part_of_its_own() -> None:
    """Whether a look there finds nothing must not say how far the next one reaches."""
    now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    begins, noon = lease_walk.midnight(now.date()), lease_walk.micros(now)
    row = {"day": now.date(), "now": now, "over": False, "octets": 4 * lease_walk.LOOK_OCTETS}
    assert list(lease_walk.parts(row, False)) == [
        Day(noon, begins + DAY, DAY),
        Day(begins, noon, DAY // 8),
    ]
    assert list(lease_walk.parts(row, True)) == [Day(begins, begins + DAY, lease_walk.FEW_DAYS)]
    assert list(lease_walk.parts(row | {"now": now + timedelta(days=1), "octets": 5}, False)) == [
        Day(begins, begins + DAY, DAY)
    ]
    row["octets"] = 1 << 60
    assert list(lease_walk.parts(row, False))[1].step == lease_walk.SECOND
