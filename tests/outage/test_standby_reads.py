"""Reads of the API from a standby: it does the work, and nobody sees less for it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import pytest
from conftest import reachable_folder
from litestar.handlers import HTTPRouteHandler
from outage.clusters import Cluster, cluster, standby_of
from outage.databases import execute

from api.app import create_app
from api.http.gate import Gate
from api.routes import HANDLERS
from api.server import open_pool, open_standbys
from ipam_core.model.actor import Actor
from ipam_core.model.prefix import NewPrefix, Prefix
from ipam_core.model.search import Found
from ipam_core.services import search
from ipam_core.services.entity import crud
from ipam_core.services.prefixes import PREFIXES
from ipam_core.settings import Settings
from ipam_core.workers.search_follower import SearchFollower

BASE = "http://127.0.0.1:8080/api/v1"
NETWORKS = (f"172.16.{number}.0/24" for number in range(256))
# What a client decides by, and what is the primary's by nature.
OF_THE_PRIMARY = {"/tokens/self", "/subnets/{id:str}/free", "/openapi.json", "/openapi-ipam.json"}


class Api(NamedTuple):
    gate: Gate
    client: httpx.AsyncClient

    async def make(self) -> str:
        made = await self.client.post("/prefixes", json={"cidr": next(NETWORKS)})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    async def sees(self, id_: str) -> bool:
        listed = await self.client.get("/prefixes", params={"limit": 1000})
        assert listed.status_code == 200, listed.text
        got = await self.client.get(f"/prefixes/{id_}")
        return got.status_code == 200 and id_ in [each["id"] for each in listed.json()["items"]]

    def reads(self, outcome: str) -> float:
        labels = {"outcome": outcome}
        return self.gate.metrics.registry.get_sample_value("ipam_api_standby_reads_total", labels) or 0.0

    async def is_followed(self) -> None:
        standby = self.gate.standby
        assert standby is not None
        await until(lambda: standby.usable)


async def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def comes_true(true: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + 20
    while not await true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def pair(
    cluster_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Cluster, Cluster]]:
    with (
        reachable_folder() as folder,
        cluster(cluster_template, folder) as primary,
        standby_of(primary) as standby,
    ):
        yield primary, standby


@asynccontextmanager
async def served(pair: tuple[Cluster, Cluster]) -> AsyncIterator[Api]:
    """An API whose URL of standbys names the primary too, as that of a cluster does, which it has to leave out."""
    primary, standby = pair
    both = primary.dsn.replace(primary.host, f"{primary.host},{standby.host}")
    async with open_pool(primary.dsn) as pool, open_standbys(both) as standbys:
        gate = create_app(Settings(rate_limit=0), pool, standby_pool=standbys)
        assert gate.standby is not None
        following = asyncio.create_task(gate.standby.keep())
        gate.authenticator.owner = lambda *_: os.geteuid()  # there is no socket
        transport = httpx.ASGITransport(gate)  # type: ignore[arg-type]  # as it types ASGI
        async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=30) as client:
            api = Api(gate, client)
            await api.is_followed()
            yield api
        following.cancel()


async def test_every_read_runs_on_a_standby(pair: tuple[Cluster, Cluster]) -> None:
    """None of them needs what a standby refuses: a lock of a row, a transaction's number, a write."""
    async with served(pair) as api:
        await api.make()
        for path in sorted(paths()):
            ids = {"id": await an_id(api, path)}
            answer = await api.client.get(path.replace("{id:str}", ids["id"]), params=asked(path))
            assert answer.status_code in (200, 404), f"{path}: {answer.text}"
        assert api.reads("failed") == api.reads("late") == 0
        assert api.reads("standby") >= len(paths())


def paths() -> set[str]:
    handlers = [
        each for each in HANDLERS if isinstance(each, HTTPRouteHandler) and "GET" in each.http_methods
    ]
    found = {path for each in handlers for path in each.paths if path.count("{") <= 1}
    return {path for path in found - OF_THE_PRIMARY if "{" not in path or "{id:str}" in path}


def asked(path: str) -> dict[str, str]:
    return {"q": "172"} if path == "/search" else {}


