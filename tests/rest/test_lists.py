"""Lists: pages that stay right while rows come and go, filters that combine."""

from typing import Any

import asyncpg
import httpx


async def pages(client: httpx.AsyncClient, path: str, **params: Any) -> list[list[str]]:
    found, cursor = [], None
    while True:
        answer = await client.get(path, params=params | ({"cursor": cursor} if cursor else {}))
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {"items", "next_cursor"}
        found.append([item["id"] for item in answer.json()["items"]])
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return found


async def test_pages_hold_every_object_once(admin: httpx.AsyncClient, make: Any) -> None:
    made = [(await make("/trusted-relays", cidr=f"10.0.{n}.0/24"))["id"] for n in range(7)]
    for limit, sizes in ((1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (1000, [7]), (5000, [7])):
        found = await pages(admin, "/trusted-relays", limit=limit)
        assert [len(page) for page in found] == sizes
        assert [id_ for page in found for id_ in page] == made


async def test_a_list_stays_right_while_rows_are_added_and_removed(
    admin: httpx.AsyncClient, make: Any
) -> None:
    made = [(await make("/trusted-relays", cidr=f"10.0.{n}.0/24"))["id"] for n in range(6)]
    first = (await admin.get("/trusted-relays", params={"limit": 3})).json()
    for gone in (made[0], made[2], made[4]):
        await admin.delete(f"/trusted-relays/{gone}")
    added = (await make("/trusted-relays", cidr="10.9.0.0/24"))["id"]
    rest = (await admin.get("/trusted-relays", params={"cursor": first["next_cursor"]})).json()
    assert [item["id"] for item in rest["items"]] == [made[3], made[5], added]
    assert rest["next_cursor"] is None


async def test_fifty_are_shown_unless_asked_otherwise(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    await pool.execute(
        "insert into reservation (id, subnet_no, ip, mac) select gen_random_uuid(), no, '10.0.0.2'::inet + n,"
        " ('02:00:00:00:00:' || to_hex(n + 16))::macaddr from subnet, generate_series(0, 119) n"
    )
    assert [len(page) for page in await pages(admin, "/reservations")] == [50, 50, 20]


async def test_filters_combine(admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any) -> None:
    other = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.7.0/24", name="seven")
    await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.7", mac="02:00:00:00:00:01")
    wanted = await make(f"/subnets/{other['id']}/reservations", ip="10.0.7.7", mac="02:00:00:00:00:01")

    async def found(**params: str) -> list[str]:
        return [item["id"] for item in (await admin.get("/reservations", params=params)).json()["items"]]

    assert len(await found(mac="02-00-00-00-00-01")) == 2
    assert await found(mac="02-00-00-00-00-01", within="10.0.7.0/24") == [wanted["id"]]
    assert await found(mac="02-00-00-00-00-01", subnet_id=other["id"]) == [wanted["id"]]
    assert await found(mac="02-00-00-00-00-02", subnet_id=other["id"]) == []
    assert await found(subnet_id="no-such-id") == []
    below = (await admin.get(f"/subnets/{other['id']}/reservations", params={"q": "10.0"})).json()["items"]
    assert [item["id"] for item in below] == [wanted["id"]]
    assert [item["id"] for item in (await admin.get("/subnets", params={"q": "10%"})).json()["items"]] == []


async def test_only_global_options_are_global(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    body = {"code": 15, "payload": {"string": "example.net"}}
    everywhere = await make("/global-options", **body)
    await make(f"/subnets/{subnet['id']}/options", **body)
    assert [item["id"] for item in (await admin.get("/global-options")).json()["items"]] == [everywhere["id"]]
    assert len((await admin.get("/options")).json()["items"]) == 2
    v6 = await make("/global-options", code=23, family=6, payload={"addresses": ["2001:DB8:0::53"]})
    assert (v6["family"], v6["payload"]) == (6, {"addresses": ["2001:db8::53"]})
