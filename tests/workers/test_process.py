"""`ipam worker` as operators meet it: from a lease in the database to a name at a new serial; killed, stopped, without
a database for a while, and asked how it fares."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx
import psycopg
import pytest
from outage.processes import COMMAND, Role
from workers.site import Site
from workers.test_ddns import FORWARD, REVERSE

from ipam_core.db.connect import create_pool
from ipam_core.secrets import Keyring

pytestmark = pytest.mark.own_database  # some end its sessions

WAIT_SECONDS = 120.0
PROMISED_SECONDS = 1.0
TRIES = 5  # this machine may be busy
PUBLISHED = """
select z.name || ' ' || r.name || ' ' || r.type from dns_rrset r join dns_zone z on z.no = r.zone_no
where r.type in ('A', 'PTR')"""


@pytest.fixture
async def subnet(make: Any) -> dict[str, Any]:
    await make("/dns-zones", name=FORWARD, dns_enabled=True)
    await make("/dns-zones", name=REVERSE, dns_enabled=True)
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    fields = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_domain": FORWARD}
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", **fields)
    return found


@pytest.fixture
def settings() -> dict[str, str]:
    """Beside the database's address."""
    return {}


@pytest.fixture
def worker(database: str, tmp_path: Path, settings: dict[str, str]) -> Iterator[Callable[[], Role]]:
    started: list[Role] = []

    def start() -> Role:
        role = Role(tmp_path, "worker", database_url=database, **settings)
        role.start()
        role.ready()
        started.append(role)
        return role

    yield start
    for role in started:
        if role.process is not None and role.process.poll() is None:
            role.process.send_signal(signal.SIGCONT)
        role.end(signal.SIGTERM)


async def until(true: Callable[[], Awaitable[Any]]) -> float:
    """How long it took, seconds."""
    began = time.monotonic()
    while not await true():
        assert time.monotonic() < began + WAIT_SECONDS
        await asyncio.sleep(0.01)
    return time.monotonic() - began


async def has_counted(role: Role, updates: int) -> bool:
    return role.metric('ipam_ddns_updates_total{adapter="embedded",outcome="applied"}') == updates


async def published(pool: asyncpg.Pool) -> set[str]:
    return {row[0] for row in await pool.fetch(PUBLISHED)}


def both(name: str, last: int) -> set[str]:
    return {f"{FORWARD} {name} A", f"{REVERSE} {last}.1 PTR"}


async def serials(pool: asyncpg.Pool) -> dict[str, int]:
    return {row["name"]: row["serial"] for row in await pool.fetch("select name, serial from dns_published")}


async def test_a_lease_is_published_in_under_a_second(
    pool: asyncpg.Pool, site: Site, subnet: Any, worker: Any
) -> None:
    """By one worker, and by whichever of two is first."""
    role = worker()
    took = []
    for number in range(1, TRIES + 1):
        before = await serials(pool)
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}")
        expected = both(f"host{number}", number)

        async def is_there(expected: set[str] = expected) -> bool:
            return expected <= await published(pool)

        took.append(await until(is_there))
        after = await serials(pool)
        assert after[FORWARD] > before.get(FORWARD, 0)
        assert after[REVERSE] > before.get(REVERSE, 0)
    assert min(took) < PROMISED_SECONDS, took
    await until(lambda: has_counted(role, TRIES))  # behind the transaction that writes the records


async def test_it_says_how_it_fares(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, site: Site, subnet: Any, worker: Any
) -> None:
    role = worker()
    assert role.page("/healthz")[0] == 200
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await until(lambda: is_published(pool, "laptop", 5))
    await site.lease("10.20.1.6", "laptop", mac="020000000002")
    await until(lambda: has_state(pool, "conflict"))
    page = role.page("/metrics")[1]
    for line in (
        'ipam_ddns_outbox{adapter="embedded",state="conflict"} 1.0',
        'ipam_ddns_outbox{adapter="embedded",state="pending"} 0.0',
        'ipam_ddns_updates_total{adapter="embedded",outcome="conflict"} 1.0',
        'ipam_ddns_outbox_lag_seconds{adapter="embedded"} 0.0',
        "ipam_ddns_events_lag_seconds 0.0",
        "ipam_dns_publisher 1.0",
        'ipam_worker_fault{loop="sender"} 0.0',
    ):
        assert line in page, page
    nodes = (await admin.get("/nodes")).json()["items"]
    assert [(node["role"], node["state"]) for node in nodes] == [("worker", "ready")]
    assert role.end(signal.SIGTERM) == 0
    nodes = (await admin.get("/nodes")).json()["items"]
    assert [(node["role"], node["state"]) for node in nodes] == [("worker", "stopped")]


