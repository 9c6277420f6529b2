"""Answers that store a record warn of probable mistakes: names that lack the dot, and targets in the zone that do not
exist or are aliases."""

from typing import Any

import httpx
import pytest

from ipam_core.dns.target_warnings import TOP


@pytest.fixture
async def path(make: Any) -> str:
    zone = await make("/dns-zones", name="example.com")
    found = f"/dns-zones/{zone['id']}/records"
    for name, kind, data in (
        ("mail", "A", "192.0.2.25"),
        ("alias", "CNAME", "mail"),
        ("*.wild", "A", "192.0.2.26"),
        ("text", "TXT", "t"),
        ("www.sub", "A", "192.0.2.27"),
        ("below", "NS", "ns.example.net."),
        ("old", "DNAME", "example.net."),
    ):
        await make(found, name=name, type=kind, data=data)
    return found


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        ("MX", "10 mail", None),
        ("MX", "10 mail.example.com", None),
        ("MX", "10 a.wild.example.com.", None),
        ("MX", "10 mail.example.net.", None),
        ("MX", "10 host.below.example.com.", None),
        ("MX", "0 .", None),
        ("MX", "10 mail.example.com.example.com.", "twice. If mail.example.com is meant"),
        ("MX", "10 nowhere", "nowhere.example.com does not exist"),
        ("MX", "10 alias", "is an alias (CNAME)"),
        ("MX", "10 text", "has no address"),
        ("MX", "10 x.old.example.com.", "lies below a DNAME"),
        ("SRV", "0 0 1 nowhere", "does not exist"),
        ("NS", "nowhere", "does not exist"),
        ("NS", "ns.below.example.com.", "(glue)"),
        ("CNAME", "nowhere", "does not exist"),
        ("CNAME", "alias", None),
        ("CNAME", "www.sub", "If www.sub.example.com. is meant"),
        ("HTTPS", "1 nowhere", "does not exist"),
        ("HTTPS", '1 . alpn="h2"', None),
        ("A", "192.0.2.1", None),
    ],
)
async def test_a_target_is_judged(make: Any, path: str, kind: str, data: str, told: str | None) -> None:
    made = await make(path, name="new", type=kind, data=data)
    if told is None:
        assert made["warnings"] == []
    else:
        (warning,) = made["warnings"]
        assert told in warning


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("example.ORG", "example.org"),
        *((f"www.other.{top}", f"www.other.{top}") for top in sorted(TOP)),
        ("a.b", None),
        ("com", None),
    ],
)
async def test_an_owner_that_ends_like_a_name_of_the_world(
    make: Any, path: str, name: str, meant: str | None
) -> None:
    """In a zone file and in the API it is taken as relative, which is rarely meant."""
    made = await make(path, name=name, type="TXT", data="x")
    assert made["fqdn"] == f"{name.lower()}.example.com"
    found = [f"If {meant} is meant" in each for each in made["warnings"]]
    assert found == ([True] if meant else [])


async def test_a_foreign_target_without_its_dot(admin: httpx.AsyncClient, path: str) -> None:
    """Only a zone file takes it as relative."""
    body = {"zone_file": "@ 60 MX 10 mail.example.net\nd 60 DNAME example.org\nx 60 CNAME www.sub\n"}
    answer = (await admin.post(path.replace("/records", "/import"), json=body)).json()
    assert {(each["type"], "another zone" in each["reason"]) for each in answer["warnings"]} == {
        ("MX", True),
        ("DNAME", True),
    }


async def test_every_answer_says_so(admin: httpx.AsyncClient, make: Any, path: str) -> None:
    """Create, read, list, change and bulk."""
    made = await make(path, name="new", type="MX", data="10 later")
    (warning,) = made["warnings"]
    item = f"/dns-records/{made['id']}"
    assert (await admin.get(item)).json()["warnings"] == [warning]
    listed = (await admin.get(path, params={"type": "MX"})).json()["items"]
    assert [each["warnings"] for each in listed] == [[warning]]
    operation = {"op": "update", "path": item, "body": {"data": "10 alias"}}
    [result] = (await admin.post("/bulk", json={"operations": [operation]})).json()["results"]
    assert "is an alias" in result["body"]["warnings"][0]
    assert (await admin.patch(item, json={"data": "10 mail"})).json()["warnings"] == []


async def test_an_import_names_names_without_their_dot(admin: httpx.AsyncClient, path: str) -> None:
    text = "www.example.com 60 A 192.0.2.1\n@ 60 MX 10 mail.example.com\n@ 60 MX 20 fresh\nfresh 60 A 192.0.2.2\n"
    for dry_run in (True, False):
        body = {"zone_file": text, "dry_run": dry_run}
        answer = (await admin.post(path.replace("/records", "/import"), json=body)).json()
        assert answer["created"] == 4
        assert {(each["name"], each["type"]) for each in answer["warnings"]} == {
            ("www.example.com", "A"),
            ("@", "MX"),
        }
        assert all("twice" in each["reason"] for each in answer["warnings"])


async def test_a_pointer_without_its_dot(admin: httpx.AsyncClient, make: Any) -> None:
    zone = await make("/dns-zones", name="2.0.192.in-addr.arpa")
    body = {"zone_file": "1 60 PTR www.example.com\n2 60 PTR www.example.com.\n"}
    answer = (await admin.post(f"/dns-zones/{zone['id']}/import", json=body)).json()
    ((name, reason),) = {(each["name"], each["reason"]) for each in answer["warnings"]}
    assert (name, "If www.example.com is meant" in reason) == ("1", True)
    listed = (await admin.get(f"/dns-zones/{zone['id']}/records")).json()["items"]
    assert {each["name"]: len(each["warnings"]) for each in listed} == {"1": 1, "2": 0}
