"""`POST /dns-zones/{id}/reconcile`: what differs between leases and zones is said, and repaired through the outbox."""

from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site

FORWARD, REVERSE = "lab.example", "20.10.in-addr.arpa"


@pytest.fixture
async def zones(make: Any, site: Site) -> dict[str, str]:
    """Ids by name; 10.20.1.0/24 has its names there."""
    found = {
        name: (await make("/dns-zones", name=name, dns_enabled=True))["id"] for name in (FORWARD, REVERSE)
    }
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    fields = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_domain": FORWARD}
    await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", **fields)
    for number in (1, 2, 3):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"02000000000{number}")
    await site.settle()
    return found


async def reconcile(admin: httpx.AsyncClient, id_: str, **fields: Any) -> Any:
    answer = await admin.post(f"/dns-zones/{id_}/reconcile", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def named(told: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(each["name"], each["type"], each["data"]) for each in told]


async def test_a_zone_in_order(admin: httpx.AsyncClient, zones: dict[str, str]) -> None:
    for id_ in zones.values():
        assert await reconcile(admin, id_) == {
            "complete": True,
            "in_order": 3,
            "waiting": 0,
            "missing": [],
            "wrong": [],
            "stale": [],
            "repairs": 0,
            "dry_run": False,
        }


async def test_what_differs_is_said_and_repaired(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, site: Site, zones: dict[str, str]
) -> None:
    before = await site.records()
    await make(f"/dns-zones/{zones[FORWARD]}/records", name="www", type="A", data="10.20.1.3")
    await pool.execute("delete from dns_record where name = 'host1'")
    await pool.execute("update dns_record set data = '10.20.1.99' where name = 'host2' and type = 'A'")
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data, source)"
        " select gen_random_uuid(), no, 'gone', 'A', '10.20.1.77', 'lease' from dns_zone where name = $1",
        FORWARD,
    )
    await pool.execute("delete from dns_record where type = 'PTR' and data = 'host3.lab.example.'")
    outbox = await site.states()
    told = await reconcile(admin, zones[FORWARD], dry_run=True)
    assert named(told["missing"]) == [("host1.lab.example.", "A", "10.20.1.1")]
    assert named(told["wrong"]) == [("host2.lab.example.", "A", "10.20.1.2")]
    assert told["wrong"][0]["found"] == ["10.20.1.99"]
    assert named(told["stale"]) == [("gone.lab.example.", "A", "10.20.1.77")]
    assert (told["in_order"], told["repairs"], told["dry_run"]) == (1, 0, True)
    assert await site.states() == outbox
    assert (await reconcile(admin, zones[FORWARD]))["repairs"] == 3
    told = await reconcile(admin, zones[REVERSE])
    assert named(told["missing"]) == [("3.1.20.10.in-addr.arpa.", "PTR", "host3.lab.example.")]
    await site.settle()
    assert await site.records() == before
    assert await site.records("static") == {("www.lab.example", "A", "10.20.1.3")}
    for id_ in zones.values():
        assert (await reconcile(admin, id_, dry_run=True))["in_order"] == 3


async def test_what_is_under_way_is_left_alone(
    admin: httpx.AsyncClient, site: Site, zones: dict[str, str]
) -> None:
    await site.lease("10.20.1.4", "host4", mac="020000000004")
    await site.lease("10.20.1.5", "host1", mac="020000000005")  # another's name
    await site.read_all()
    told = await reconcile(admin, zones[FORWARD])
    assert (told["missing"], told["repairs"]) == ([], 0)
    await site.settle()
    told = await reconcile(admin, zones[FORWARD])
    assert (told["wrong"], told["stale"], told["repairs"]) == ([], [], 0)
    assert told["waiting"] >= 1


async def test_a_zone_that_is_not_there(admin: httpx.AsyncClient) -> None:
    answer = await admin.post("/dns-zones/0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e/reconcile", json={})
    assert answer.status_code == 404


async def test_a_server_that_does_not_answer(admin: httpx.AsyncClient, make: Any) -> None:
    server = await make("/dns-servers", name="ns", adapter="bind_tsig", address="127.0.0.1", port=1)
    zone = await make("/dns-zones", name="far.example", dns_server_id=server["id"])
    answer = await admin.post(f"/dns-zones/{zone['id']}/reconcile", json={})
    assert (answer.status_code, "127.0.0.1 port 1" in answer.text) == (503, True)


async def test_each_address_of_a_shared_name_is_compared(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, site: Site, zones: dict[str, str]
) -> None:
    for number in (20, 21, 22):
        await make("/assignments", hostname="pair", ip=f"10.20.1.{number}")
    await site.settle()
    assert (await reconcile(admin, zones[FORWARD], dry_run=True))["in_order"] == 6
    await pool.execute("delete from dns_record where data = '10.20.1.21'")
    await pool.execute("update dns_record set data = '10.20.1.99' where data = '10.20.1.22'")
    told = await reconcile(admin, zones[FORWARD])
    assert named(told["missing"]) == []
    assert named(told["wrong"]) == [
        ("pair.lab.example.", "A", "10.20.1.21"),
        ("pair.lab.example.", "A", "10.20.1.22"),
    ]
    await site.settle()
    forward = {data for name, kind, data in await site.records() if (name, kind) == ("pair.lab.example", "A")}
    assert forward == {"10.20.1.20", "10.20.1.21", "10.20.1.22"}
    assert (await reconcile(admin, zones[FORWARD], dry_run=True))["in_order"] == 6


async def test_an_older_address_of_a_client_is_not_missing(
    admin: httpx.AsyncClient, site: Site, zones: dict[str, str]
) -> None:
    """A client has its latest address of a family at its name."""
    await site.lease("10.20.1.40", "roams", mac="020000000040")
    await site.settle()
    await site.lease("10.20.1.41", "roams", mac="020000000040")
    await site.settle()
    told = await reconcile(admin, zones[FORWARD], dry_run=True)
    assert (told["in_order"], told["missing"], told["wrong"], told["stale"]) == (4, [], [], [])