async def an_id(api: Api, path: str) -> str:
    listed = await api.client.get(path.partition("/{")[0])
    items = listed.json().get("items") or [{"id": "0197a2f0-0000-7000-8000-000000000000"}]
    return str(items[0]["id"])


async def test_who_has_written_sees_it_through_whichever_api(pair: tuple[Cluster, Cluster]) -> None:
    async with served(pair) as one, served(pair) as other:
        for _ in range(40):
            made = await one.make()
            assert await other.sees(made)
            assert await one.sees(made)
        assert one.reads("standby") + other.reads("standby") > 100, "the standby had hardly any of them"


async def test_a_standby_that_lags_is_left_alone_until_it_has_caught_up(
    pair: tuple[Cluster, Cluster],
) -> None:
    async with served(pair) as api:
        await asyncio.to_thread(execute, pair[1].dsn, "select pg_wal_replay_pause()")
        try:
            for _ in range(5):
                assert await api.sees(await api.make())
            assert api.reads("late") == 1
            assert api.reads("unusable") == 9
        finally:
            await asyncio.to_thread(execute, pair[1].dsn, "select pg_wal_replay_resume()")
        await api.is_followed()
        before = api.reads("standby")
        assert await api.sees(await api.make())
        assert api.reads("standby") == before + 2


async def test_a_search_on_a_standby_does_not_claim_what_it_has_not_replayed(
    pair: tuple[Cluster, Cluster],
) -> None:
    """Its `as_of` stays before what the primary committed while the replay rested, and passes it when that is found."""
    actor = Actor(role="admin")
    async with open_pool(pair[0].dsn) as pool, open_standbys(pair[1].dsn) as standbys:
        follower = SearchFollower(pool)

        async def look() -> Found:
            while await follower.step():
                pass
            async with standbys.acquire() as connection:
                return await search.find(connection, actor, {"q": "behind the replay"})

        async def reaches(moment: str) -> bool:
            found = await look()
            assert found.items or found.as_of is None or not moment or found.as_of <= moment
            return found.as_of is not None and found.as_of > moment

        async def is_paused() -> bool:
            return await standbys.fetchval("select pg_get_wal_replay_pause_state()") == "paused"

        await comes_true(lambda: reaches(""))
        await standbys.execute("select pg_wal_replay_pause()")
        try:
            await comes_true(is_paused)
            made = await create(pool, "written behind the replay")
            early = await look()
        finally:
            await standbys.execute("select pg_wal_replay_resume()")
        assert not early.items
        assert early.as_of is not None
        assert early.as_of <= made.created_at
        await comes_true(lambda: reaches(made.created_at))
        assert [hit.id for hit in (await look()).items] == [made.id]


async def create(pool: asyncpg.Pool, description: str) -> Prefix:
    async with pool.acquire() as connection:
        command = NewPrefix(cidr=ip_network(next(NETWORKS)), description=description)
        return await crud.create(connection, PREFIXES, Actor(role="admin"), {}, command)


async def test_what_is_free_is_asked_of_the_primary(pair: tuple[Cluster, Cluster]) -> None:
    async with served(pair) as api:
        subnets = await api.client.get("/subnets")
        before = api.reads("standby")
        id_ = subnets.json()["items"][0]["id"]
        assert (await api.client.get(f"/subnets/{id_}/free")).status_code == 200
        assert api.reads("standby") == before


@pytest.mark.parametrize("ending", [Cluster.freeze, Cluster.kill])
async def test_without_its_standby_the_primary_is_read(
    pair: tuple[Cluster, Cluster], ending: Callable[[Cluster], None]
) -> None:
    """A frozen one takes connections and says nothing: one read waits for that, the others do not."""
    standby = pair[1]
    async with served(pair) as api:
        made = await api.make()
        before = api.reads("unusable")
        ending(standby)
        assert await api.sees(made)
        assert await api.sees(made)
        assert (api.reads("failed"), api.reads("unusable") - before) == (1, 3)
        standby.thaw()
        if standby.process is not None and standby.process.poll() is not None:
            await asyncio.to_thread(standby.start)
        await api.is_followed()
