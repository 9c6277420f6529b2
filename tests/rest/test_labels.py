"""VLAN, site, tags and custom fields: how they are kept, refused, merged, found and listed."""

from typing import Any

import asyncpg
import httpx
import pytest

PLAN = """
explain select no from reservation where cardinality(tags) > 0 and tags @> '{printers}'::text[]"""
MANY = """
insert into reservation (id, subnet_no, ip, mac, tags)
select gen_random_uuid(), no, '10.0.0.2'::inet + n, ('02000000' || lpad(to_hex(n), 4, '0'))::macaddr,
       case when n % 50 = 0 then '{printers}'::text[] else '{}' end
from subnet, generate_series(0, 19999) n"""


async def found(admin: httpx.AsyncClient, path: str, **query: Any) -> list[str]:
    answer = await admin.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def test_tags_are_kept_in_one_spelling(admin: httpx.AsyncClient, make: Any) -> None:
    made = await make("/prefixes", cidr="192.168.0.0/16", tags=[" Core", "lab 2", "CORE"])
    assert (made["tags"], made["custom"]) == (["core", "lab 2"], {})
    other = await make("/prefixes", cidr="172.16.0.0/16", tags=["core"])
    assert await found(admin, "/prefixes", tag="Core") == [made["id"], other["id"]]
    assert await found(admin, "/prefixes", tag=["core", "lab 2"]) == [made["id"]]
    assert await found(admin, "/prefixes", tag="lab 2,core") == [made["id"]]
    table = (await admin.get("/prefixes", headers={"accept": "text/csv"})).text.splitlines()
    assert ',"core,lab 2",' in table[1]


async def test_custom_fields_are_merged(admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]) -> None:
    item = f"/subnets/{subnet['id']}"
    for patch, after in (
        ({"owner": "net", "rack": {"row": 7, "unit": 3}}, {"owner": "net", "rack": {"row": 7, "unit": 3}}),
        ({"rack": {"unit": None}}, {"owner": "net", "rack": {"row": 7}}),
        ({"owner": None, "cost": 4711}, {"rack": {"row": 7}, "cost": 4711}),
    ):
        changed = await admin.patch(item, json={"custom": patch})
        assert changed.json()["custom"] == after
    assert await found(admin, "/subnets", **{"custom.cost": "4711"}) == [subnet["id"]]
    assert await found(admin, "/subnets", **{"custom.cost": "47", "custom.none": ""}) == []
    assert (await admin.patch(item, json={"custom": None})).json()["custom"] == {}


async def test_lists_are_filtered_by_nested_and_missing_members(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]
) -> None:
    """In every list whose objects have custom fields."""
    below, custom = f"/subnets/{subnet['id']}", {"rack": {"row": 7, "name": "null"}, "empty": None}
    prefix = await make("/prefixes", cidr="192.168.0.0/16", custom=custom)
    made = {
        "/prefixes": prefix,
        "/subnets": await make("/subnets", prefix_id=prefix["id"], cidr="192.168.1.0/24", custom=custom),
        "/pools": await make(f"{below}/pools", start_ip="10.0.0.20", end_ip="10.0.0.29", custom=custom),
        "/reservations": await make(
            f"{below}/reservations", ip="10.0.0.10", mac="02:00:00:00:00:01", custom=custom
        ),
        "/assignments": await make("/assignments", ip="10.0.0.11", hostname="srv", custom=custom),
    }
    for path, each in made.items():
        assert await found(admin, path, **{"custom.rack.row": "7"}) == [each["id"]], path
        assert await found(admin, path, **{"custom.rack.row": "8"}) == [], path
        assert each["id"] not in await found(admin, path, **{"custom.rack": "null"}), path
        assert each["id"] in await found(admin, path, **{"custom.rack.unit": "null"}), path
        assert each["id"] in await found(admin, path, **{"custom.empty": "null"}), path
        assert await found(admin, path, **{"custom.rack.name": '"null"'}) == [each["id"]], path
        assert each["id"] not in await found(admin, path, **{"custom.rack.name": "null"}), path
    assert await found(admin, "/subnets", **{"custom.rack": "null"}) == [subnet["id"]]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("tags", ["a,b"], "without commas"),
        ("tags", ["x" * 65], "1 to 64 characters"),
        ("tags", [7], "1 to 64 characters"),
        ("tags", "core", "a list"),
        ("tags", [f"t{n}" for n in range(33)], "32 tags"),
        ("custom", {"a": {"b": {"c": {"d": {}}}}}, "4 levels"),
        ("custom", {"a b": 1}, "'a b' is not such a name"),
        ("custom", {"a": "x" * 16384}, "16384 octets"),
        ("custom", [1], "a JSON object"),
        ("vlan_id", 4095, "4094"),
        ("vlan_id", 0, ">= 1"),
    ],
)
async def test_what_does_not_fit_is_refused(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Any, field: str, value: Any, says: str
) -> None:
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={field: value})
    assert refused(answer, 422, "validation_error")["field"] == field
    assert says in answer.json()["error"]["message"]


async def test_a_filter_that_names_nothing_is_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    for name, text in (
        ("custom.", "x"),
        ("custom.a b", "x"),
        ("custom.a..b", "x"),
        ("custom.a.b.c.d.e", "x"),
        ("tag", ""),
        ("vlan_id", "x"),
    ):
        answer = await admin.get("/subnets", params={name: text})
        assert refused(answer, 422, "validation_error")["field"] == name
    answer = await admin.get("/tenants", params={"custom.owner": "net"})
    assert refused(answer, 422, "validation_error")["field"] == "custom.owner"


async def test_search_finds_them(admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]) -> None:
    item = f"/subnets/{subnet['id']}"
    await admin.patch(item, json={"vlan_id": 2020, "site": "Köln Süd", "tags": ["lab"]})
    await make(f"{item}/pools", start_ip="10.0.0.100", end_ip="10.0.0.110", tags=["lab"])
    await make(f"{item}/reservations", ip="10.0.0.7", mac="02:00:00:00:00:07", tags=["lab"])
    await make("/assignments", ip="10.0.0.8", hostname="web", tags=["lab"])
    await make("/prefixes", cidr="192.168.0.0/16", tags=["lab"])

    async def hits(text: str) -> list[tuple[str, str]]:
        items = (await admin.get("/search", params={"q": text})).json()["items"]
        return [(hit["type"], hit["match"]) for hit in items]

    kinds = ("prefix", "subnet", "reservation", "assignment", "pool")
    assert await hits("LAB") == [(kind, "tag") for kind in kinds]
    assert await hits("köln") == [("subnet", "site")]
    assert ("subnet", "vlan_id") in await hits("vlan 2020")


async def test_an_index_leads_to_the_reservations_of_a_tag(
    subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.128.0/17")
    await pool.execute(MANY.replace("from subnet,", "from (select max(no) no from subnet) s,"))
    await pool.execute("analyze reservation")
    plan = "\n".join(row[0] for row in await pool.fetch(PLAN))
    assert "reservation_tags" in plan
