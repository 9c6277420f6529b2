"""Parts of names and MACs are found soon after they were written, by a follower that no lease waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import WRITE, Site

from ipam_core.errors import Unavailable
from ipam_core.services import search_build
from ipam_core.workers import search_follower
from ipam_core.workers.search_follower import SearchFollower

MAC = "aabbccddeeff"
Find = Callable[..., Awaitable[list[str]]]


async def settled(pool: asyncpg.Pool) -> None:
    """Until nothing is left to read or to build."""
    follower = SearchFollower(pool)
    async with asyncio.timeout(30):
        for _ in range(3):
            while await follower.step():
                pass


@pytest.fixture
def find(admin: httpx.AsyncClient, pool: asyncpg.Pool) -> Find:
    async def search(text: str, follow: bool = True) -> list[str]:
        if follow:
            await settled(pool)
        answer = await admin.get("/search", params={"q": text})
        assert answer.status_code == 200, answer.text
        return [hit["label"] for hit in answer.json()["items"]]

    return search


@pytest.fixture
async def plan(make: Any) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="10.0.0.0/8", description="Ganz Deutschland")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.1.0.0/24", name="plain")
    return {"prefix": prefix, "subnet": subnet}


async def lease(
    pool: asyncpg.Pool, address: str, hostname: str | None, mac: str = "020000000001", state: str = "a"
) -> None:
    await pool.execute(WRITE, address, state, bytes.fromhex(mac), None, None, hostname, 0)


NAMES = ["floor 2", "Büro Nord", "R&D", "O'Brien", "3.OG (West)", "Serverraum Süd", "会议室 三层", "Кабинет"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_subnet_is_found_by_any_part_of_its_name(
    name: str, plan: dict[str, Any], make: Any, find: Find
) -> None:
    await make("/subnets", prefix_id=plan["prefix"]["id"], cidr="10.2.0.0/24", name=name)
    for text in (name, name[1:], name.upper(), name.lower(), name[-3:]):
        if len(text.strip()) > 2:
            assert await find(text) == [f"10.2.0.0/24 {name}"], text
    assert f"10.2.0.0/24 {name}" in await find(name[:2])


async def test_scripts_that_write_one_text_in_two_ways(plan: dict[str, Any], make: Any, find: Find) -> None:
    """Compatible and composed characters, and cases of several letters."""
    await make("/subnets", prefix_id=plan["prefix"]["id"], cidr="10.2.0.0/24", name="Große ＡＢＣ Café")
    for text in ("GROSSE", "große", "abc", "CAFÉ", "cafe\u0301"):
        assert await find(text) == ["10.2.0.0/24 Große ＡＢＣ Café"], text


PARTS = [
    "aa:bb:cc", "AA-BB-CC", "aabb.cc", "aabbcc", "dd:ee:ff", "aa:bb:cc:dd:ee", "AABB.CCDD.EEFF", "eeff", "EE:FF",
    "bb:cc:dd", "aabbcc-ddeeff", ":ee:ff", "ccdd.eeff", "bcc", "aa:bb:cc:dd:ee:ff",
]  # fmt: skip


@pytest.mark.parametrize("text", PARTS)
async def test_a_part_of_a_mac(
    text: str, plan: dict[str, Any], make: Any, find: Find, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    path = f"/subnets/{plan['subnet']['id']}/reservations"
    await make(path, ip="10.1.0.7", mac=":".join(MAC[at : at + 2] for at in range(0, 12, 2)))
    await lease(pool, "10.1.0.9", None, MAC)
    await lease(pool, "10.1.0.10", "other", "020000000002")
    assert sorted(await find(text)) == ["10.1.0.7", "10.1.0.9"]
    for family, address in (("reservations", "10.1.0.7"), ("leases", "10.1.0.9")):
        listed = (await admin.get(f"/{family}", params={"q": text})).json()
        assert [item["ip"] for item in listed["items"]] == [address], listed


async def test_what_is_found_by_its_field(
    plan: dict[str, Any], make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    below = f"/subnets/{plan['subnet']['id']}"
    await make(
        f"{below}/reservations", ip="10.1.0.7", mac="02:00:00:00:00:07", description="behind the zebra door"
    )
    await make("/assignments", ip="10.1.0.8", hostname="myzebra1")
    await make(f"{below}/pools", start_ip="10.1.0.100", end_ip="10.1.0.199", name="for zebras")
    zone = await make("/dns-zones", name="lab.zebra.test")
    await make(f"/dns-zones/{zone['id']}/records", name="www", type="TXT", data='"about zebras"')
    await lease(pool, "10.1.0.9", "old-Zebra-9")
    await settled(pool)
    found = (await admin.get("/search", params={"q": "zebra"})).json()["items"]
    assert {(hit["type"], hit["match"]) for hit in found} >= {
        ("reservation", "description"),
        ("assignment", "hostname"),
        ("pool", "name"),
        ("dns_zone", "name"),
        ("lease", "hostname"),
    }
    assert ("dns_record", "name") in {(hit["type"], hit["match"]) for hit in found}
    assert [hit["type"] for hit in (await admin.get("/search", params={"q": "t zebr"})).json()["items"]] == [
        "dns_record"
    ]


async def test_a_search_knows_how_new_it_is(
    plan: dict[str, Any], admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """An answer whose `as_of` is not before the ACK has the lease. Here the follower runs by itself."""
    assert (await admin.get("/search", params={"q": "late"})).json()["as_of"] is None
    follower = SearchFollower(pool)

    async def follow() -> None:
        while True:
            if not await follower.step():
                await asyncio.sleep(0.05)

    running = asyncio.create_task(follow())
    try:
        for number in range(3):
            await lease(pool, f"10.1.0.{50 + number}", f"my-late-{number}")
            acknowledged = (await pool.fetchval("select clock_timestamp()")).isoformat()
            async with asyncio.timeout(30):
                while True:
                    answer = (await admin.get("/search", params={"q": f"late-{number}"})).json()
                    if (answer["as_of"] or "") >= acknowledged:
                        break
            assert [hit["label"] for hit in answer["items"]] == [f"10.1.0.{50 + number} my-late-{number}"]
    finally:
        running.cancel()


async def test_an_open_transaction_holds_the_moment_back(
    plan: dict[str, Any], admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """What it writes was not committed by then, so the answer does not say that it knows."""
    await settled(pool)
    async with pool.acquire() as other, other.transaction():
        await other.execute(WRITE, "10.1.0.9", "a", bytes(6), None, None, "slow-writer", 0)
        began = await pool.fetchval("select clock_timestamp()")
        await lease(pool, "10.1.0.10", "quick-writer")
        await settled(pool)
        answer = (await admin.get("/search", params={"q": "writer"})).json()
        assert answer["as_of"] < began.isoformat()
    await settled(pool)
    answer = (await admin.get("/search", params={"q": "writer"})).json()
    assert len(answer["items"]) == 2
    assert answer["as_of"] > began.isoformat()


async def test_what_changes_and_goes(
    plan: dict[str, Any], make: Any, find: Find, admin: httpx.AsyncClient
) -> None:
    path = "/assignments"
    made = await make(path, ip="10.1.0.8", hostname="myzebra1", description="first")
    assert await find("zebra") == ["10.1.0.8 myzebra1"]
    changed = await admin.patch(f"/assignments/{made['id']}", json={"hostname": "mylion1", "description": ""})
    assert changed.status_code == 200, changed.text
    assert await find("zebra") == []
    assert await find("lion") == ["10.1.0.8 mylion1"]
    await admin.delete(f"/assignments/{made['id']}")
    assert await find("lion", follow=False) == []


async def test_aliases_are_found_by_a_part(
    plan: dict[str, Any], make: Any, find: Find, admin: httpx.AsyncClient
) -> None:
    below = f"/subnets/{plan['subnet']['id']}"
    await make("/assignments", ip="10.1.0.8", hostname="box1", aliases=["my-zebra"])
    await make(
        f"{below}/reservations",
        ip="10.1.0.7",
        hostname="box2",
        mac="02:00:00:00:00:07",
        aliases=["our-zebra"],
    )
    assert sorted(await find("zebra")) == ["10.1.0.7 box2", "10.1.0.8 box1"]
    found = (await admin.get("/search", params={"q": "zebra"})).json()["items"]
    assert {hit["match"] for hit in found} == {"alias"}


async def test_what_is_deleted_leaves_nothing_behind(
    plan: dict[str, Any], make: Any, find: Find, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """Also where a deletion takes others along, and leases that retention forgets."""
    below = f"/subnets/{plan['subnet']['id']}"
    await make(f"{below}/pools", start_ip="10.1.0.100", end_ip="10.1.0.199", name="for zebras")
    zone = await make("/dns-zones", name="zebra.test")
    await make(f"/dns-zones/{zone['id']}/records", name="www", type="A", data="10.1.0.9")
    await lease(pool, "10.1.0.9", "my-zebra")
    assert len(await find("zebra")) == 4
    await pool.execute("delete from lease")
    for path in (f"/prefixes/{plan['prefix']['id']}", f"/dns-zones/{zone['id']}"):
        gone = await admin.delete(path, params={"cascade": "true"})
        assert gone.status_code == 204, gone.text
    for table in ("search_lease", "search_object"):
        assert await pool.fetchval(f"select count(*) from {table}") == 0


async def test_after_an_outage_all_is_read(plan: dict[str, Any], find: Find, pool: asyncpg.Pool) -> None:
    """Of three days."""
    await settled(pool)
    await lease(pool, "10.1.0.9", "my-old-one")
    await pool.execute("alter table lease_event disable trigger all")
    await pool.execute("select make_lease_event_partition((now() - interval '60 hours')::date)")
    await pool.execute("update lease_event set at = now() - interval '60 hours'")
    await pool.execute("update search_cursor set read_at = now() - interval '61 hours'")
    await lease(pool, "10.1.0.10", "my-new-one")
    assert sorted(await find("y-old")) == ["10.1.0.9 my-old-one"]
    assert sorted(await find("y-new")) == ["10.1.0.10 my-new-one"]


async def test_a_build_while_leases_are_written(
    plan: dict[str, Any], make: Any, find: Find, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What there is stays in use, what is new is followed, and what should not be there goes."""
    monkeypatch.setattr(search_follower, "AT_ONCE", 3)
    for number in range(10):
        await lease(pool, f"10.1.0.{10 + number}", f"my-host-{number}", f"0200000000{number:02x}")
    await make("/assignments", ip="10.1.0.200", hostname="myhost200")
    assert len(await find("y-host")) == 10
    await pool.execute(
        "insert into search_lease values (1, '10.1.0.15', array['lost'], array[1]) on conflict do nothing"
    )
    await pool.execute("insert into search_lease values (1, '10.1.0.99', array['ghost'], array[1])")
    await pool.execute(
        "update search_lease set texts = array['wrong', ''], grams = '{}' where address = '10.1.0.12'"
    )
    await pool.execute("update search_object set texts = array['wrong'], grams = '{}'")
    follower = SearchFollower(pool)
    async with pool.acquire() as connection:
        await search_follower.SQL.build(connection)
    steps = 0
    while await follower.step() or steps == 0:
        steps += 1
        if steps == 2:
            await lease(pool, "10.1.0.11", "my-host-new", "020000000001")
        if steps > 1:
            assert len(await find("y-host", follow=False)) >= 9
    assert steps > 4
    await settled(pool)
    assert len(await find("y-host")) == 10
    assert "10.1.0.11 my-host-new" in await find("host-new")
    assert await find("yhost") == ["10.1.0.200 myhost200"]
    assert await pool.fetchval("select count(*) from search_lease where address = '10.1.0.99'") == 0


