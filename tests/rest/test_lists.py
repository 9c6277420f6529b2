"""Lists: pages that stay right while rows come and go, filters that combine."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services.entity import scans


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


async def test_a_filter_without_an_index_scans_for_a_time_and_goes_on(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no time at all a page is one window: it may be empty, and only a null cursor ends the list."""
    monkeypatch.setattr(scans, "SCAN_SECONDS", -1.0)
    monkeypatch.setattr(scans, "FIRST_WINDOW", 10)
    await pool.execute(
        "insert into reservation (id, subnet_no, ip, mac, description) select gen_random_uuid(), no,"
        " '10.0.0.2'::inet + n, ('0200000000' || lpad(to_hex(n), 2, '0'))::macaddr,"
        " case when n in (3, 31, 32, 99) then 'wanted' else '' end from subnet, generate_series(0, 99) n"
    )
    wanted = [f"10.0.0.{n}" for n in (5, 33, 34, 101)]
    sizes = [len(page) for page in await pages(admin, "/reservations", q="wanted")]
    assert sizes == [1, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0]
    found = await pages(admin, "/reservations", q="wanted", limit=1)
    listed = (await admin.get("/reservations", params={"limit": 100})).json()["items"]
    assert [id_ for page in found for id_ in page] == [item["id"] for item in listed if item["ip"] in wanted]
    await pool.execute(
        "insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length,"
        " state, address, client_key) select now(), now(), now() + '1 hour', now() + '1 hour', 1, tenant_no, no, 32,"
        " case when n = 25 then 'd' else 'a' end::\"char\", '10.0.0.2'::inet + n, '\\x01' from subnet,"
        " generate_series(0, 29) n"
    )
    assert [len(page) for page in await pages(admin, "/leases", state="declined")] == [0, 0, 1, 0]
    assert [len(page) for page in await pages(admin, "/leases", subnet_id=subnet["id"], limit=20)] == [20, 10]


async def test_subnets_in_other_orders(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    plan = [
        ("10.0.9.0/24", "b", 0.5),
        ("10.0.8.0/30", "a", 0.25),
        ("10.0.10.0/24", "b", 0.0),
        ("10.0.1.0/25", "", 0.5),
    ]
    for cidr, name, share in plan:
        made = await make("/subnets", prefix_id=prefix["id"], cidr=cidr, name=name)
        await pool.execute(
            "insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken,"
            " leased, open) select no, 0, 1, '10.0.0.0', '10.0.0.0', 100, 0, 0, 0, $2, 0, 0 from subnet where id = $1",
            made["id"],
            share * 100,
        )
    ids = {item["id"]: item["cidr"] for item in (await admin.get("/subnets")).json()["items"]}
    for sort, order in (
        ("cidr", [3, 1, 0, 2]),
        ("-cidr", [2, 0, 1, 3]),
        ("name", [3, 1, 0, 2]),
        ("-name", [2, 0, 1, 3]),
        ("utilisation", [2, 1, 0, 3]),
        ("-utilisation", [3, 0, 1, 2]),
    ):
        for limit in (1, 3, 50):
            found = await pages(admin, "/subnets", sort=sort, limit=limit)
            assert [ids[id_] for page in found for id_ in page] == [plan[n][0] for n in order], sort
    full = (await admin.get("/subnets", params={"sort": "-utilisation"})).json()["items"]
    assert [row["utilisation"] for row in full] == [0.5, 0.5, 0.25, 0.0]
    assert "utilisation" not in (await admin.get(f"/subnets/{full[0]['id']}")).json()
    for sort in ("", "-", "id", "--cidr"):
        answer = await admin.get("/subnets", params={"sort": sort})
        assert refused(answer, 422, "validation_error")["field"] == "sort"
    cursor = (await admin.get("/subnets", params={"sort": "name", "limit": 1})).json()["next_cursor"]
    for sort in ("-name", "cidr"):
        answer = await admin.get("/subnets", params={"sort": sort, "cursor": cursor})
        assert refused(answer, 422, "validation_error")["field"] == "cursor"
    refused(await admin.get("/excludes", params={"sort": "name"}), 422, "validation_error")
