"""Zones above and below each other in one tenant: records that one hides, and what the zone above says of it."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import child_zones, dns_publication
from ipam_core.workers.publisher import Publisher

Zone = dict[str, Any]
Said = set[tuple[str, str, str, int | None]]


@pytest.fixture
async def parent(make: Any) -> Zone:
    zone: Zone = await make("/dns-zones", name="par.test", dns_enabled=True, default_ttl=300)
    return zone


async def records(admin: httpx.AsyncClient, zone: Zone, source: str = "static") -> Said:
    query = {"source": source, "limit": 1000}
    answer = await admin.get(f"/dns-zones/{zone['id']}/records", params=query)
    return {(r["name"], r["type"], r["data"], r["ttl"]) for r in answer.json()["items"]}


async def said(admin: httpx.AsyncClient, zone: Zone) -> set[tuple[str, str, str]]:
    return {record[:3] for record in await records(admin, zone, "delegation")}


async def put(make: Any, zone: Zone, *record: Any) -> Zone:
    name, kind, data, *more = record
    fields = {"name": name, "type": kind, "data": data, "ttl": more[0] if more else None}
    made: Zone = await make(f"/dns-zones/{zone['id']}/records", **fields)
    return made


async def test_records_that_a_zone_would_hide_are_moved_on_request(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    kept = [("www", "A", "192.0.2.1"), ("xdmz", "A", "192.0.2.2"), ("a\\.dmz", "A", "192.0.2.3")]
    below = [("web.dmz", "A", "192.0.2.4"), ("dmz", "TXT", '"x"'), ("*.dmz", "A", "192.0.2.5", 60)]
    made = [await put(make, parent, *record) for record in kept + below]
    await put(make, parent, "dmz", "DS", "60485 13 2 " + "ab" * 32)
    body = {"name": "DMZ.par.test.", "dns_enabled": True, "default_ttl": 7200}
    answer = await admin.post("/dns-zones", json=body)
    details = refused(answer, 409, "conflict")
    assert (details["field"], details["records"]) == ("dns_enabled", 3)
    first = {"fqdn": "*.dmz.par.test", "record_type": "A", "data": "192.0.2.5"}
    assert details["conflicts_with"] == {"type": "dns_record"} | first
    assert "move_records=true" in answer.text
    assert (await admin.get("/dns-zones")).json()["items"] == [
        (await admin.get(f"/dns-zones/{parent['id']}")).json()
    ]
    answer = await admin.post("/dns-zones", params={"move_records": "true"}, json=body)
    assert answer.status_code == 201, answer.text
    child = answer.json()
    assert await records(admin, child) == {
        ("web", "A", "192.0.2.4", 300), ("@", "TXT", '"x"', 300), ("*", "A", "192.0.2.5", 60),
    }  # fmt: skip
    assert {name for name, *_ in await records(admin, parent)} == {"www", "xdmz", "a\\.dmz", "dmz"}
    assert await said(admin, parent) == {("dmz", "NS", "dmz.par.test.")}
    # They are the same objects, and each move is in the audit trail.
    web = (await admin.get(f"/dns-records/{made[3]['id']}")).json()
    assert (web["zone_id"], web["fqdn"]) == (child["id"], "web.dmz.par.test")
    audit = (await admin.get("/audit", params={"object_id": web["id"]})).json()["items"]
    moved = next(each for each in audit if each["action"] == "updated")
    assert moved["before"]["zone_id"] == parent["id"]
    assert moved["before"]["name"] == "web.dmz"
    assert moved["after"]["zone_id"] == child["id"]


async def test_a_zone_that_is_enabled_later_or_above_others(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    """Three zones, enabled from below; each PATCH moves what the other two answer for, also in bulk."""
    top = await make("/dns-zones", name="t")
    middle = await make("/dns-zones", name="m.t")
    low = await make("/dns-zones", name="l.m.t")
    for zone, names in ((top, "a a.m a.l.m l.m"), (middle, "b b.l"), (low, "c")):
        for name in names.split():
            await put(make, zone, name, "A", "192.0.2.1")
    await put(make, middle, "a.l", "A", "192.0.2.1")  # the same as the zone above has
    for zone, hidden in ((low, 0), (middle, 2), (top, 3)):
        path = f"/dns-zones/{zone['id']}"
        for query in ({}, {"dry_run": "true"}, {"move_records": "false"}):
            if hidden:
                answer = await admin.patch(path, params=query, json={"dns_enabled": True})
                assert refused(answer, 409, "conflict")["records"] == hidden
        query = "?move_records=true" if hidden else ""
        operation = {"op": "update", "path": path + query, "body": {"dns_enabled": True}}
        answer = await admin.post("/bulk", json={"operations": [operation]})
        assert answer.status_code == 200, answer.text
    names = [{name for name, *_ in await records(admin, zone)} for zone in (top, middle, low)]
    assert names == [{"a"}, {"a", "b"}, {"@", "a", "b", "c"}]
    assert await said(admin, top) == {("m", "NS", "m.t.")}
    assert await said(admin, middle) == {("l", "NS", "l.m.t."), ("l", "A", "192.0.2.1")}


async def test_what_cannot_be_moved(admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any) -> None:
    for name, clash in (
        ("c", ("c", "CNAME", "www")),
        ("d", ("www.d", "CNAME", "www")),
        ("e", ("www.e", "A", "192.0.2.1")),
    ):
        await put(make, parent, *clash)
        child = await make("/dns-zones", name=f"{name}.par.test")
        if name != "c":
            kind, data = ("A", "192.0.2.9") if name == "d" else ("CNAME", "x")
            await put(make, child, "www", kind, data)
        path = f"/dns-zones/{child['id']}?move_records=true"
        details = refused(await admin.patch(path, json={"dns_enabled": True}), 409, "conflict")
        assert details["conflicts_with"]["type"] == "dns_record"
    for path in ("/dns-zones?move_records=perhaps", "/dns-zones?cascade=true", "/prefixes?move_records=true"):
        operation = {"op": "create", "path": path, "body": {"name": "x.par.test"}}
        refused(await admin.post("/bulk", json={"operations": [operation]}), 422, "validation_error")
    refused(await admin.post("/dns-zones?move=true", json={"name": "x.par.test"}), 422, "validation_error")


async def test_a_delegation_follows_the_zone_below(admin: httpx.AsyncClient, make: Any, parent: Zone) -> None:
    """Its NS records and the addresses of its servers, which may stand in a zone below it."""
    child = await make("/dns-zones", name="c.par.test", dns_enabled=True)
    assert await said(admin, parent) == {("c", "NS", "c.par.test.")}
    path = f"/dns-zones/{child['id']}"
    await admin.patch(path, json={"mname": "ns0.c.par.test"})
    assert await said(admin, parent) == {("c", "NS", "ns0.c.par.test.")}
    await put(make, child, "ns0", "A", "192.0.2.50")
    assert ("ns0.c", "A", "192.0.2.50") in await said(admin, parent)
    first = await put(make, child, "@", "NS", "ns1.c.par.test.", 60)
    assert await said(admin, parent) == {("c", "NS", "ns1.c.par.test.")}
    address = await put(make, child, "ns1", "A", "192.0.2.53")
    await put(make, child, "@", "NS", "ns.example.net.")
    await put(make, child, "@", "NS", "ns2.d.c.par.test.")
    await put(make, child, "ns2.d", "AAAA", "2001:db8::53")
    servers = {("c", "NS", f"{name}.") for name in ("ns1.c.par.test", "ns.example.net", "ns2.d.c.par.test")}
    addresses = {("ns1.c", "A", "192.0.2.53"), ("ns2.d.c", "AAAA", "2001:db8::53")}
    assert await said(admin, parent) == servers | addresses
    assert ("c", "NS", "ns1.c.par.test.", 60) in await records(admin, parent, "delegation")
    await admin.patch(f"/dns-records/{address['id']}", json={"data": "192.0.2.54"})
    addresses = {("ns1.c", "A", "192.0.2.54"), ("ns2.d.c", "AAAA", "2001:db8::53")}
    assert await said(admin, parent) == servers | addresses
    low = await admin.post("/dns-zones?move_records=true", json={"name": "d.c.par.test", "dns_enabled": True})
    assert low.status_code == 201
    assert await said(admin, parent) == servers | addresses
    assert await said(admin, child) == {("d", "NS", "d.c.par.test.")}
    await admin.delete(f"/dns-records/{first['id']}")
    assert ("c", "NS", "ns1.c.par.test.") not in await said(admin, parent)
    assert ("ns1.c", "A", "192.0.2.54") not in await said(admin, parent)
    file = "@ NS ns9\nns9 A 192.0.2.59\n"
    brought = await admin.post(f"{path}/import", json={"zone_file": file, "mode": "replace"})
    assert brought.status_code == 200
    assert await said(admin, parent) == {("c", "NS", "ns9.c.par.test."), ("ns9.c", "A", "192.0.2.59")}


@pytest.mark.parametrize("way", ["disabled", "deleted", "in bulk"])
async def test_a_delegation_disappears_with_its_zone(
    admin: httpx.AsyncClient, make: Any, parent: Zone, way: str
) -> None:
    """And the zones below it are then said of by the one above."""
    middle = await make("/dns-zones", name="m.par.test", dns_enabled=True)
    await make("/dns-zones", name="l.m.par.test", dns_enabled=True)
    assert await said(admin, parent) == {("m", "NS", "m.par.test.")}
    assert await said(admin, middle) == {("l", "NS", "l.m.par.test.")}
    path = f"/dns-zones/{middle['id']}"
    if way == "disabled":
        assert (await admin.patch(path, json={"dns_enabled": False})).status_code == 200
        assert await said(admin, middle) == set()
    elif way == "deleted":
        assert (await admin.delete(path)).status_code == 204
    else:
        body = {
            "operations": [
                {"op": "delete", "path": path},
                {"op": "create", "path": "/dns-zones", "body": {"name": "x"}},
            ]
        }
        assert (await admin.post("/bulk", json=body)).status_code == 200
    assert await said(admin, parent) == {("l.m", "NS", "l.m.par.test.")}


async def test_a_delegation_is_nobodys_to_write(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    await make("/dns-zones", name="c.par.test", dns_enabled=True)
    (record,) = (await admin.get("/dns-records", params={"source": "delegation"})).json()["items"]
    for answer in (
        await admin.delete(f"/dns-records/{record['id']}"),
        await admin.patch(f"/dns-records/{record['id']}", json={"ttl": 1}),
    ):
        assert refused(answer, 409, "conflict") == {"source": "delegation"}


async def test_a_record_that_would_be_hidden_is_refused(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    child = await make("/dns-zones", name="c.par.test", dns_enabled=True)
    path = f"/dns-zones/{parent['id']}/records"
    for name in ("c", "x.c", "X.C.par.test.", "*.c", "a\\.b.c"):
        answer = await admin.post(path, json={"name": name, "type": "A", "data": "192.0.2.1"})
        assert refused(answer, 409, "conflict")["conflicts_with"]["id"] == child["id"], name
    for name in ("xc", "x\\.c", "@", "c.x"):
        await put(make, parent, name, "A", "192.0.2.1")
    await put(make, parent, "c", "DS", "60485 13 2 " + "ab" * 32)
    answer = await admin.post(path, json={"name": "x.c", "type": "DS", "data": "60485 13 2 " + "ab" * 32})
    refused(answer, 409, "conflict")
    (signed,) = (await admin.get("/dns-records", params={"type": "DS"})).json()["items"]
    other = {"type": "A", "data": "192.0.2.1"}
    refused(await admin.patch(f"/dns-records/{signed['id']}", json=other), 409, "conflict")
    moved = await put(make, parent, "free", "A", "192.0.2.1")
    refused(await admin.patch(f"/dns-records/{moved['id']}", json={"name": "free.c"}), 409, "conflict")
    file = "@ NS ns\nc NS ns.c\nns.c A 192.0.2.1\nok A 192.0.2.1\n"
    report = (await admin.post(f"/dns-zones/{parent['id']}/import", json={"zone_file": file})).json()
    assert report["created"] == 2
    assert {(each["name"], each["type"], each["reason"]) for each in report["skipped"]} == {
        ("c", "NS", "zone c.par.test answers for it"),
        ("ns.c", "A", "zone c.par.test answers for it"),
    }


async def test_reverse_zones(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    """By octets, by nibbles, and smaller than an octet (RFC 2317)."""
    for above, below, owner in (
        ("10.in-addr.arpa", "20.10.in-addr.arpa", "5.1.20"),
        ("8.b.d.0.1.0.0.2.ip6.arpa", "a.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "1.a.0.0.0"),
        ("2.0.192.in-addr.arpa", "64/26.2.0.192.in-addr.arpa", "65.64/26"),
    ):
        parent = await make("/dns-zones", name=above, dns_enabled=True)
        await put(make, parent, owner, "PTR", "h.example.net.")
        body = {"name": below, "dns_enabled": True}
        refused(await admin.post("/dns-zones", json=body), 409, "conflict")
        answer = await admin.post("/dns-zones?move_records=true", json=body)
        assert answer.status_code == 201, answer.text
        assert len(await records(admin, answer.json())) == 1
        assert {kind for _, kind, _ in await said(admin, parent)} == {"NS"}


async def test_no_delegation_crosses_tenants(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, parent: Zone
) -> None:
    """Zones that were enabled by a release without suffixes."""
    tenant = await make("/tenants", name="other")
    await make("/dns-zones", name="c.par.test", tenant_id=tenant["id"])
    await pool.execute("update dns_zone set dns_enabled = true")
    async with pool.acquire() as connection:
        await child_zones.delegate(connection, await child_zones.all_names(connection))
    assert await said(admin, parent) == set()


async def test_what_another_process_left_out_is_found(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, parent: Zone
) -> None:
    """A publisher that is elected looks at all zones, and at what workers write it looks as it publishes."""
    child = await make("/dns-zones", name="c.par.test")
    other = await make("/dns-zones", name="d.par.test", dns_enabled=True)
    await pool.execute("update dns_zone set dns_enabled = name <> 'd.par.test'")
    async with pool.acquire() as connection:
        await child_zones.delegate(connection, await child_zones.all_names(connection))
        assert await said(admin, parent) == {("c", "NS", "c.par.test.")}
        await pool.execute(
            "insert into dns_record (id, zone_no, name, type, data, source)"
            " select gen_random_uuid(), no, '@', 'A', '192.0.2.7', 'lease' from dns_zone where id = $1",
            child["id"],
        )
        await dns_publication.publish(connection)
        assert await said(admin, parent) == {("c", "NS", "c.par.test."), ("c", "A", "192.0.2.7")}
        await dns_publication.publish(connection)
        rows = await pool.fetch(
            "select name, type from dns_rrset where zone_no = (select min(no) from dns_zone)"
        )
        assert {("c", "NS"), ("c", "A")} <= {tuple(row) for row in rows}
    assert (await admin.get(f"/dns-zones/{other['id']}")).json()["dns_enabled"] is False


async def test_a_key_stands_for_the_query_too(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    await put(make, parent, "web.dmz", "A", "192.0.2.4")
    body, key = {"name": "dmz.par.test", "dns_enabled": True}, {"Idempotency-Key": "one"}
    refused(await admin.post("/dns-zones", json=body, headers=key), 409, "conflict")
    assert (await admin.post("/dns-zones", json=body, headers=key)).status_code == 409
    query = {"move_records": "true"}
    answer = await admin.post("/dns-zones", params=query, json=body, headers=key)
    refused(answer, 422, "idempotency_key_reused")
    key = {"Idempotency-Key": "two"}
    made = [await admin.post("/dns-zones", params=query, json=body, headers=key) for _ in range(2)]
    assert [each.status_code for each in made] == [201, 201]
    assert made[0].json() == made[1].json()


async def test_a_record_and_the_zone_that_would_hide_it_at_the_same_moment(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, make: Any, parent: Zone
) -> None:
    """The record is moved or refused, and a publisher beside them finds nothing to change in what was said."""
    path = f"/dns-zones/{parent['id']}/records"

    async def publish() -> None:
        async with pool.acquire() as connection:
            await dns_publication.publish(connection)

    for turn in range(6):
        zone = {"name": f"z{turn}.par.test", "dns_enabled": True}
        hosts = [{"name": f"h{n}.z{turn}", "type": "A", "data": "192.0.2.1"} for n in range(3)]
        answers = await asyncio.gather(
            *(admin.post(path, json=record) for record in hosts[:2]),
            admin.post("/dns-zones?move_records=true", json=zone),
            *(admin.post(path, json=record) for record in hosts[2:]),
            publish(),
        )
        made = [answer for answer in answers if answer is not None]
        assert {answer.status_code for answer in made} <= {201, 409}, [answer.text for answer in made]
        assert made[2].status_code == 201
        done = sum(answer.status_code == 201 for answer in made) - 1
        assert len(await records(admin, made[2].json())) == done
        assert not [each for each in await records(admin, parent) if each[0].endswith(f".z{turn}")]
        assert (f"z{turn}", "NS", f"z{turn}.par.test.") in await said(admin, parent)


async def test_a_publisher_waits_for_no_writer(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, database: str, make: Any, parent: Zone
) -> None:
    """All tenants wait for it. A long import holds the zone above; what is to be said there follows afterwards."""
    child = await make("/dns-zones", name="c.par.test", dns_enabled=True)
    publisher = Publisher(database)
    async with pool.acquire() as writer, pool.acquire() as connection:
        await publisher.publish_all(connection)
        async with writer.transaction():
            await writer.execute("select from dns_zone where name = 'par.test' for update")
            await pool.execute(
                "insert into dns_record (id, zone_no, name, type, data, source)"
                " select gen_random_uuid(), no, '@', 'A', '192.0.2.7', 'lease' from dns_zone where id = $1",
                child["id"],
            )
            async with asyncio.timeout(10):
                await publisher.publish_all(connection)
            assert await pool.fetchval("select count(*) from dns_rrset where type = 'A'") == 1
            assert publisher.late == {"c.par.test"}
        await publisher.publish_all(connection)
        assert publisher.late == set()
        await publisher.publish_all(connection)
    assert await said(admin, parent) == {("c", "NS", "c.par.test."), ("c", "A", "192.0.2.7")}
    assert await pool.fetchval("select count(*) from dns_rrset where type = 'A'") == 2


async def test_a_tenant_goes_with_its_tree(admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool) -> None:
    """Zones above and below each other, and what is said of them."""
    tenant = await make("/tenants", name="acme", dns_suffixes=["acme.test"])
    for name in ("acme.test", "b.acme.test", "c.b.acme.test"):
        await make("/dns-zones", name=name, tenant_id=tenant["id"], dns_enabled=True)
    assert (await admin.delete(f"/tenants/{tenant['id']}?cascade=true")).status_code == 204
    assert await pool.fetchval("select count(*) from dns_record") == 0
    other = await make("/tenants", name="other", dns_suffixes=["b.acme.test"])
    await make("/dns-zones", name="b.acme.test", tenant_id=other["id"], dns_enabled=True)


async def test_a_zone_above_goes_with_what_it_says(admin: httpx.AsyncClient, make: Any, parent: Zone) -> None:
    """A delegation is no record that somebody has to delete first."""
    await make("/dns-zones", name="c.par.test", dns_enabled=True)
    assert (await admin.delete(f"/dns-zones/{parent['id']}")).status_code == 204
    again = await make("/dns-zones", name="par.test", dns_enabled=True)
    assert await said(admin, again) == {("c", "NS", "c.par.test.")}


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (("x.old.c", "A", "192.0.2.1"), ("old", "DNAME", "new.example.net.")),
        (("old.c", "DNAME", "new.example.net."), ("x.old", "A", "192.0.2.1")),
        (("old.c", "DNAME", "new.example.net."), ("old", "DNAME", "other.example.net.")),
    ],
)
async def test_no_record_moves_where_a_redirection_leaves_no_place(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any, above: Any, below: Any
) -> None:
    child = await make("/dns-zones", name="c.par.test")
    await put(make, parent, *above)
    await put(make, child, *below)
    path = f"/dns-zones/{child['id']}?move_records=true"
    details = refused(await admin.patch(path, json={"dns_enabled": True}), 409, "conflict")
    assert details["conflicts_with"]["fqdn"] == f"{above[0]}.par.test"


async def test_no_rrset_moves_beyond_its_bound(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    child = await make("/dns-zones", name="c.par.test")
    lines = "".join(f"many A 10.0.0.{n}\n" for n in range(100))
    for zone, text in ((parent, "many.c A 10.0.0.0\nmany.c A 10.1.0.0\n"), (child, lines)):
        answer = await admin.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": text})
        assert answer.json()["skipped"] == []
    path = f"/dns-zones/{child['id']}?move_records=true"
    refused(await admin.patch(path, json={"dns_enabled": True}), 409, "conflict")
    gone = (await admin.get(f"/dns-zones/{child['id']}/records", params={"data": "10.0.0.99"})).json()[
        "items"
    ]
    assert (await admin.delete(f"/dns-records/{gone[0]['id']}")).status_code == 204
    assert (await admin.patch(path, json={"dns_enabled": True})).status_code == 200


async def test_no_zone_lies_below_a_redirection(
    admin: httpx.AsyncClient, make: Any, parent: Zone, refused: Any
) -> None:
    """A DNAME leaves no names below its own; Knot refuses a zone that has a delegation there."""
    record = await put(make, parent, "old", "DNAME", "new.example.net.")
    for name in ("x.old.par.test", "y.x.old.par.test"):
        body = {"name": name, "dns_enabled": True}
        details = refused(await admin.post("/dns-zones?move_records=true", json=body), 409, "conflict")
        assert details["conflicts_with"]["fqdn"] == "old.par.test"
    await make("/dns-zones", name="xold.par.test", dns_enabled=True)
    assert (await admin.delete(f"/dns-records/{record['id']}")).status_code == 204
    await make("/dns-zones", name="x.old.par.test", dns_enabled=True)
    path = f"/dns-zones/{parent['id']}"
    for name in ("old", "@"):
        fields = {"name": name, "type": "DNAME", "data": "new.example.net."}
        assert refused(await admin.post(f"{path}/records", json=fields), 409, "conflict")["field"] == "type"
    file = "@ NS ns\nold DNAME new.example.net.\nother DNAME new.example.net.\n"
    report = (await admin.post(f"{path}/import", json={"zone_file": file})).json()
    assert [(each["name"], each["type"]) for each in report["skipped"]] == [("old", "DNAME")]
