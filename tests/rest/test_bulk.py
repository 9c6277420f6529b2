"""Bulk: all or none, refs, dry runs, and that nothing may be done in it that may not be done by itself."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.settings import Settings


@pytest.fixture(params=[0, 1000], ids=["without a limit", "with a limit"])
def settings(request: pytest.FixtureRequest) -> Settings:
    """Under a limit they are counted, and without one they are not."""
    return Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=request.param)


def create(path: str, ref: str | None = None, **body: Any) -> dict[str, Any]:
    return {"op": "create", "path": path, "body": body, "ref": ref}


def mac(number: int) -> str:
    return (0x02_00_00_00_00_00 + number).to_bytes(6, "big").hex(":")


SITE = [
    create("/prefixes", "site", cidr="10.0.0.0/8"),
    create("/subnets", "lan", prefix_id="$site", cidr="10.0.0.0/22", gateway="10.0.0.1"),
    create("/prefixes/$site/next-subnet", "next", prefix_length=24, description="$lan"),
    create("/client-classes", "phones", name="phones", vendor_class="phone"),
    create("/subnets/$lan/pools", "pool", start_ip="10.0.2.0", end_ip="10.0.3.250", class_id="$phones"),
    create("/pools/$pool/options", code=15, payload={"string": "$not-a-ref"}),
    create("/global-options", code=6, payload={"addresses": ["10.0.0.53"]}),
    {"op": "update", "path": "/api/v1/subnets/$lan/", "body": {"name": "lan"}},
    create("/subnets/$lan/excludes", "gone", start_ip="10.0.0.2", end_ip="10.0.0.3"),
    {"op": "delete", "path": "/excludes/$gone"},
]


async def counts(pool: asyncpg.Pool) -> list[int]:
    tables = ("prefix", "subnet", "pool", "exclude", "reservation", "dhcp_option", "change")
    return [await pool.fetchval(f"select count(*) from {table}") for table in tables]


async def test_a_site_in_one_request(admin: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any) -> None:
    body = {"operations": SITE, "dry_run": True}
    nothing = await counts(pool)
    dry = (await admin.post("/bulk", json=body)).json()["results"]
    assert await counts(pool) == nothing
    done = (await admin.post("/bulk", json={"operations": SITE})).json()["results"]
    for results in (dry, done):
        assert [result["index"] for result in results] == list(range(10))
        assert [result["status"] for result in results] == [201] * 7 + [200, 201, 204]
        lan = results[1]["body"]
        following = results[2]["body"]
        assert (following["cidr"], following["description"]) == ("10.0.4.0/24", lan["id"])
        assert (lan["prefix_id"], results[4]["body"]["subnet_id"]) == (results[0]["body"]["id"], lan["id"])
        assert results[5]["body"]["payload"] == {"string": "$not-a-ref"}
        assert (results[7]["body"]["name"], results[9]["body"]) == ("lan", None)
    assert (await admin.get(f"/subnets/{done[1]['body']['id']}")).json() == done[7]["body"]
    assert await counts(pool) == [1, 2, 1, 0, 0, 2, nothing[-1] + 10]


async def test_a_thousand_reservations(admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any) -> None:
    wide = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.8.0/21")
    path = f"/subnets/{wide['id']}/reservations"
    operations = [create(path, ip=f"10.0.{8 + n // 250}.{1 + n % 250}", mac=mac(n)) for n in range(1000)]
    key = {"idempotency-key": "x"}
    answers = [await admin.post("/bulk", json={"operations": operations}, headers=key) for _ in range(2)]
    assert {answer.status_code for answer in answers} == {200}
    assert answers[0].content == answers[1].content
    made = [result["body"] for result in answers[0].json()["results"]]
    listed = (await admin.get("/reservations", params={"limit": 1000})).json()["items"]
    assert made == listed


REFUSED = [
    (create("/subnets/{subnet}/reservations", ip="10.0.0.9", mac=mac(9)), 409, {"field": "ip"}),
    (create("/subnets/{subnet}/reservations", ip="10.0.0.1", mac=mac(9)), 409, {"field": "ip"}),
    (create("/subnets/{subnet}/reservations", ip="10.0.0.30", mac=mac(1)), 409, {"field": "mac"}),
    (create("/subnets/{subnet}/reservations", ip="10.9.0.1", mac=mac(9)), 422, {"field": "ip"}),
    (create("/subnets/{subnet}/reservations", ip="10.0.0.30"), 422, {"field": "mac"}),
    (create("/subnets/{subnet}/reservations", ip="10.0.0.30", mac="x"), 422, {"field": "mac"}),
    (create("/subnets/$nothing/reservations", ip="10.0.0.30", mac=mac(9)), 422, {"field": "path"}),
    (create("/subnets/nothing/reservations", ip="10.0.0.30", mac=mac(9)), 404, {}),
    (create("/tokens", name="x", role="admin"), 422, {"field": "path"}),
    (create("/webhooks", url="https://hooks.example.net/x"), 422, {"field": "secret"}),
    (create("/subnets/{subnet}", name="x"), 422, {"field": "path"}),
    (create("/subnets", "first", prefix_id="{prefix}", cidr="10.0.1.0/24"), 422, {"field": "ref"}),
    ({"op": "update", "path": "/tokens/x", "body": {}}, 422, {"field": "path"}),
    ({"op": "update", "path": "/subnets", "body": {}}, 422, {"field": "path"}),
    ({"op": "update", "path": "/subnets/{subnet}", "body": {"prefix_id": "x"}}, 422, {"field": "prefix_id"}),
    ({"op": "delete", "path": "/subnets/{subnet}"}, 409, {"children": {"excludes": 1, "reservations": 2}}),
    ({"op": "delete", "path": "/subnets/{subnet}?force"}, 422, {"field": "path"}),
    ({"op": "delete", "path": "/subnets/{subnet}", "body": {"x": 1}}, 422, {"field": "body"}),
]


async def test_one_refusal_undoes_all_and_names_its_index(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, make: Any, refused: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    await make(f"{below}/reservations", ip="10.0.0.20", mac=mac(1))
    before = await counts(pool)
    first = [
        create(f"{below}/excludes", "first", start_ip="10.0.0.9", end_ip="10.0.0.9"),
        create(f"{below}/reservations", ip="10.0.0.21", mac=mac(2)),
    ]
    codes = {404: "not_found", 409: "conflict", 422: "validation_error"}
    for operation, status, expected in REFUSED:
        path = operation["path"].format(subnet=subnet["id"])
        body = operation.get("body") and {
            name: subnet["prefix_id"] if value == "{prefix}" else value
            for name, value in operation["body"].items()
        }
        sent = [*first, operation | {"path": path, "body": body}]
        details = refused(await admin.post("/bulk", json={"operations": sent}), status, codes[status])
        assert details["index"] == 2, operation
        assert expected.items() <= details.items(), operation
        assert await counts(pool) == before, operation


async def test_the_envelope_of_the_request_is_checked(admin: httpx.AsyncClient, refused: Any) -> None:
    one = {"op": "delete", "path": "/pools/x"}
    for body, field in (
        ({}, "operations"),
        ({"operations": []}, "operations"),
        ({"operations": [one] * 1001}, "operations"),
        ({"operations": [one | {"op": "replace"}]}, "operations[0].op"),
        ({"operations": [one | {"more": 1}]}, "operations[0].more"),
        ({"operations": [one | {"ref": "a b"}]}, "operations[0].ref"),
    ):
        answer = await admin.post("/bulk", json=body)
        assert refused(answer, 422, "validation_error")["field"] == field


async def test_a_tenants_token_stays_in_its_tenant(
    connect: Any, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    tenant = await make("/tenants", name="other")
    theirs = connect((await make("/tokens", name="t", role="admin", tenant_id=tenant["id"]))["token"])
    for operation in (
        create(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.30", mac=mac(1)),
        {"op": "update", "path": f"/subnets/{subnet['id']}", "body": {"name": "x"}},
        {"op": "delete", "path": f"/subnets/{subnet['id']}"},
    ):
        assert (
            refused(await theirs.post("/bulk", json={"operations": [operation]}), 404, "not_found")["index"]
            == 0
        )
    own = [
        create("/prefixes", "p", cidr="10.0.0.0/16"),
        create("/subnets", prefix_id="$p", cidr="10.0.0.0/24"),
    ]
    made = (await theirs.post("/bulk", json={"operations": own})).json()["results"]
    assert {result["body"]["tenant_id"] for result in made} == {tenant["id"]}


async def test_a_rehearsal_that_the_request_does_not_have_is_no_write(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    """`dry_run` is a field of the body here, or not known at all."""
    zone = await make("/dns-zones", name="r.example")
    import_ = f"/dns-zones/{zone['id']}/import"
    requests = [
        ("POST", "/prefixes", {"cidr": "10.9.0.0/16"}),
        ("POST", "/webhooks", {"url": "https://192.0.2.1/"}),
        ("POST", "/bulk", {"operations": [create("/prefixes", cidr="10.9.0.0/16")]}),
        ("POST", import_, {"zone_file": "a A 192.0.2.1\n"}),
        ("DELETE", f"/dns-zones/{zone['id']}", None),
    ]
    for method, path, body in requests:
        name = "dry_run" if method == "POST" else "dryrun"
        answer = await admin.request(method, path, params={name: "true"}, json=body)
        assert refused(answer, 422, "validation_error")["field"] == name
    for path in ("/prefixes", "/webhooks", f"/dns-zones/{zone['id']}/records"):
        assert (await admin.get(path)).json()["items"] == []