async def is_published(pool: asyncpg.Pool, name: str, last: int) -> bool:
    return both(name, last) <= await published(pool)


async def has_state(pool: asyncpg.Pool, state: str) -> bool:
    return bool(await pool.fetchval("select count(*) from ddns_update where state = $1", state))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=lambda how: how.name)
async def test_another_worker_goes_on(
    pool: asyncpg.Pool, site: Site, subnet: Any, worker: Any, how: signal.Signals
) -> None:
    await assert_another_goes_on(pool, site, worker, how)


async def assert_another_goes_on(pool: asyncpg.Pool, site: Site, worker: Any, how: signal.Signals) -> None:
    """Whatever the first one had in hand: nothing is lost, and each name stands once."""
    first, second = worker(), worker()
    for number in range(1, 101):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}")
        if number == 50:
            first.process.send_signal(how)
    wanted = set().union(*(both(f"host{number}", number) for number in range(1, 101)))

    async def all_there() -> bool:
        return await published(pool) == wanted

    async def all_done() -> bool:
        states = await pool.fetch("select state, count(*) from ddns_update group by state")
        return [tuple(row) for row in states] == [("applied", 100)]

    await until(all_there)
    assert second.is_ready()
    await until(all_done)  # what a killed one had claimed and not finished waits for its claim's end
    twice = await pool.fetchval(
        "select count(*) from (select from dns_record group by zone_no, name, type having count(*) > 1) r"
    )
    assert twice == 0


async def test_a_worker_that_drains_leaves_the_work_to_others(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, site: Site, subnet: Any, worker: Any
) -> None:
    role = worker()

    async def nodes() -> list[Any]:
        found: list[Any] = (await admin.get("/nodes")).json()["items"]
        return found

    await until(nodes)
    answer = await admin.post(f"/nodes/{(await nodes())[0]['id']}/drain")
    assert answer.status_code == 200
    await asyncio.sleep(6)  # a heartbeat
    await site.lease("10.20.1.5", "laptop")
    await asyncio.sleep(1)
    assert await site.records() == set()
    worker()
    await until(lambda: is_published(pool, "laptop", 5))
    assert role.end(signal.SIGTERM) == 0


async def test_it_outlives_the_database(
    database: str, postgres_dsn: str, site: Site, subnet: Any, worker: Any
) -> None:
    """Its sessions are ended and new ones refused; it says so, and goes on when it is let in again."""
    role, name = worker(), urlsplit(database).path.removeprefix("/")
    await site.lease("10.20.1.5", "laptop")
    with psycopg.connect(postgres_dsn, autocommit=True) as clerk:
        clerk.execute(f"alter database {name} allow_connections false")
        clerk.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])

        async def is_unready() -> bool:
            return role.readiness()[0] == 503

        await until(is_unready)
        assert role.page("/healthz")[0] == 200
        assert role.page("/metrics")[0] == 200
        clerk.execute(f"alter database {name} allow_connections true")
    role.ready()
    await site.pool.expire_connections()
    async with await create_pool(database) as pool:
        await until(lambda: is_published(pool, "laptop", 5))


async def test_another_key_than_the_databases_is_refused(
    pool: asyncpg.Pool, database: str, tmp_path: Path
) -> None:
    async with pool.acquire() as connection:
        await Keyring(tmp_path / "another.key").adopt(connection)
    role = Role(tmp_path, "worker", database_url=database)
    role.start()
    assert role.ended() == 1
    assert "secret key file" in role.said()


async def test_it_waits_for_its_schema(empty_database: str, tmp_path: Path) -> None:
    role = Role(tmp_path, "worker", database_url=empty_database)
    assert role.command[: len(COMMAND)] == COMMAND
    role.start()

    async def is_told() -> bool:
        return "run ipam migrate" in role.readiness()[1]

    await until(is_told)
    assert role.end(signal.SIGTERM) == 0
