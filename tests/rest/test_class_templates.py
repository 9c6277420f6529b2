"""Templates in the API: what may be one, what may be compared with its values, and which values there are."""

from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from ipam_core.model.ids import parse_id
from ipam_core.services.class_values import KEPT, note_values

RACK = {"option": 82, "suboption": 1, "exists": True}
NEAR = {"any": [{"option": 60, "exists": True}, {"class": "rack", "in": ["r17", 7]}]}


@pytest.mark.parametrize(
    "match",
    [
        None,
        {"option": 82, "suboption": 1, "equals": "r17"},
        {"option": 60, "exists": False},
        {"not": {"option": 60, "exists": True}},
        {"all": [RACK, {"option": 60, "exists": True}]},
        {"class": "phones"},
    ],
)
async def test_a_template_reads_one_value(
    admin: httpx.AsyncClient, make: Any, match: Any, refused: Any
) -> None:
    await make("/client-classes", name="phones", priority=1, vendor_class="phone")
    told = {"name": "rack", "vendor_class": "x", "match": match, "template": True}
    details = refused(await admin.post("/client-classes", json=told), 422, "validation_error")
    assert details["field"] == "match"
    assert '{"option": 82, "suboption": 1, "exists": true}' in details["reason"]


async def test_it_is_stored_and_found(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    made = await make("/client-classes", name="rack", match=RACK, template=True)
    other = await make("/client-classes", name="phones", vendor_class="phone")
    assert (made["template"], other["template"]) == (True, False)
    listed = (await admin.get("/client-classes", params={"template": "true"})).json()["items"]
    assert [found["id"] for found in listed] == [made["id"]]
    path = f"/client-classes/{other['id']}"
    assert (
        refused(await admin.patch(path, json={"template": True}), 422, "validation_error")["field"] == "match"
    )
    changed = await admin.patch(path, json={"template": True, "match": {"field": "giaddr", "exists": True}})
    assert changed.json()["template"] is True


@pytest.mark.parametrize(
    ("leaf", "field", "reason"),
    [
        ({"class": "phones", "equals": "x"}, "match", "refers to phones, which is not a template"),
        ({"class": "site", "in": ["10.0.0.1", "x"]}, "match.in[1]", "must be an IP address"),
        ({"class": "rack", "exists": True}, "match.exists", "is unknown here"),
        ({"class": "rack", "equals": "a", "prefix": "b"}, "match", "needs one of"),
        ({"class": "rack", "prefix": 7}, "match.prefix", "not a number"),
    ],
)
async def test_what_is_compared_is_a_value_of_the_template(
    admin: httpx.AsyncClient, make: Any, leaf: dict[str, Any], field: str, reason: str, refused: Any
) -> None:
    await make("/client-classes", name="phones", priority=1, vendor_class="phone")
    await make("/client-classes", name="rack", priority=1, match=RACK, template=True)
    await make(
        "/client-classes", name="site", priority=1, match={"field": "giaddr", "exists": True}, template=True
    )
    answer = await admin.post("/client-classes", json={"name": "odd", "match": leaf})
    details = refused(answer, 422, "validation_error")
    assert details["field"] == field
    assert reason in details["reason"]


async def test_a_template_whose_values_are_compared_stays_one(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    rack = await make("/client-classes", name="rack", priority=1, match=RACK, template=True)
    await make("/client-classes", name="near", match=NEAR)
    path = f"/client-classes/{rack['id']}"
    details = refused(await admin.patch(path, json={"template": False}), 422, "validation_error")
    assert (details["field"], "class near compares" in details["reason"]) == ("template", True)
    relays = {"match": {"field": "giaddr", "option": None, "suboption": None}}
    details = refused(await admin.patch(path, json=relays), 422, "validation_error")
    assert (details["field"], "must be an IP address" in details["reason"]) == ("match", True)
    refused(await admin.delete(path), 409, "conflict")
    assert (await admin.patch(path, json={"match": {"option": 60, "exists": True}})).status_code == 200


async def number(connection: asyncpg.Connection, made: dict[str, Any]) -> int:
    return int(await connection.fetchval("select no from client_class where id = $1", parse_id(made["id"])))


async def test_its_values_are_listed(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any, connect: Any
) -> None:
    """As servers noted them, of all together, until the conditions are others."""
    rack = await make("/client-classes", name="rack", match=RACK, template=True)
    plain = await make("/client-classes", name="plain", vendor_class="x")
    path = f"/client-classes/{rack['id']}/values"
    async with pool.acquire() as connection:
        no, other = await number(connection, rack), await number(connection, plain)
        await note_values(
            connection, [(no, b"r17", 3), (no, b"\1\xff", 1), (other, b"x", 1), (other + 99, b"x", 1)]
        )
        await note_values(connection, [(no, b"r17", 5)])
        await note_values(connection, [])
    found = (await admin.get(path, params={"limit": 1})).json()
    assert [(row["name"], row["value"], row["packets"]) for row in found["items"]] == [
        ("rack:0x01ff", "0x01ff", 1)
    ]
    assert found["items"][0]["first_seen_at"] <= found["items"][0]["last_seen_at"]
    rest = (await admin.get(path, params={"cursor": found["next_cursor"]})).json()
    assert [(row["name"], row["packets"]) for row in rest["items"]] == [("rack:r17", 8)]
    assert rest["next_cursor"] is None
    later = {"since": "2100-01-01T00:00:00Z"}
    assert (await admin.get(path, params=later)).json()["items"] == []
    csv = (await admin.get(path, headers={"accept": "text/csv"})).text.splitlines()
    assert [line.split(",")[3] for line in csv] == ["name", "rack:0x01ff", "rack:r17"]
    assert (await admin.get(f"/client-classes/{plain['id']}/values")).json()["items"] == []
    refused(await admin.get(f"/client-classes/{uuid4()}/values"), 404, "not_found")
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="guest", role="viewer", tenant_id=tenant["id"])
    refused(await connect(token["token"]).get(path), 404, "not_found")
    for query in ({"cursor": "x"}, {"limit": "0"}, {"colour": "1"}):
        refused(await admin.get(path, params=query), 422, "validation_error")
    await admin.patch(f"/client-classes/{rack['id']}", json={"description": "d"})
    assert len((await admin.get(path)).json()["items"]) == 2
    await admin.patch(f"/client-classes/{rack['id']}", json={"match": {"option": 60, "exists": True}})
    assert (await admin.get(path)).json()["items"] == []
    async with pool.acquire() as connection:
        await note_values(connection, [(no, b"x%d" % number, 1) for number in range(KEPT + 3)])
        assert await connection.fetchval("select count(*) from class_value") == KEPT
    assert (await admin.delete(f"/client-classes/{rack['id']}")).status_code == 204
    assert await pool.fetchval("select count(*) from class_value") == 0
