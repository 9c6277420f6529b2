"""Zones of several tenants: who may answer for which names, however they are spelled and however a zone is enabled."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import dns_publication
from ipam_core.workers.publisher import Publisher

Tenant = dict[str, Any]
Found = Callable[..., Awaitable[Tenant]]
TAKEN = "the name overlaps a zone or a DNS suffix of another tenant. Choose another name, or set dns_enabled to false"


@pytest.fixture
def found(make: Any, connect: Any) -> Found:
    """A tenant with suffixes and its admin's client."""

    async def create(name: str, *suffixes: str) -> Tenant:
        tenant = await make("/tenants", name=name, dns_suffixes=list(suffixes))
        token = await make("/tokens", name=name, role="admin", tenant_id=tenant["id"])
        return {**tenant, "client": connect(token["token"])}

    return create


@pytest.fixture
async def default(admin: httpx.AsyncClient, make: Any, connect: Any) -> Tenant:
    (tenant,) = (await admin.get("/tenants", params={"is_default": "true"})).json()["items"]
    token = await make("/tokens", name="own", role="admin", tenant_id=tenant["id"])
    return {**tenant, "client": connect(token["token"])}


async def enable(tenant: Tenant, name: str) -> httpx.Response:
    answer: httpx.Response = await tenant["client"].post(
        "/dns-zones", json={"name": name, "dns_enabled": True}
    )
    return answer


def message(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["message"])


async def test_suffixes_are_kept_in_one_spelling(make: Any, admin: httpx.AsyncClient, refused: Any) -> None:
    spelled = ["Example.ORG.", "example.org", "müller.example", "20.10.IN-ADDR.ARPA", "a\\.b.example.net"]
    tenant = await make("/tenants", name="acme", dns_suffixes=spelled)
    kept = ["example.org", "xn--mller-kva.example", "20.10.in-addr.arpa", "a\\.b.example.net"]
    assert tenant["dns_suffixes"] == kept
    path = f"/tenants/{tenant['id']}"
    assert (await admin.patch(path, json={"description": "x"})).json()["dns_suffixes"] == kept
    assert (await admin.patch(path, json={"dns_suffixes": None})).json()["dns_suffixes"] == []
    for bad in (".", "*.example", "a..b", "x" * 64, "a b", ""):
        answer = await admin.patch(path, json={"dns_suffixes": [bad]})
        assert refused(answer, 422, "validation_error")["field"].startswith("dns_suffixes"), bad
    many = [f"z{n}.example" for n in range(65)]
    refused(await admin.patch(path, json={"dns_suffixes": many}), 422, "validation_error")


async def test_a_global_admin_alone_sets_them(found: Found, admin: httpx.AsyncClient, refused: Any) -> None:
    tenant = await found("acme", "acme.example")
    path = f"/tenants/{tenant['id']}"
    for suffixes in ([], ["example"], ["acme.example", "b.example"], ["other.example"], None):
        patch = {"dns_suffixes": suffixes}
        refused(await tenant["client"].patch(path, json=patch), 403, "forbidden")
        bulk = {"operations": [{"op": "update", "path": path, "body": patch}]}
        refused(await tenant["client"].post("/bulk", json=bulk), 403, "forbidden")
    same = {"description": "ours", "dns_suffixes": ["ACME.example."]}
    assert (await tenant["client"].patch(path, json=same)).status_code == 200
    assert (await admin.get(path)).json()["dns_suffixes"] == ["acme.example"]


OVERLAPPING = [
    ("acme.example", "acme.example"),
    ("acme.example", "ACME.Example."),
    ("acme.example", "b.acme.example"),
    ("b.acme.example", "acme.example"),
    ("acme.example", "example"),
    ("20.10.in-addr.arpa", "1.20.10.in-addr.arpa"),
    ("8.b.d.0.1.0.0.2.ip6.arpa", "0.8.b.d.0.1.0.0.2.ip6.arpa"),
    ("0/25.2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"),
    ("müller.example", "b.xn--mller-kva.example"),
    ("a\\.b.example", "c.a\\.b.example"),
]
APART = [
    ("acme.example", "xacme.example"),
    ("b.example", "a\\.b.example"),
    ("20.10.in-addr.arpa", "120.10.in-addr.arpa"),
    ("2.10.in-addr.arpa", "20.10.in-addr.arpa"),
    ("0/25.2.0.192.in-addr.arpa", "128/25.2.0.192.in-addr.arpa"),
    ("b.d.0.1.0.0.2.ip6.arpa", "c.d.0.1.0.0.2.ip6.arpa"),
]


