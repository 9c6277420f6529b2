"""Further names of an address: how they are kept, refused, counted, found and listed; tests/workers publishes them."""

from typing import Any

import asyncpg
import httpx
import pytest

MAC = "02:00:00:00:00:09"
PLAN = "explain select no from {} where cardinality(aliases) > 0 and aliases @> array['www'::text]"


async def found(admin: httpx.AsyncClient, path: str, **query: Any) -> list[str]:
    answer = await admin.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


@pytest.fixture
async def both(make: Any, subnet: dict[str, Any]) -> list[dict[str, Any]]:
    """An assignment and a reservation with their paths."""
    one = await make(
        "/assignments", ip="10.0.0.8", hostname="srv", aliases=["WWW.", "shop.example.net", "www"]
    )
    two = await make(
        f"/subnets/{subnet['id']}/reservations", ip="10.0.0.9", mac=MAC, hostname="lp", aliases=["print"]
    )
    return [one | {"path": f"/assignments/{one['id']}"}, two | {"path": f"/reservations/{two['id']}"}]


async def test_names_are_kept_in_one_spelling(admin: httpx.AsyncClient, both: list[dict[str, Any]]) -> None:
    one, two = both
    assert (one["aliases"], one["alias_records"]) == (["www", "shop.example.net"], "cname")
    changed = await admin.patch(
        two["path"], json={"aliases": ["Printer", "print"], "alias_records": "address"}
    )
    assert (changed.json()["aliases"], changed.json()["alias_records"]) == (["printer", "print"], "address")
    audit = (await admin.get("/audit", params={"object_id": two["id"], "action": "updated"})).json()["items"][
        0
    ]
    assert (audit["before"]["aliases"], audit["after"]["aliases"]) == (["print"], ["printer", "print"])
    table = (await admin.get("/assignments", headers={"accept": "text/csv"})).text.splitlines()
    assert '"www,shop.example.net",cname' in table[1]
    cleared = await admin.patch(two["path"], json={"aliases": None, "alias_records": None})
    assert (cleared.json()["aliases"], cleared.json()["alias_records"]) == ([], "cname")


async def test_records_are_chosen_before_there_are_aliases(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]
) -> None:
    for path in ("/assignments", f"/subnets/{subnet['id']}/reservations"):
        fields = {"mac": MAC} if "reservations" in path else {"ip": "10.0.0.40"}
        made = await make(path, hostname="later", alias_records="address", **fields)
        item = f"/{path.rpartition('/')[2]}/{made['id']}"
        assert (await admin.get(item)).json()["alias_records"] == "address"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"aliases": ["a b"]}, "'a b' must be a host name"),
        ({"aliases": [7]}, "a list of host names"),
        ({"aliases": "www"}, "a list of host names"),
        ({"aliases": ["x" * 64]}, "must be a host name"),
        ({"aliases": [f"n{n}" for n in range(33)]}, "more than 32 names"),
        ({"aliases": ["Name"]}, "the hostname itself"),
        ({"alias_records": "ptr"}, "ptr"),
    ],
)
async def test_names_that_are_refused(
    admin: httpx.AsyncClient, refused: Any, both: list[dict[str, Any]], fields: dict[str, Any], says: str
) -> None:
    for each in both:
        assert (await admin.patch(each["path"], json={"hostname": "name"})).status_code == 200
        error = refused(await admin.patch(each["path"], json=fields), 422, "validation_error")
        assert says in error["reason"]


async def test_a_reservation_needs_a_host_name_and_an_address(
    admin: httpx.AsyncClient, refused: Any, subnet: dict[str, Any], both: list[dict[str, Any]]
) -> None:
    path, aliases = f"/subnets/{subnet['id']}/reservations", ["www"]
    other = "02:00:00:00:00:0a"
    for answer in (
        await admin.post(path, json={"ip": "10.0.0.10", "mac": other, "aliases": aliases}),
        await admin.post(path, json={"ip": None, "mac": other, "hostname": "x", "aliases": aliases}),
        await admin.post("/reservations", json={"mac": other, "hostname": "x", "aliases": aliases}),
        await admin.patch(both[1]["path"], json={"hostname": None}),
        await admin.patch(both[1]["path"], json={"ip": None}),
    ):
        assert refused(answer, 422, "validation_error")["field"] == "aliases"
    made = await admin.post(path, json={"mac": other, "hostname": "x", "aliases": aliases})
    assert made.json()["ip"] is not None, "the next free address"


async def test_names_are_found(admin: httpx.AsyncClient, both: list[dict[str, Any]]) -> None:
    for each, name in zip(both, ("shop.example.net", "print"), strict=True):
        family = each["path"].rpartition("/")[0]
        assert await found(admin, family, alias=name.upper()) == [each["id"]]
        assert await found(admin, family, alias=name[:-1]) == []
        assert await found(admin, family, q=name[1:4]) == [each["id"]]
        hits = (await admin.get("/search", params={"q": name.title()})).json()["items"]
        assert [(hit["id"], hit["match"]) for hit in hits] == [(each["id"], "alias")]


async def test_the_index_finds_names(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, both: list[dict[str, Any]]
) -> None:
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local enable_seqscan = off")
        for table in ("assignment", "reservation"):
            plan = "\n".join(row[0] for row in await connection.fetch(PLAN.format(table)))
            assert f"{table}_aliases" in plan, plan


async def test_names_do_not_count_as_managed_addresses(
    admin: httpx.AsyncClient, both: list[dict[str, Any]]
) -> None:
    assert (await admin.get("/dashboard")).json()["managed_ips"] == 2


async def test_bulk_and_dry_run(
    admin: httpx.AsyncClient, subnet: dict[str, Any], both: list[dict[str, Any]]
) -> None:
    body = {"hostname": "db", "ip": "10.0.0.20", "aliases": ["SQL"], "alias_records": "address"}
    operations = [
        {"op": "create", "path": "/assignments", "body": body},
        {"op": "update", "path": both[0]["path"], "body": {"aliases": ["www2"]}},
    ]
    for dry_run in (True, False):
        answer = (await admin.post("/bulk", json={"operations": operations, "dry_run": dry_run})).json()
        assert [each["body"]["aliases"] for each in answer["results"]] == [["sql"], ["www2"]]
        assert len(await found(admin, "/assignments", alias="sql")) == (0 if dry_run else 1)
    assert await found(admin, "/assignments", alias="www2") == [both[0]["id"]]
