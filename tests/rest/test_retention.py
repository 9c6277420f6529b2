"""Retention: what is too old goes, in batches, by one process; nothing else takes a row from the audit trail."""

import asyncio
from datetime import timedelta
from pathlib import Path

import asyncpg
import httpx
import pytest

from api.server import serve
from ipam_core.db.lease_log import LeaseLog
from ipam_core.services import retention
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

OLD = (
    "insert into change (at, tenant_no, object_type, object_id, action)"
    " select now() - $1::interval, 1, 'prefix', n::text, 'created' from generate_series(1, $2::integer) n"
)


async def old_rows(pool: asyncpg.Pool, age: str, count: int) -> None:
    await pool.execute(OLD.replace("$1", f"'{age}'").replace("$2", str(count)))


async def test_batches_take_what_is_older_and_nothing_else(
    admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    kept = {entry["id"] for entry in (await admin.get("/audit")).json()["items"]}
    await old_rows(pool, "40 days", 7)
    await old_rows(pool, "20 days", 3)
    await old_rows(pool, "40 days", 2)  # of a transaction that began early and committed late
    async with pool.acquire() as connection:
        went = [await retention.forget_changes(connection, 30, 4 + len(kept)) for _ in range(4)]
    assert sum(went) == 9
    assert went[0] == 4
    left = (await admin.get("/audit?limit=1000")).json()["items"]
    assert kept < {entry["id"] for entry in left}
    assert len(left) == len(kept) + 3
    row = await pool.fetchrow("select * from audit_retention")
    assert (row["forgotten_in_all"], row["days"]) == (9, 30)


async def test_two_processes_do_not_wait_for_each_other(pool: asyncpg.Pool) -> None:
    await old_rows(pool, "3 days", 5)
    async with pool.acquire() as one, pool.acquire() as other, one.transaction():
        assert await retention.forget_changes(one, 2, 3) == 3
        async with asyncio.timeout(5):
            assert await retention.forget_changes(other, 2, 3) == 0


async def test_the_loop_forgets_all_that_is_due(pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    await old_rows(pool, "3 days", 25)
    await pool.execute(
        "insert into idempotency (token_id, method, path, key, body_hash, created_at)"
        " values (gen_random_uuid(), 'POST', '/', 'x', '', now() - interval '25 hours')"
    )
    for name, value in {"EVERY": 0.01, "BATCH": 10, "PAUSE": 0.0}.items():
        monkeypatch.setattr(retention, name, value)
    keeping = asyncio.create_task(retention.keep(pool, 2))
    await until_gone(pool, 2)
    await until_none(pool, "select count(*) from idempotency")
    keeping.cancel()


async def test_nodes_that_are_stopped_or_silent_go(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = (
        "insert into node (id, name, role, version, state, heartbeat_at)"
        " values (gen_random_uuid(), $1, 'dhcp4', '0.1.0', $2, now() - $3::interval)"
    )
    for name, state, silent in (("old", "stopped", 31), ("dead", "ready", 31), ("late", "stopped", 29)):
        await pool.execute(node, name, state, timedelta(days=silent))
    monkeypatch.setattr(retention, "EVERY", 0.01)
    keeping = asyncio.create_task(retention.keep(pool, 0, 0))
    await asyncio.sleep(0.2)
    keeping.cancel()
    assert await pool.fetchval("select count(*) from node") == 3
    keeping = asyncio.create_task(retention.keep(pool, 0, 30))
    await until_none(pool, "select count(*) from node where name <> 'late'")
    keeping.cancel()
    assert await pool.fetchval("select name from node") == "late"


LEASE = """
insert into lease (tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at,
                   reuse_at, version, client_key)
select 1, '2001:db8::'::inet + n, 128, 3, 1, $2::"char", now() - interval '99 days', now() - interval '99 days',
       now() - $1::interval, now() - $1::interval, nextval('lease_version'), '\\x06'
from generate_series($3::integer, $3::integer + 9) n"""


async def test_ipv6_leases_that_were_free_for_long_go(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs stays, however old, and what ended lately; in steps smaller than the table."""
    monkeypatch.setattr(retention, "PAUSE", 0.0)
    for age, state, first in ((40, "x", 1), (20, "r", 101), (40, "a", 201), (40, "i", 301)):
        await pool.execute(LEASE, timedelta(days=age), state, first)
    await pool.execute("update lease set address = '10.0.0.1', ia_type = 0 where address = '2001:db8::1'")
    assert await retention.forget_freed(pool, 30, 7) == 19
    left = await pool.fetch("select state, count(*) from lease group by state order by state")
    assert [tuple(row) for row in left] == [("a", 10), ("r", 10), ("x", 1)]
    assert await retention.forget_freed(pool, 30, 7) == 0


async def test_zero_keeps_all(pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    await old_rows(pool, "4000 days", 5)
    monkeypatch.setattr(retention, "EVERY", 0.01)
    keeping = asyncio.create_task(retention.keep(pool, 0))
    await asyncio.sleep(0.2)
    keeping.cancel()
    assert await pool.fetchval("select count(*) from change where at < now() - interval '4000 days'") == 5


@pytest.mark.parametrize(
    "statement",
    [
        "delete from change",
        "delete from change where at < now() - interval '10 years'",
        "update change set at = now()",
        "update change set after = null where at < now() - interval '10 years'",
        "truncate change",
        "do $$ begin delete from change; end $$",
        "with gone as (delete from change returning *) select count(*) from gone",
    ],
)
async def test_nothing_else_takes_or_changes_a_row(pool: asyncpg.Pool, statement: str) -> None:
    await old_rows(pool, "5000 days", 2)
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
        await pool.execute(statement)
    assert await pool.fetchval("select count(*) from change where object_type = 'prefix'") == 2


async def test_retention_spares_the_last_day_whatever_it_is_told(pool: asyncpg.Pool) -> None:
    await old_rows(pool, "1 hour", 2)
    for days in ("0", "-5"):
        with pytest.raises(asyncpg.CheckViolationError):
            await pool.execute(f"update audit_retention set days = {days}, at_most = 100")
    assert await pool.fetchval("select count(*) from change where object_type = 'prefix'") == 2


async def test_the_setting_reaches_the_process(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await old_rows(pool, "91 days", 5)
    await old_rows(pool, "89 days", 5)
    monkeypatch.setattr(retention, "EVERY", 0.01)
    anywhere = Endpoint("127.0.0.1", 0)
    settings = Settings(data_dir=tmp_path, audit_days=90, api_listen=anywhere, health_listen=anywhere)
    served = asyncio.create_task(serve(settings, database))
    await until_gone(pool, 90)
    served.cancel()
    await asyncio.gather(served, return_exceptions=True)
    assert await pool.fetchval("select count(*) from change where object_type = 'prefix'") == 5


async def until_gone(pool: asyncpg.Pool, days: int) -> None:
    await until_none(pool, f"select count(*) from change where at < now() - make_interval(days => {days})")


async def until_none(pool: asyncpg.Pool, counted: str) -> None:
    for _ in range(500):
        if not await pool.fetchval(counted):
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"not 0: {counted}")


async def test_the_api_looks_after_days_that_are_over(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pool.execute("select make_lease_event_partition((now() at time zone 'UTC')::date - 5)")
    monkeypatch.setattr(retention, "FIRST", 0.0)
    keeping = asyncio.create_task(retention.keep_closed(pool))
    noted = "select count(*) from lease_event_day where day = (now() at time zone 'UTC')::date - 5"
    async with asyncio.timeout(10):
        while not await pool.fetchval(noted):  # noqa: ASYNC110 - it says so nowhere else
            await asyncio.sleep(0.02)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


@pytest.mark.own_database  # it drops a day of the history
async def test_the_api_makes_days_of_the_lease_history_and_forgets_old_ones(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It releases leases, also where no DHCP server runs."""
    days = "select inhrelid::regclass::text from pg_inherits where inhparent = 'lease_event'::regclass order by 1"
    async with pool.acquire() as connection:
        await LeaseLog().tend(connection)  # the template may be of yesterday
    whole = await pool.fetch(days)
    tomorrow = "select 'lease_event_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD')"
    await pool.execute(f"drop table {await pool.fetchval(tomorrow)}")
    for n in range(5, 8):
        await pool.execute(
            "select make_lease_event_partition((now() at time zone 'UTC')::date - $1::integer)", n
        )
    monkeypatch.setattr(retention, "EVERY", 0.05)
    keeping = asyncio.create_task(retention.keep_days(pool, 3))
    async with asyncio.timeout(10):
        while await pool.fetch(days) != whole:  # noqa: ASYNC110 - it says so nowhere else
            await asyncio.sleep(0.02)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    yesterday = "select 'lease_event_' || to_char((now() at time zone 'UTC')::date - 1, 'YYYYMMDD')"
    assert whole[0][0] == await pool.fetchval(yesterday)