@pytest.mark.parametrize(("first", "second"), OVERLAPPING)
async def test_suffixes_of_two_tenants_do_not_overlap(
    found: Found, admin: httpx.AsyncClient, refused: Any, first: str, second: str
) -> None:
    one, two = await found("one", first), await found("two", "two.test")
    body = {"name": "three", "dns_suffixes": ["three.test", second]}
    details = refused(await admin.post("/tenants", json=body), 409, "conflict")
    assert details["field"] == "dns_suffixes"
    assert details["conflicts_with"]["name"] == one["name"]
    refused(await admin.patch(f"/tenants/{two['id']}", json={"dns_suffixes": [second]}), 409, "conflict")
    # Those of one tenant may; and a suffix that one gives up another may have.
    nested = {"dns_suffixes": [first, second]}
    assert (await admin.patch(f"/tenants/{one['id']}", json=nested)).status_code == 200
    assert (await admin.patch(f"/tenants/{one['id']}", json={"dns_suffixes": []})).status_code == 200
    assert (await admin.patch(f"/tenants/{two['id']}", json=nested)).status_code == 200


@pytest.mark.parametrize(("first", "second"), APART)
async def test_names_that_only_end_alike_are_apart(found: Found, first: str, second: str) -> None:
    one, two = await found("one", first), await found("two", second)
    for tenant, own, other in ((one, first, second), (two, second, first)):
        assert (await enable(tenant, own)).status_code == 201, own
        assert (await enable(tenant, other)).status_code == 409, other
        assert (await enable(tenant, "below." + own)).status_code == 201, own


@pytest.mark.parametrize(
    "own", ["acme.example", "20.10.in-addr.arpa", "b.d.0.1.0.0.2.ip6.arpa", "a\\.b.example"]
)
async def test_a_tenant_enables_zones_below_its_suffixes_only(
    found: Found, admin: httpx.AsyncClient, refused: Any, own: str
) -> None:
    tenant = await found("acme", own)
    other = await found("none")
    for name in ("example.org", "org", own.partition(".")[2], "x" + own):
        answer = await enable(tenant, name)
        assert refused(answer, 409, "conflict") == {"field": "dns_enabled"}, name
        assert "DNS suffix of tenant acme" in message(answer)
    for name in (own, "b." + own.upper() + ".", "*." + own):
        assert (await enable(other, name)).status_code in (409, 422)
    # A global admin is bound by the same rule, because the zone would be the tenant's.
    body = {"name": "example.org", "tenant_id": tenant["id"], "dns_enabled": True}
    refused(await admin.post("/dns-zones", json=body), 409, "conflict")
    for name in (own, "B." + own + "."):
        assert (await enable(tenant, name)).status_code == 201
    # Zones that another server answers are not restricted, and are not enabled later either.
    zone = (await tenant["client"].post("/dns-zones", json={"name": "example.org"})).json()
    refused(
        await tenant["client"].patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": True}), 409, "conflict"
    )
    update = {"op": "update", "path": f"/dns-zones/{zone['id']}", "body": {"dns_enabled": True}}
    create = {"op": "create", "path": "/dns-zones", "body": {"name": "net", "dns_enabled": True}}
    for operation in (update, create):
        answer = await tenant["client"].post("/bulk", json={"operations": [operation]})
        assert refused(answer, 409, "conflict") == {"field": "dns_enabled", "index": 0}


