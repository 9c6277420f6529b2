"""Utilisation as it was: sampled once in five minutes, thinned out with age, shown a point a period."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import usage_history
from ipam_core.services.usage_history import LEVELS, take_sample, thin

HOURLY, DAILY, LAST = LEVELS
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - 5 * DAY

COUNTED = """
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select no, $1::integer, 1, '10.0.0.1', '10.0.0.254', 100, 0, 0, 0, 2, 1, 1 from subnet"""
ROW = """
insert into usage_history (at, subnet_no, pool_no, leased, total, used, peak)
select $1, no, 0, $2::integer, 100, $2::integer, $3::integer from subnet"""
ROWS = "select at, used::integer, peak::integer from usage_history order by subnet_no, pool_no, at"
# As if five minutes had passed: what was sampled lies so much further back.
LATER = "update usage_history_state set sampled_at = sampled_at - $1::interval"
AGED = "update usage_history set at = at - $1::interval"


async def put(pool: asyncpg.Pool, at: datetime, used: int, peak: int | None = None) -> None:
    await pool.execute(ROW, at, used, used if peak is None else peak)


async def rows(pool: asyncpg.Pool) -> list[tuple[datetime, int, int]]:
    return [tuple(row) for row in await pool.fetch(ROWS)]


async def sampled(pool: asyncpg.Pool) -> int | None:
    async with pool.acquire() as connection:
        return await take_sample(connection)


async def passed(pool: asyncpg.Pool, minutes: int) -> None:
    for statement in (LATER, AGED):
        await pool.execute(statement, timedelta(minutes=minutes))


async def thinned(pool: asyncpg.Pool, *levels: usage_history.Level) -> None:
    async with pool.acquire() as connection:
        for level in levels:
            while await thin(connection, level):
                pass


async def told(client: httpx.AsyncClient, path: str, **params: Any) -> list[tuple[str, int, float]]:
    answer = await client.get(f"{path}/utilisation/history", params=params)
    assert answer.status_code == 200, answer.text
    return [(p["at"], p["total"] - p["free"], p["peak_utilisation"]) for p in answer.json()["items"]]


def text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# --- sampling


async def test_a_sample_has_what_changed_and_is_taken_once(
    pool: asyncpg.Pool, subnet: dict[str, Any], make: Any
) -> None:
    assert await sampled(pool) == 0  # nothing was counted yet
    await pool.execute(COUNTED, 0)
    await pool.execute(COUNTED, 7)
    assert await sampled(pool) is None
    await passed(pool, 5)
    assert await sampled(pool) == 2
    assert await sampled(pool) is None
    await passed(pool, 5)
    assert await sampled(pool) == 0
    await passed(pool, 5)
    await pool.execute("update usage set leased = 2, open = 2 where pool_no = 7")
    assert await sampled(pool) == 1
    found = await rows(pool)
    assert [row[1:] for row in found] == [(3, 3), (3, 3), (4, 4)]
    assert {at.minute % 5 for at, *_ in found} == {0}
    assert found[2][0] - found[1][0] == timedelta(minutes=10)


async def test_who_finds_another_at_it_leaves_it(pool: asyncpg.Pool, subnet: dict[str, Any]) -> None:
    await pool.execute(COUNTED, 0)
    await put(pool, NOON, 5)
    async with pool.acquire() as one, pool.acquire() as two:
        async with one.transaction():
            assert await take_sample(one) == 1
            assert await take_sample(two) is None
            assert await usage_history.SQL.try_thinning(one)
            assert await thin(two, HOURLY) is False
        assert await take_sample(two) is None
        assert await thin(two, HOURLY) is True
    assert len(await rows(pool)) == 2


# --- thinning


async def test_an_hour_keeps_its_last_row_with_the_peak_of_all(
    pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    for minute, used in ((0, 5), (5, 9), (30, 2), (55, 4), (60, 3), (90, 3)):
        await put(pool, NOON + timedelta(minutes=minute), used)
    young = datetime.now(UTC) - HOUR
    for minute in (0, 1):
        await put(pool, young + timedelta(minutes=minute), minute)
    await thinned(pool, HOURLY)
    kept = [(NOON + timedelta(minutes=55), 4, 9), (NOON + timedelta(minutes=90), 3, 3)]
    assert await rows(pool) == [*kept, (young, 0, 0), (young + timedelta(minutes=1), 1, 1)]
    await thinned(pool, HOURLY)
    assert (await rows(pool))[:2] == kept


async def test_thinning_goes_on_where_it_ended(pool: asyncpg.Pool, subnet: dict[str, Any]) -> None:
    """A moment a transaction, in the order of time; a row of an hour that was thinned already joins it."""
    for minute, used in ((0, 5), (5, 9), (10, 2)):
        await put(pool, NOON + timedelta(minutes=minute), used)
    async with pool.acquire() as connection:
        assert await thin(connection, HOURLY)
        assert await thin(connection, HOURLY)
    assert await rows(pool) == [
        (NOON + timedelta(minutes=5), 9, 9),
        (NOON + timedelta(minutes=10), 2, 2),
    ]
    await thinned(pool, HOURLY)
    assert await rows(pool) == [(NOON + timedelta(minutes=10), 2, 9)]


async def test_months_keep_a_row_a_day_and_two_years_are_kept(
    pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    old, oldest = NOON - 40 * DAY, NOON - 800 * DAY
    for begin in (old, oldest):
        for hour, used in ((0, 5), (1, 9), (11, 2), (12, 7)):
            await put(pool, begin + timedelta(hours=hour), used)
    await thinned(pool, HOURLY, DAILY, LAST)
    assert await rows(pool) == [
        (oldest + timedelta(hours=12), 7, 7),  # what held when the two years began
        (old + timedelta(hours=11), 2, 9),
        (old + timedelta(hours=12), 7, 7),
    ]


async def test_the_last_row_of_an_object_stays_however_old(
    pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    """Nothing has changed since, and it says how full the subnet is."""
    await put(pool, NOON - 3000 * DAY, 5)
    await put(pool, NOON - 2000 * DAY, 6)
    await thinned(pool, HOURLY, DAILY, LAST)
    assert [row[1] for row in await rows(pool)] == [6]


async def test_rows_of_what_is_gone_are_forgotten(
    pool: asyncpg.Pool, subnet: dict[str, Any], make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_history, "BATCH", 2)
    monkeypatch.setattr(usage_history, "PAUSE", 0.0)
    made = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.109")
    for number in (await pool.fetchval("select no from pool"), 999):
        for hour in range(3):
            await pool.execute(ROW.replace("no, 0,", f"no, {number},"), NOON + timedelta(hours=hour), 1, 1)
    await pool.execute(ROW.replace("select $1, no", "select $1, no + 999"), NOON, 1, 1)
    await put(pool, NOON, 1)
    await usage_history.forget_objects(pool)
    assert made
    assert [row[0] for row in await rows(pool)] == [NOON, *(NOON + timedelta(hours=n) for n in range(3))]


async def test_thinning_costs_by_the_moment_and_not_by_the_table(
    pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    """By the keys, where planner and table are as they are with many objects."""
    await pool.execute(
        "insert into usage_history select $1::timestamptz + h * interval '1 hour', s, p, 1, 100, 1, 1"
        " from generate_series(0, 99) h, generate_series(1, 100) s, generate_series(0, 2) p",
        NOON,
    )
    await pool.execute("analyze usage_history")
    async with pool.acquire() as connection:
        for query, hour in ((usage_history.SQL.thin, 50), (usage_history.SQL.forget_before, 1)):
            await connection.execute("set plan_cache_mode = force_custom_plan")
            types = "(timestamptz, timestamptz)"
            await connection.execute(f"prepare thinned {types} as {query.sql}")
            values = (NOON + hour * HOUR, NOON + (hour - 1) * HOUR)
            given = ", ".join(f"'{value.isoformat()}'" for value in values)
            plan = "\n".join(row[0] for row in await connection.fetch(f"explain execute thinned ({given})"))
            assert "Seq Scan on usage_history" not in plan, plan
            await connection.execute("deallocate thinned")


# --- reading


@pytest.fixture
async def story(pool: asyncpg.Pool, subnet: dict[str, Any]) -> str:
    """Of the subnet: 10 used since long ago, 30 for ten minutes at noon, then 20; sampled until now."""
    for minute, used in ((-10_000, 10), (0, 30), (10, 20)):
        await put(pool, NOON + timedelta(minutes=minute), used)
    await pool.execute("update usage_history_state set sampled_at = now()")
    return f"/subnets/{subnet['id']}"


async def test_a_graph_has_a_point_a_period(admin: httpx.AsyncClient, story: str) -> None:
    span = {"since": text(NOON - HOUR), "until": text(NOON + 2 * HOUR)}
    hours = [text(NOON + n * HOUR) for n in (-1, 0, 1)]
    assert await told(admin, story, **span, step=3600) == [
        (hours[0], 10, 0.1),
        (hours[1], 20, 0.3),
        (hours[2], 20, 0.2),
    ]
    fine = await told(admin, story, **span)
    assert len(fine) == 36
    assert [point[1] for point in fine[11:15]] == [10, 30, 30, 20]
    assert len(await told(admin, story, **span, step=1)) == 36
    assert await told(admin, story, since=text(NOON + HOUR), until=text(NOON)) == []
    before = NOON - timedelta(minutes=10_000)
    first = await told(admin, story, since=text(before - DAY), until=text(before + HOUR), step=3600)
    assert [point[1] for point in first] == [10] * len(first)
    assert 1 <= len(first) <= 2


async def test_defaults_are_the_last_day_and_never_too_many_points(
    admin: httpx.AsyncClient, story: str
) -> None:
    answer = (await admin.get(f"{story}/utilisation/history")).json()
    assert answer["step"] == 300
    assert 287 <= len(answer["items"]) <= 289
    assert {point["utilisation"] for point in answer["items"]} == {0.2}
    wide = (
        await admin.get(f"{story}/utilisation/history", params={"since": "0001-01-01T00:00:00Z", "step": 300})
    ).json()
    assert wide["step"] % 86400 == 0
    assert len(wide["items"]) <= 1000


async def test_nothing_is_told_past_the_last_sample(
    admin: httpx.AsyncClient, story: str, pool: asyncpg.Pool
) -> None:
    await pool.execute("update usage_history_state set sampled_at = $1", NOON + timedelta(minutes=20))
    found = await told(admin, story, since=text(NOON), until=text(NOON + 2 * HOUR))
    assert [point[1] for point in found] == [30, 30, 20, 20, 20]
    await pool.execute("update usage_history_state set sampled_at = null")
    assert await told(admin, story, since=text(NOON), until=text(NOON + HOUR)) == []


async def test_pools_have_their_own_and_tenants_see_theirs(
    admin: httpx.AsyncClient, story: str, pool: asyncpg.Pool, make: Any, connect: Any, refused: Any
) -> None:
    made = await make(f"{story}/pools", start_ip="10.0.0.100", end_ip="10.0.0.109")
    path = f"/pools/{made['id']}"
    assert await told(admin, path) == []
    number = await pool.fetchval("select no from pool")
    await pool.execute(ROW.replace("no, 0,", f"no, {number},"), NOON, 7, 8)
    span = {"since": text(NOON), "until": text(NOON + HOUR), "step": 3600}
    assert await told(admin, path, **span) == [(text(NOON), 7, 0.08)]
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"])
    for each in (story, path):
        theirs = await connect(token["token"]).get(f"{each}/utilisation/history")
        refused(theirs, 404, "not_found")
    refused(await admin.get("/pools/x/utilisation/history"), 404, "not_found")


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"step": "0"}, "step"),
        ({"step": "x"}, "step"),
        ({"since": "yesterday"}, "since"),
        ({"until": "2026-01-31"}, "until"),
        ({"sort": "at"}, "sort"),
    ],
)
async def test_what_cannot_be_read_is_named(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Any, params: dict[str, str], field: str
) -> None:
    answer = await admin.get(f"/subnets/{subnet['id']}/utilisation/history", params=params)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_a_process_keeps_it(pool: asyncpg.Pool, subnet: dict[str, Any]) -> None:
    """What the API runs beside its requests: samples and thins, and goes on."""
    await pool.execute(COUNTED, 0)
    await put(pool, NOON, 5)
    await put(pool, NOON + timedelta(minutes=5), 6)
    keeping = asyncio.create_task(usage_history.keep(pool))
    async with asyncio.timeout(10):
        while [row[1] for row in await rows(pool)] != [6, 3]:  # noqa: ASYNC110 - it says so nowhere else
            await asyncio.sleep(0.02)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