async def test_another_history_is_read_as_a_whole(
    plan: dict[str, Any], find: Find, pool: asyncpg.Pool
) -> None:
    await lease(pool, "10.1.0.9", "my-host")
    assert await find("y-host") == ["10.1.0.9 my-host"]
    await pool.execute("truncate search_lease")
    await pool.execute("update search_cursor set history = 'another', xid = '3'")
    assert await find("y-host") == ["10.1.0.9 my-host"]


async def test_a_renewal_that_changes_nothing_writes_nothing(
    plan: dict[str, Any], pool: asyncpg.Pool
) -> None:
    await lease(pool, "10.1.0.9", "my-host")
    await settled(pool)
    follower = SearchFollower(pool)
    for _ in range(3):
        await lease(pool, "10.1.0.9", "my-host")
        await follower.step()
    assert follower.written == 0
    await lease(pool, "10.1.0.9", None, "000000000000")
    await lease(pool, "10.1.0.10", "my-host2")
    await follower.step()
    assert follower.written == 2


async def test_two_followers_do_not_wait_for_each_other(
    plan: dict[str, Any], pool: asyncpg.Pool, site: Site
) -> None:
    await settled(pool)
    await lease(pool, "10.1.0.9", "my-host")
    async with pool.acquire() as connection, connection.transaction():
        await search_follower.SQL.lock_cursor(connection)
        async with asyncio.timeout(5):
            assert not await SearchFollower(pool).step()