async def test_the_review(default: Tenant, found: Found, refused: Any) -> None:
    """Zones at, above and below those of another tenant, in both directions."""
    assert (await enable(default, "example.net")).status_code == 201
    acme = await found("acme", "acme.example", "host.example.net", "net")
    for name in (
        "host.example.net",
        "net",
        "example.net",
        "_acme-challenge.host.example.net",
        "Example.NET.",
    ):
        answer = await enable(acme, name)
        assert refused(answer, 409, "conflict") == {"field": "dns_enabled"}
        assert message(answer) == TAKEN
    assert (await enable(acme, "b.acme.example")).status_code == 201
    for name in ("b.acme.example", "c.b.acme.example", "acme.example", "example", "x.acme.example"):
        answer = await enable(default, name)
        assert refused(answer, 409, "conflict") == {"field": "dns_enabled"}
        assert message(answer) == TAKEN
    assert (await enable(default, "xacme.example")).status_code == 201


async def test_a_refusal_reveals_no_zone_and_no_tenant(default: Tenant, found: Found) -> None:
    """What a tenant hears of a name is the same whether another tenant has it or nobody."""
    await found("rich", "rich.example")
    poor = await found("poor")
    before = [message(await enable(poor, name)) for name in ("rich.example", "a.free.example")]
    assert (await enable(default, "free.example")).status_code == 201
    after = [message(await enable(poor, name)) for name in ("rich.example", "a.free.example")]
    assert before == after
    assert "rich" not in before[0].replace("rich.example", "")


async def test_a_suffix_stays_while_a_zone_needs_it(
    found: Found, admin: httpx.AsyncClient, refused: Any
) -> None:
    tenant = await found("acme", "acme.example", "b.acme.example", "free.example")
    path = f"/tenants/{tenant['id']}"
    zone = (await enable(tenant, "c.b.acme.example")).json()
    for suffixes in (["free.example"], [], ["c.acme.example"]):
        answer = await admin.patch(path, json={"dns_suffixes": suffixes})
        assert refused(answer, 409, "conflict") == {
            "field": "dns_suffixes",
            "conflicts_with": {"type": "dns_zone", "name": "c.b.acme.example"},
        }
    for suffixes in (["b.acme.example"], ["c.b.acme.example"], ["acme.example"], ["example"]):
        assert (await admin.patch(path, json={"dns_suffixes": suffixes})).status_code == 200
    await tenant["client"].patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": False})
    assert (await admin.patch(path, json={"dns_suffixes": []})).status_code == 200
    refused(
        await tenant["client"].patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": True}), 409, "conflict"
    )


async def test_zones_of_the_release_before(
    default: Tenant, found: Found, admin: httpx.AsyncClient, pool: asyncpg.Pool, database: str, refused: Any
) -> None:
    """They were enabled before there were suffixes, and stay enabled until somebody disables them."""
    acme = await found("acme")
    zone = (await acme["client"].post("/dns-zones", json={"name": "host.example.net"})).json()
    assert (await enable(default, "example.net")).status_code == 201
    await pool.execute("update dns_zone set dns_enabled = true")
    path = f"/dns-zones/{zone['id']}"
    for change in ({"description": "x"}, {"dns_enabled": True}, {"mname": "ns.host.example.net"}):
        answer = await acme["client"].patch(path, json=change)
        assert (answer.status_code, answer.json()["dns_enabled"]) == (200, True)
    assert (await admin.patch(f"/tenants/{acme['id']}", json={"description": "x"})).status_code == 200
    publisher = Publisher(database)
    async with pool.acquire() as connection:
        await dns_publication.publish(connection)
        await publisher.check_zones(connection)
    assert await pool.fetchval("select count(*) from dns_published") == 2
    assert publisher.warnings == [
        "2 enabled zones conflict with zones or DNS suffixes of tenants: ipam zones check"
    ]
    await acme["client"].patch(path, json={"dns_enabled": False})
    refused(await acme["client"].patch(path, json={"dns_enabled": True}), 409, "conflict")
    async with pool.acquire() as connection:
        await publisher.check_zones(connection)
    assert publisher.warnings == []


