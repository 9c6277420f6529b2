"""The check of a zone: what common secondaries refuse, by API; of a large zone within limits."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.model.actor import Actor
from ipam_core.services import zone_faults

PLANTED = """
insert into dns_record (id, zone_no, name, type, data, source)
select gen_random_uuid(), dns_zone.no, planted.name, planted.type, planted.data, 'static'
from dns_zone, unnest($1::text[], $2::text[], $3::text[]) as planted (name, type, data)
"""


@pytest.fixture
async def zone(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make(
        "/dns-zones", name="example.org", mname="ns1.example.org", dns_enabled=True
    )
    path = f"/dns-zones/{found['id']}/records"
    await make(path, name="@", type="NS", data="ns1")
    await make(path, name="ns1", type="A", data="192.0.2.53")
    return found


async def check(admin: httpx.AsyncClient, zone: dict[str, Any]) -> dict[str, Any]:
    answer = await admin.post(f"/dns-zones/{zone['id']}/check")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def plant(pool: asyncpg.Pool, *records: tuple[str, str, str]) -> None:
    """Write records past the rules, as a release before did."""
    await pool.execute(PLANTED, *map(list, zip(*records, strict=True)))


async def test_a_zone_without_faults_has_no_findings(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    for name, kind, data in (
        ("mail", "A", "192.0.2.25"),
        ("@", "MX", "10 mail"),
        ("*.wild", "A", "192.0.2.1"),
        ("_sip._udp", "SRV", "0 0 5060 a.wild.example.org."),
        ("sub", "NS", "ns.sub.example.org."),
        ("ns.sub", "A", "192.0.2.54"),
        ("www", "CNAME", "mail"),
    ):
        await make(path, name=name, type=kind, data=data)
    found = await check(admin, zone)
    assert found == {"complete": True, "records": 9, "errors": 0, "warnings": 0, "findings": []}


async def test_findings_name_record_servers_and_fix(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, zone: dict[str, Any]
) -> None:
    many = [("many", "A", f"10.0.0.{n}") for n in range(101)]
    await plant(
        pool,
        ("*.w", "NS", "ns1.example.org."),
        ("old", "DNAME", "new.test."),
        ("x.old", "A", "192.0.2.1"),
        ("c", "CNAME", "ns1.example.org."),
        ("c", "TXT", '"t"'),
        ("sub", "NS", "ns.sub.example.org."),
        ("y.sub", "TXT", '"hidden"'),
        ("a_b", "A", "192.0.2.2"),
        ("@", "MX", "10 c.example.org."),
        ("@", "MX", "0 ."),
        ("_s._tcp", "SRV", "0 0 1 absent.example.org."),
        *many,
    )
    found = await check(admin, zone)
    seen = {(each["code"], each["name"], each["type"]): each for each in found["findings"]}
    assert {key: (each["severity"], each["servers"]) for key, each in seen.items()} == {
        ("at_wildcard", "*.w", "NS"): ("error", ["bind"]),
        ("too_many_records", "many", "A"): ("error", ["bind"]),
        ("together", "c", "CNAME"): ("warning", []),
        ("below_dname", "x.old", "A"): ("warning", []),
        ("below_delegation", "y.sub", "TXT"): ("warning", []),
        ("target_no_glue", "sub", "NS"): ("warning", ["bind", "knot"]),
        ("owner_name", "a_b", "A"): ("warning", ["bind"]),
        ("target_alias", "@", "MX"): ("warning", ["bind"]),
        ("null_mx", "@", "MX"): ("warning", []),
        ("target_absent", "_s._tcp", "SRV"): ("warning", ["bind"]),
    }
    assert (found["errors"], found["warnings"]) == (2, 8)
    assert seen["target_alias", "@", "MX"]["data"] == "10 c.example.org."
    assert "CNAME" in seen["target_alias", "@", "MX"]["problem"]
    assert all(each["fix"] for each in found["findings"])
    assert "left out" in seen["together", "c", "CNAME"]["problem"]


async def test_what_is_published_together_is_an_error(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, zone: dict[str, Any]
) -> None:
    """As a release before has published it."""
    await plant(pool, ("old", "DNAME", "new.test."), ("x.old", "A", "192.0.2.1"))
    await pool.execute(
        "insert into dns_rrset (zone_no, name, type, ttl, data) select no, r.name, r.type, 60, array[r.data] "
        "from dns_zone, (values ('old', 'DNAME', 'new.test.'), ('x.old', 'A', '192.0.2.1')) as r (name, type, data)"
    )
    (finding,) = (await check(admin, zone))["findings"]
    assert (finding["severity"], finding["servers"]) == ("error", ["nsd", "knot"])


async def test_the_zones_own_fields_are_judged(admin: httpx.AsyncClient, make: Any) -> None:
    zone = await make(
        "/dns-zones", name="bare.example", expire_seconds=0, retry_seconds=9000, minimum_seconds=90000
    )
    found = {each["code"]: each["severity"] for each in (await check(admin, zone))["findings"]}
    assert found == {
        "no_servers": "warning",
        "target_no_address": "error",
        "soa_expire": "error",
        "soa_retry": "warning",
        "soa_minimum": "warning",
    }


async def test_a_large_zone_is_read_in_pages_within_its_limits(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, zone: dict[str, Any]
) -> None:
    count = zone_faults.PAGE + 500
    await plant(pool, *((f"h{n}", "MX", "10 absent.example.org.") for n in range(count)))
    found = await check(admin, zone)
    assert (found["complete"], found["records"], found["warnings"]) == (True, count + 2, count)
    assert len(found["findings"]) == 1000
    async with pool.acquire() as connection:
        partly = await zone_faults.check_zone(connection, Actor(role="admin"), zone["id"], seconds=0)
    assert (partly.complete, partly.records, partly.findings) == (False, zone_faults.PAGE, [])


async def test_errors_are_kept_before_warnings(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, zone: dict[str, Any]
) -> None:
    await plant(pool, *((f"h_{n}", "A", "192.0.2.1") for n in range(1100)), ("*.z", "NS", "ns1.example.org."))
    found = await check(admin, zone)
    assert (found["errors"], found["warnings"], len(found["findings"])) == (1, 1100, 1000)
    assert found["findings"][0]["code"] == "at_wildcard"


async def test_a_zone_that_is_not_there(admin: httpx.AsyncClient, refused: Any) -> None:
    refused(await admin.post("/dns-zones/018f0000-0000-7000-8000-000000000000/check"), 404, "not_found")