async def test_tenants_find_their_own(make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool) -> None:
    for name, third in (("one", 1), ("two", 2)):
        tenant = await make("/tenants", name=name)
        prefix = await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
        subnet = await make(
            "/subnets", prefix_id=prefix["id"], cidr=f"10.0.{third}.0/24", name=f"my subnet {name}"
        )
        await make("/assignments", subnet_id=subnet["id"], ip=f"10.0.{third}.9", hostname=f"my-server-{name}")
        await lease(pool, f"10.0.{third}.10", f"my-laptop-{name}")
        token = await make("/tokens", name=name, role="viewer", tenant_id=tenant["id"])
        await settled(pool)
        headers = {"authorization": f"Bearer {token['token']}"}
        for text in ("subnet", "server", "laptop"):
            found = (await admin.get("/search", params={"q": text}, headers=headers)).json()["items"]
            assert [name in hit["label"] for hit in found] == [True], (text, found)
    found = (await admin.get("/search", params={"q": "my-"})).json()["items"]
    assert len(found) == 4


async def test_each_hit_stands_on_one_page(
    plan: dict[str, Any], make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    for number in range(7):
        await lease(pool, f"10.1.0.{10 + number}", f"my-host-{number}", f"0200000000{number:02x}")
        path = "/assignments"
        await make(path, ip=f"10.1.0.{100 + number}", hostname=f"my-host-{number}")
    await settled(pool)
    found, query = [], {"q": "host-", "limit": "3"}
    while True:
        page = (await admin.get("/search", params=query)).json()
        found += [hit["id"] for hit in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert len(found) == len(set(found)) == 14


async def test_the_command_tells_of_a_build(
    plan: dict[str, Any], database: str, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of its end; where no worker reads it says so."""
    monkeypatch.setattr(search_build, "STILL_SECONDS", 0.4)
    monkeypatch.setattr(search_build, "LOOK_SECONDS", 0.1)
    said: list[str] = []
    with pytest.raises(Unavailable, match="none reads"):
        await search_build.rebuild(database, said.append)
    monkeypatch.setattr(search_build, "STILL_SECONDS", 30.0)
    asked = asyncio.create_task(search_build.rebuild(database, said.append))
    while not asked.done():
        await settled(pool)
        await asyncio.sleep(0.05)
    await asked
    assert said[-1] == "done"
