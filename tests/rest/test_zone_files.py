"""Zones as master files, what a zone's serial says, and the reverse zones of a subnet."""

import asyncio
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from rest.asking import Asked

from api.http import context
from ipam_core.dns import zone_file
from ipam_core.errors import ValidationError
from ipam_core.services import dns_publication

FILE = """\
$TTL 600
@ IN SOA ns1 admin.example.org. 7 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.53
www 60 IN CNAME ns1
mail IN A 192.0.2.25
     IN TXT "v=spf1 -all; x"
_25._tcp.mail IN TLSA 3 0 0 ab01
svc IN HTTPS 1 . alpn=h2
odd IN TYPE65400 \\# 3 010203
"""


@pytest.fixture
async def zone(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make("/dns-zones", name="example.org")
    return found


async def bring(admin: httpx.AsyncClient, zone: dict[str, Any], text: str, **more: Any) -> dict[str, Any]:
    answer = await admin.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": text, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def records(admin: httpx.AsyncClient, zone: dict[str, Any]) -> set[tuple[str, str, str, int | None]]:
    answer = await admin.get(f"/dns-zones/{zone['id']}/records", params={"limit": 1000})
    return {(r["name"], r["type"], r["data"], r["ttl"]) for r in answer.json()["items"]}


async def test_a_zone_file_comes_in_and_goes_out(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    assert await bring(admin, zone, FILE, soa=True, dry_run=True) == {
        "created": 8, "deleted": 0, "unchanged": 0, "skipped": [], "dry_run": True, "warnings": [],
        "updated": 0,
    }  # fmt: skip
    assert await records(admin, zone) == set()
    assert (await bring(admin, zone, FILE, soa=True))["created"] == 8
    found = await records(admin, zone)
    assert ("www", "CNAME", "ns1.example.org.", 60) in found
    assert ("odd", "TYPE65400", "\\# 3 010203", 600) in found
    assert ("mail", "TXT", '"v=spf1 -all; x"', 600) in found
    assert ("svc", "HTTPS", '1 . alpn="h2"', 600) in found
    changed = (await admin.get(f"/dns-zones/{zone['id']}")).json()
    assert (changed["mname"], changed["rname"], changed["minimum_seconds"]) == (
        "ns1.example.org",
        "admin.example.org",
        60,
    )
    exported = await admin.get(f"/dns-zones/{zone['id']}/export")
    assert exported.headers["content-type"].startswith("text/dns")
    other = await make("/dns-zones", name="example.net")
    again = await bring(admin, other, exported.text.replace("example.org", "example.net"), soa=True)
    assert (again["created"], again["skipped"]) == (8, [])
    assert (await bring(admin, zone, exported.text))["unchanged"] == 8


async def test_a_file_that_replaces_a_zone_deletes_what_it_does_not_name(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], pool: asyncpg.Pool
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    await make(path, name="old", type="A", data="192.0.2.1")
    await make(path, name="leased", type="A", data="192.0.2.2")
    await pool.execute("update dns_record set source = 'lease' where name = 'leased'")
    assert (await bring(admin, zone, "new A 192.0.2.3\n"))["deleted"] == 0
    answer = await bring(admin, zone, "new A 192.0.2.3\nnewer A 192.0.2.4\n", mode="replace")
    assert (answer["created"], answer["deleted"], answer["unchanged"]) == (1, 1, 1)
    assert {name for name, *_ in await records(admin, zone)} == {"leased", "new", "newer"}
    said = await pool.fetch(
        "select action from change where object_type = 'dns_record' order by no desc limit 2"
    )
    assert {row["action"] for row in said} == {"created", "deleted"}


async def test_what_cannot_be_taken_is_named(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    await make(f"/dns-zones/{zone['id']}/records", name="alias", type="CNAME", data="www")
    text = "\n".join(
        (
            "www 60 A 192.0.2.1",
            "alias 60 A 192.0.2.2",
            "www.example.net. 60 A 192.0.2.3",
            "@ 60 NSEC www A",
        )
    )
    answer = await bring(admin, zone, text)
    assert answer["created"] == 1
    assert {(each["name"], each["type"]) for each in answer["skipped"]} == {
        ("alias", "A"),
        ("www.example.net", "A"),
        ("example.org", "NSEC"),
    }


async def test_a_null_mx_is_the_only_one(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    """RFC 7505 section 3: of records, changes, and files of both modes."""
    path = f"/dns-zones/{zone['id']}/records"
    mail = await make(path, name="@", type="MX", data="10 mail.example.net.")
    await make(path, name="@", type="MX", data="20 mail2.example.net.")
    await make(path, name="none", type="MX", data="0 .")
    for body in ({"name": "@", "data": "0 ."}, {"name": "none", "data": "10 mail.example.net."}):
        details = refused(await admin.post(path, json={"type": "MX"} | body), 409, "conflict")
        assert details["conflicts_with"]["record_type"] == "MX"
    refused(await admin.patch(f"/dns-records/{mail['id']}", json={"data": "0 ."}), 409, "conflict")
    text = "@ 60 MX 0 .\nnone 60 MX 10 mail.example.net.\nboth 60 MX 0 .\nboth 60 MX 10 mail.example.net.\n"
    merged = await bring(admin, zone, text)
    assert (merged["created"], len(merged["skipped"])) == (1, 3)
    assert all("RFC 7505" in each["reason"] for each in merged["skipped"])
    replaced = await bring(admin, zone, "none 60 MX 10 mail.example.net.\nnone 60 MX 0 .\n", mode="replace")
    assert (replaced["created"], replaced["updated"], len(replaced["skipped"])) == (0, 1, 1)


async def test_what_has_no_place_beside_the_zones_own_is_named(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    await make(path, name="old", type="DNAME", data="new")
    await make(path, name="x.wide", type="A", data="192.0.2.1")
    many = "".join(f"many A 10.0.0.{n}\n" for n in range(99))
    assert (await bring(admin, zone, many))["created"] == 99
    text = """\
x.old 60 A 192.0.2.2
old 60 A 192.0.2.3
wide 60 DNAME narrow
@ 60 CNAME x.example.net.
many 60 A 192.0.2.1
many 60 A 192.0.2.2
"""
    first = await bring(admin, zone, text)
    assert first["created"] == 2
    second = await bring(admin, zone, "old 60 DNAME other\n* 60 DNAME x.example.net.\n*.x NS ns\n")
    assert second["created"] == 0
    skipped = first["skipped"] + second["skipped"]
    assert {
        (each["name"], each["type"]): each["reason"].split(" (")[0].split(":")[0] for each in skipped
    } == {
        ("*", "DNAME"): "a record of type DNAME at a wildcard has no defined meaning",
        ("*.x", "NS"): "a record of type NS at a wildcard has no defined meaning",
        ("@", "CNAME"): "the zone itself has other records, so it cannot be an alias",
        ("many", "A"): "many has 100 records of type A, which is the limit of an RRset",
        ("old", "DNAME"): "a name has at most one DNAME record",
        ("wide", "DNAME"): "x.wide is below the name, and a DNAME record allows no names below its own",
        ("x.old", "A"): "the DNAME record at old redirects all names below it",
    }


BAD_FILES = [
    ("www 60 A 192.0.2\n", "line 1"),
    ("ok 60 A 192.0.2.1\nwww 60 NOSUCH x\n", "line 2"),
    ("$INCLUDE /etc/passwd\n", "line 1"),
    ("a 60 CNAME b\na 60 A 192.0.2.1\n", "CNAME"),
    ("old DNAME new\nx.old A 192.0.2.1\n", "x.old: the DNAME record at old redirects all names below it"),
    ("@ DNAME example.net.\nx A 192.0.2.1\n", "x: the DNAME record at @ redirects all names below it"),
    ("old DNAME new\nold NS ns\n", "old: the name is delegated by NS records"),
    ("old DNAME new\nold CNAME x\n", "CNAME"),
    ('a 60 TXT "open\n', "line 1"),
    ("\x00", "NUL"),
    ("$GENERATE 1-3 host$ A\n", "line 1"),
    (
        "$GENERATE 1-100000000 h$ A 192.0.2.1\n",
        "line 1: $GENERATE 1-100000000 brings the generated records to",
    ),
    (f"$GENERATE 1-9{'9' * 200} h$ A 192.0.2.1\n", "a file may generate 65536"),
    ("$GENERATE 0-65535 a$ A 192.0.2.1\n$GENERATE 0-0 b$ A 192.0.2.1\n", "line 2: $GENERATE 0-0 brings"),
    ("$GENERATE 1-3/0 h$ A 192.0.2.1\n", "line 1: $GENERATE 1-3/0: the range must be"),
    ("\n$GENERATE -5-3 h$ A 192.0.2.1\n", "line 2: $GENERATE -5-3: the range must be"),
    ("$GENERATE 3-1 h$ A 192.0.2.1\n", "the range must be"),
    ("$GENERATE 1-3/ h$ A 192.0.2.1\n", "the range must be"),
    ("$GENERATE 1-5 h${0,100000,d} A 192.0.2.1\n", "line 1: $GENERATE width is too large"),
    ("$GENERATE 1-5 $GENERATE 1-5 h$ A 192.0.2.1\n", "line 1"),
    ("$GENERATE 1-101 @ A 10.0.0.$\n", "example.org has more than 100 records of type A"),
    ("".join(f"x A 10.0.0.{n}\n" for n in range(101)), "line 101: x.example.org has more than 100 records"),
    (f"ok A 192.0.2.1\nx TXT {'y' * 300_000}\n", "line 2: is longer than 262144 characters"),
    (f"x TXT ({'(' * 200_000}", "line 1"),
]


@pytest.mark.parametrize(("text", "says"), BAD_FILES)
async def test_a_file_that_cannot_be_read_changes_nothing(
    admin: httpx.AsyncClient, zone: dict[str, Any], refused: Any, text: str, says: str
) -> None:
    answer = await admin.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": text})
    details = refused(answer, 422, "validation_error")
    assert details["field"] == "zone_file"
    assert says in answer.text
    assert await records(admin, zone) == set()


async def test_a_generated_reverse_zone_of_a_16_comes_in(admin: httpx.AsyncClient, make: Any) -> None:
    """The largest that is allowed; and a dry run of it leaves nothing."""
    zone = await make("/dns-zones", name="10.10.in-addr.arpa")
    text = "".join(f"$GENERATE 0-255 $.{third} PTR h{third}-$.example.org.\n" for third in range(256))
    assert (await bring(admin, zone, text, dry_run=True))["created"] == 65_536
    assert await records(admin, zone) == set()


SLOW = "".join(f"h{n} A 10.0.{n >> 8 & 255}.{n & 255}\n" for n in range(60_000))


async def test_an_import_ends_with_its_client(app: Any, admin: httpx.AsyncClient, zone: Any) -> None:
    """Whoever disconnects leaves no thread behind that goes on reading."""
    path = f"/dns-zones/{zone['id']}/import"
    asked = Asked(
        "POST",
        path,
        msgspec.json.encode({"zone_file": SLOW}),
        authorization=admin.headers["authorization"],
    )
    request = asyncio.get_running_loop().create_task(app(asked.scope, asked.receive, asked.send))
    await until(reading)
    asked.done.set()
    await asyncio.wait_for(request, 2)
    assert not reading()
    assert asked.status == 0
    assert await records(admin, zone) == set()


async def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)  # what is waited for happens in a thread


def reading() -> bool:
    return any(
        "zone_file.py" in frame.f_code.co_filename
        for top in sys._current_frames().values()
        for frame, _ in traceback.walk_stack(top)
    )


async def test_an_import_ends_at_its_deadline(
    admin: httpx.AsyncClient, zone: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "LONG_SECONDS", 0.5)
    answer = await admin.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": SLOW})
    refused(answer, 503, "unavailable")
    await until(lambda: not reading())


def test_a_file_has_a_limit_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone_file, "MOST_RECORDS", 1000)
    text = "".join(f"h{n} A 192.0.2.1\n" for n in range(1000))
    assert len(zone_file.read(text, "example.org", 300).records) == 1000
    with pytest.raises(ValidationError, match="line 1001: this is record 1001; a file may have 1000"):
        zone_file.read(text + "more A 192.0.2.1\n", "example.org", 300)


async def test_a_subnet_says_which_reverse_zones_it_needs(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/8")
    small = await make("/subnets", prefix_id=prefix["id"], cidr="10.1.2.64/26")
    wide = await make("/subnets", prefix_id=prefix["id"], cidr="10.4.0.0/15")
    zone = await make("/dns-zones", name="5.10.in-addr.arpa")
    found = (await admin.get(f"/subnets/{wide['id']}/reverse-zones")).json()["items"]
    assert [(each["name"], each["zone_id"]) for each in found] == [
        ("4.10.in-addr.arpa", None),
        ("5.10.in-addr.arpa", zone["id"]),
    ]
    (classless,) = (await admin.get(f"/subnets/{small['id']}/reverse-zones")).json()["items"]
    assert (classless["name"], classless["parent"]) == ("64/26.2.1.10.in-addr.arpa", "2.1.10.in-addr.arpa")
    aliases = {each["name"]: each["data"] for each in classless["delegation"] if each["type"] == "CNAME"}
    assert len(aliases) == 64
    assert aliases["127"] == "127.64/26.2.1.10.in-addr.arpa."
    await make("/dns-zones", name=classless["name"])
    refused(await admin.get(f"/subnets/{zone['id']}/reverse-zones"), 404, "not_found")


async def test_a_zone_that_is_updated_elsewhere_is_not_served_here(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    path = f"/dns-zones/{zone['id']}"
    assert (await admin.patch(path, json={"updated_elsewhere": True})).status_code == 200
    assert (
        refused(await admin.patch(path, json={"dns_enabled": True}), 409, "conflict")["field"]
        == "dns_enabled"
    )
    both = {"updated_elsewhere": False, "dns_enabled": True}
    assert (await admin.patch(path, json=both)).status_code == 200
    refused(await admin.patch(path, json={"updated_elsewhere": True}), 409, "conflict")
    tenant = await make("/tenants", name="other", dns_suffixes=["example.org"])
    twice = {"name": "example.org", "tenant_id": tenant["id"], "dns_enabled": True}
    details = refused(await admin.post("/dns-zones", json=twice), 409, "conflict")
    assert details == {"field": "dns_enabled"}


async def test_secondaries_are_servers_with_an_address(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    path = f"/dns-zones/{zone['id']}"
    server = await make("/dns-servers", name="ns2", adapter="bind_tsig", address="192.0.2.53")
    nowhere = await make("/dns-servers", name="here", adapter="embedded")
    for wrong in (zone["id"], nowhere["id"], "x"):
        answer = await admin.patch(path, json={"secondary_ids": [wrong]})
        assert refused(answer, 422, "validation_error")["field"] == "secondary_ids"
    answer = await admin.patch(
        path, json={"secondary_ids": [server["id"]], "transfer_networks": ["192.0.2.0/24"]}
    )
    assert answer.json()["secondary_ids"] == [server["id"]]
    refused(await admin.delete(f"/dns-servers/{server['id']}"), 409, "conflict")


async def test_a_record_that_follows_a_lease_is_not_written_by_hand(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], pool: asyncpg.Pool, refused: Any
) -> None:
    made = await make(f"/dns-zones/{zone['id']}/records", name="www", type="A", data="192.0.2.1")
    await pool.execute("update dns_record set source = 'lease'")
    refused(await admin.patch(f"/dns-records/{made['id']}", json={"data": "192.0.2.9"}), 409, "conflict")
    refused(await admin.delete(f"/dns-records/{made['id']}"), 409, "conflict")
    assert (await admin.delete(f"/dns-zones/{zone['id']}?cascade=true")).status_code == 204


class Publication:
    """What DNS servers would read."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    async def publish(self) -> list[dns_publication.Published]:
        async with self.pool.acquire() as connection:
            return await dns_publication.publish(connection)

    async def rrsets(self) -> set[tuple[str, str, int, tuple[str, ...]]]:
        rows = await self.pool.fetch("select name, type, ttl, data from dns_rrset")
        return {(row["name"], row["type"], row["ttl"], tuple(row["data"])) for row in rows}


async def test_committed_changes_get_a_serial_and_a_delta(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True, mname="ns1.example.org")
    path = f"/dns-zones/{zone['id']}/records"
    await make(path, name="www", type="A", data="192.0.2.1")
    (first,) = await published.publish()
    assert await published.rrsets() == {
        ("@", "NS", 3600, ("ns1.example.org.",)),
        ("www", "A", 3600, ("192.0.2.1",)),
    }
    assert await published.publish() == []
    second = await make(path, name="www", type="A", data="192.0.2.2", ttl=60)
    (after,) = await published.publish()
    assert after.serial == (first.serial or 0) + 1
    assert ("www", "A", 60, ("192.0.2.1", "192.0.2.2")) in await published.rrsets()
    assert (await admin.get(f"/dns-zones/{zone['id']}")).json()["serial"] == after.serial
    await admin.delete(f"/dns-records/{second['id']}")
    await published.publish()
    deltas = await pool.fetch("select previous, serial, removed, added from dns_zone_delta order by at")
    assert [(row["previous"], row["serial"]) for row in deltas] == [
        (first.serial, after.serial),
        (after.serial, after.serial + 1),
    ]
    assert deltas[1]["removed"] == [
        {"name": "www", "type": "A", "ttl": 60, "data": ["192.0.2.1", "192.0.2.2"]}
    ]
    assert deltas[1]["added"] == [{"name": "www", "type": "A", "ttl": 3600, "data": ["192.0.2.1"]}]


async def test_a_merge_keeps_the_soa_unless_it_is_wanted(
    admin: httpx.AsyncClient, zone: dict[str, Any]
) -> None:
    """And says so, in a rehearsal too."""
    text = "@ SOA zz.other. h.other. 1 1 1 1 1\nnew A 192.0.2.3\n"
    item = f"/dns-zones/{zone['id']}"
    for dry_run in (True, False):
        told = await bring(admin, zone, text, dry_run=dry_run)
        [skipped] = told["skipped"]
        assert (told["created"], skipped["name"], skipped["type"]) == (1, "@", "SOA")
        assert "expire_seconds" in skipped["reason"]
        assert "soa=true" in skipped["reason"]
    assert (await admin.get(item)).json()["expire_seconds"] == zone["expire_seconds"]
    taken = await bring(admin, zone, text, soa=True)
    assert (taken["unchanged"], taken["skipped"]) == (1, [])
    assert (await admin.get(item)).json()["expire_seconds"] == 1


async def test_lines_without_effect_are_named(admin: httpx.AsyncClient, zone: dict[str, Any]) -> None:
    text = "c CNAME a\nc CNAME b\nw A 192.0.2.1\nw A 192.0.2.1\n@ SOA a b 1 1 1 1 1\n@ SOA c d 2 2 2 2 2\n"
    told = await bring(admin, zone, text, mode="replace")
    assert told["created"] == 2
    assert {(each["name"], each["type"]) for each in told["skipped"]} == {
        ("c.example.org", "CNAME"),
        ("w.example.org", "A"),
        ("example.org", "SOA"),
    }
    assert ("c", "CNAME", "b.example.org.", None) in await records(admin, zone)


async def test_ttls_without_effect_are_named(admin: httpx.AsyncClient, zone: dict[str, Any]) -> None:
    """Those that differ in an RRset of the file, and that of a record which the zone has already."""
    text = "t 600 A 192.0.2.1\nt 300 A 192.0.2.2\nt 900 A 192.0.2.3\none 900 A 192.0.2.4\n"
    told = await bring(admin, zone, text)
    assert (told["created"], told["skipped"]) == (4, [])
    assert [(each["name"], each["data"]) for each in told["warnings"]] == [
        ("t.example.org", "192.0.2.2"),
        ("t.example.org", "192.0.2.3"),
    ]
    assert "300 counts for all" in told["warnings"][0]["reason"]
    again = await bring(admin, zone, "one 60 A 192.0.2.4\nt 300 A 192.0.2.1\n")
    [skipped] = again["skipped"]
    assert (again["unchanged"], skipped["name"]) == (2, "one")
    assert "192.0.2.4 exists with TTL 900, not 60" in skipped["reason"]


async def test_a_file_that_replaces_a_zone_brings_its_ttls(
    admin: httpx.AsyncClient, zone: dict[str, Any]
) -> None:
    await bring(admin, zone, "a 900 A 192.0.2.1\nb 900 A 192.0.2.2\n")
    told = await bring(admin, zone, "a 60 A 192.0.2.1\nb 900 A 192.0.2.2\n", mode="replace")
    assert (told["created"], told["deleted"], told["updated"], told["unchanged"]) == (0, 0, 1, 1)
    assert ("a", "A", "192.0.2.1", 60) in await records(admin, zone)


async def test_an_rrset_has_room_in_a_response(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    """Of a part of an RRset nobody has any use, and more than 65,535 octets nobody can send."""
    path = f"/dns-zones/{zone['id']}/records"
    *large, last = [f'"{letter * 250}" ' * 62 for letter in "abcde"]
    for data in large:
        await make(path, name="big", type="TXT", data=data)
    details = refused(
        await admin.post(path, json={"name": "big", "type": "TXT", "data": last}), 409, "conflict"
    )
    assert details["limit"] == 64_000
    await make(path, name="big", type="TXT", data="small")
    other = await make(path, name="other", type="TXT", data=last)
    refused(await admin.patch(f"/dns-records/{other['id']}", json={"name": "big"}), 409, "conflict")
    told = await bring(admin, zone, "".join(f"file 60 TXT {data}\n" for data in [*large, last]))
    assert (told["created"], [each["name"] for each in told["skipped"]]) == (4, ["file"])
    assert "room for 64000" in told["skipped"][0]["reason"]


async def test_a_serial_without_effect_is_named(admin: httpx.AsyncClient, zone: dict[str, Any]) -> None:
    await bring(admin, zone, soa(100), mode="replace")
    told = await bring(admin, zone, soa(7), mode="replace")
    assert [each["type"] for each in told["skipped"]] == ["SOA"]
    assert "serial 7 is before the zone's" in told["skipped"][0]["reason"]


def soa(serial: int) -> str:
    return f"@ SOA ns1 admin {serial} 7200 900 1209600 3600\nwww A 192.0.2.1\n"


@pytest.mark.parametrize("mode", ["merge", "replace"])
@pytest.mark.parametrize("enabled", [False, True])
async def test_the_serial_of_a_file_is_kept_if_it_is_later(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, mode: str, enabled: bool
) -> None:
    """Secondaries of the server from which it comes hold that serial: the next one follows it, so that they copy the
    zone. An earlier one changes nothing."""
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=enabled)
    item = f"/dns-zones/{zone['id']}"
    await published.publish()
    await bring(admin, zone, soa(2026112701), mode=mode)
    shown = (await admin.get(item)).json()["serial"]
    assert shown == 2026112701 + enabled
    if not enabled:
        await admin.patch(item, json={"dns_enabled": True})
    assert [each.serial for each in await published.publish()] == [2026112702]
    assert (await admin.get(item)).json()["serial"] == 2026112702
    assert await published.publish() == [], "it is taken once"
    await bring(admin, zone, soa(2025010100), mode=mode)
    await make(f"{item}/records", name="more", type="A", data="192.0.2.2")
    assert [each.serial for each in await published.publish()] == [2026112703]


async def test_a_serial_is_raised_and_never_lowered(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """By RFC 1982: round the end of the numbers too."""
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True, serial=100)
    item = f"/dns-zones/{zone['id']}"
    assert zone["serial"] == 100
    assert [each.serial for each in await published.publish()] == [101]
    for wanted in (2026112701, 4000000000, 4294967295, 7):
        changed = await admin.patch(item, json={"serial": wanted})
        assert (changed.status_code, changed.json()["serial"]) == (200, wanted), changed.text
        assert [each.serial for each in await published.publish()] == [wanted]
        assert (await admin.patch(item, json={"description": str(wanted)})).json()["serial"] == wanted
        await published.publish()
    for wrong in (6, 4294967295, 0, 4294967296, 1 << 31 | 8, (1 << 31) + 6):
        details = refused(await admin.patch(item, json={"serial": wrong}), 422, "validation_error")
        assert details["field"] == "serial"
    assert (await admin.patch(item, json={"serial": 7})).status_code == 200, "what it is, is no change"
    assert (await admin.patch(item, json={"serial": None})).json()["serial"] == 7
    await make(f"{item}/records", name="www", type="A", data="192.0.2.1")
    assert [each.serial for each in await published.publish()] == [8]


async def test_a_zone_that_is_made_again_goes_on_from_its_serial(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True, serial=700)
    (first,) = await published.publish()
    await admin.delete(f"/dns-zones/{zone['id']}")
    await published.publish()
    body = {"name": "example.org", "dns_enabled": True, "serial": 5}
    details = refused(await admin.post("/dns-zones", json=body), 422, "validation_error")
    assert details["field"] == "serial"
    await make("/dns-zones", name="example.org", dns_enabled=True)
    (again,) = await published.publish()
    assert again.serial == (first.serial or 0) + 1


async def test_of_deleted_zones_the_last_serials_are_kept(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ipam_core.services.dns_zones.MOST_PAST", 2)
    for number in range(5):
        zone = await make("/dns-zones", name=f"z{number}.example", serial=50 + number)
        await admin.delete(f"/dns-zones/{zone['id']}")
    kept = {row["name"] for row in await pool.fetch("select name from dns_zone_past")}
    assert len(kept) <= 3
    assert "z4.example" in kept


async def test_a_zone_that_is_switched_off_disappears_and_goes_on_from_its_serial(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True)
    path = f"/dns-zones/{zone['id']}"
    await make(f"{path}/records", name="www", type="A", data="192.0.2.1")
    (first,) = await published.publish()
    await admin.patch(path, json={"dns_enabled": False})
    (gone,) = await published.publish()
    assert gone.serial is None
    assert await published.rrsets() == set()
    await make(f"{path}/records", name="more", type="A", data="192.0.2.1")
    assert await published.publish() == []
    await admin.patch(path, json={"dns_enabled": True})
    (again,) = await published.publish()
    assert (again.serial or 0) > (first.serial or 0)
    assert len(await published.rrsets()) == 3
    await admin.delete(f"{path}?cascade=true")
    assert [each.serial for each in await published.publish()] == [None]
    for table in ("dns_published", "dns_rrset", "dns_zone_delta", "dns_change"):
        assert await pool.fetchval(f"select count(*) from {table}") == 0, table


async def test_an_operators_alias_goes_before_what_a_lease_says(make: Any, pool: asyncpg.Pool) -> None:
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True)
    await make(f"/dns-zones/{zone['id']}/records", name="www", type="CNAME", data="web")
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data, source)"
        " select gen_random_uuid(), no, 'www', 'A', '192.0.2.1', 'lease' from dns_zone"
    )
    await published.publish()
    assert {row[:2] for row in await published.rrsets()} == {("@", "NS"), ("www", "CNAME")}


async def test_nothing_is_published_below_a_redirection(make: Any, pool: asyncpg.Pool) -> None:
    """A lease's name may be written at the moment in which an operator writes the DNAME."""
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True)
    made = await make(f"/dns-zones/{zone['id']}/records", name="old", type="DNAME", data="new")
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data, source)"
        " select gen_random_uuid(), no, owner, 'A', '192.0.2.1', 'lease' from dns_zone,"
        " unnest(array['x.old', 'xold', 'old']) as owner"
    )
    await published.publish()
    served = {row[:2] for row in await published.rrsets()}
    assert served == {("@", "NS"), ("old", "DNAME"), ("old", "A"), ("xold", "A")}
    await pool.execute("update dns_record set ttl = 7 where name = 'x.old'")
    await published.publish()
    assert {row[:2] for row in await published.rrsets()} == served
    await pool.execute("delete from dns_record where id = $1::uuid", made["id"])
    await published.publish()
    assert {row[:2] for row in await published.rrsets()} == served - {("old", "DNAME")} | {("x.old", "A")}


async def test_changes_that_are_not_committed_are_published_later(make: Any, pool: asyncpg.Pool) -> None:
    published = Publication(pool)
    zone = await make("/dns-zones", name="example.org", dns_enabled=True)
    await published.publish()
    async with pool.acquire() as connection:
        writing = connection.transaction()
        await writing.start()
        await connection.execute(
            "insert into dns_record (id, zone_no, name, type, data)"
            " select gen_random_uuid(), no, 'late', 'A', '192.0.2.1' from dns_zone"
        )
        await make(f"/dns-zones/{zone['id']}/records", name="early", type="A", data="192.0.2.1")
        await published.publish()
        assert {name for name, *_ in await published.rrsets()} == {"@", "early"}
        await writing.commit()
    await published.publish()
    assert {name for name, *_ in await published.rrsets()} == {"@", "early", "late"}