async def test_of_two_at_the_same_moment_one_wins(
    default: Tenant, found: Found, admin: httpx.AsyncClient
) -> None:
    """Zones of two tenants above and below each other, and suffixes of two tenants."""
    acme = await found("acme", "x.test")
    for turn in range(8):
        name = f"n{turn}.x.test"
        await admin.patch(f"/tenants/{acme['id']}", json={"dns_suffixes": []})
        answers = await asyncio.gather(
            enable(default, name),
            admin.patch(f"/tenants/{acme['id']}", json={"dns_suffixes": [name]}),
            enable(acme, "a." + name),
            enable(default, "b.a." + name),
        )
        zones = (await admin.get("/dns-zones", params={"dns_enabled": "true", "limit": 1000})).json()["items"]
        owners = {zone["tenant_id"] for zone in zones if zone["name"].endswith(name)}
        assert len(owners) <= 1, [answer.text for answer in answers]
        for zone in zones:
            await admin.patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": False})
        made = await asyncio.gather(
            *(
                admin.post("/tenants", json={"name": f"{each}{turn}", "dns_suffixes": [suffix]})
                for each, suffix in (("p", f"s{turn}.test"), ("q", f"a.s{turn}.test"))
            )
        )
        assert sorted(answer.status_code for answer in made) == [201, 409]


LABELS = ("a", "b", "A", "a\\.b", "b\\\\", "xa")
WAYS = 5


@pytest.mark.parametrize("seed", range(4))
async def test_trees_of_three_tenants(
    default: Tenant, found: Found, admin: httpx.AsyncClient, seed: int
) -> None:
    """Whatever is tried in whatever order, no enabled zone lies at, above or below one of another tenant, and each lies
    at or below a suffix of its tenant; what the rules permit is done."""
    chance = random.Random(seed)
    tenants = [default, await found("one"), await found("two")]
    suffixes: dict[str, list[tuple[str, ...]]] = {each["id"]: [] for each in tenants}
    zones: dict[tuple[str, ...], str] = {}
    done = refusals = 0
    for _ in range(90):
        tenant = chance.choice(tenants)
        id_ = tenant["id"]
        labels = [chance.choice(LABELS) for _ in range(chance.randint(1, 3))]
        text, name = ".".join([*labels, "t"]), tuple(label.lower() for label in [*labels, "t"])
        match chance.randrange(WAYS):
            case 0 if id_ != default["id"]:
                wanted = [name, *suffixes[id_][:1]] if chance.random() < 0.7 else [name]
                permitted = not any(
                    related(suffix, each) for other, held in suffixes.items() if other != id_
                    for suffix in held for each in wanted
                ) and not any(
                    owner == id_ and not any(within(zone, each) for each in wanted) for zone, owner in zones.items()
                )  # fmt: skip
                spelled = [".".join(each) for each in wanted]
                answer = await admin.patch(f"/tenants/{id_}", json={"dns_suffixes": spelled})
                expected = 200 if permitted else 409
                if permitted:
                    suffixes[id_] = wanted
            case 1 if zones:
                gone = chance.choice(sorted(zones))
                del zones[gone]
                query = {"name": ".".join(gone), "dns_enabled": "true"}
                (zone,) = (await admin.get("/dns-zones", params=query)).json()["items"]
                answer = await admin.delete(f"/dns-zones/{zone['id']}")
                expected = 204
            case _:
                mine = id_ == default["id"] or any(within(name, each) for each in suffixes[id_])
                foreign = any(
                    within(name, each) for other, held in suffixes.items() if other != id_ for each in held
                ) or any(owner != id_ and related(zone, name) for zone, owner in zones.items())
                expected = 201 if mine and not foreign and name not in zones else 409
                answer = await enable(tenant, text)
                if expected == 201:
                    zones[name] = id_
        assert answer.status_code == expected, (seed, text, answer.text)
        done, refusals = done + (expected != 409), refusals + (expected == 409)
    assert done > 15
    assert refusals > 15


def within(name: tuple[str, ...], zone: tuple[str, ...]) -> bool:
    return name[len(name) - len(zone) :] == zone if len(name) >= len(zone) else False


def related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return within(one, other) or within(other, one)
