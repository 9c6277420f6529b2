"""DNS as the plan keeps it: names and data as DNS understands them, aliases alone, servers that are in use."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest


@pytest.fixture
async def zone(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make("/dns-zones", name="Example.ORG.")
    return found


# Name, type, data as it comes in; the name and the data as they are kept.
RECORDS = [
    ("www", "A", "192.0.2.1", "www", "192.0.2.1"),
    ("WWW2.Example.Org", "A", "192.0.2.1", "www2", "192.0.2.1"),
    ("@", "AAAA", "2001:DB8::0:1", "@", "2001:db8::1"),
    ("a.b.example.org.", "A", "192.0.2.1", "a.b", "192.0.2.1"),
    ("*.wild", "A", "192.0.2.1", "*.wild", "192.0.2.1"),
    ("müller", "A", "192.0.2.1", "xn--mller-kva", "192.0.2.1"),
    ("alias", "CNAME", "www", "alias", "www.example.org."),
    ("other", "CNAME", "www.example.net", "other", "www.example.net."),
    ("example.org", "MX", "10 mail", "@", "10 mail.example.org."),
    ("@", "MX", "20 mail.example.net", "@", "20 mail.example.net."),
    ("@", "NS", "ns1.example.net.", "@", "ns1.example.net."),
    ("txt", "TXT", "v=spf1 a; -all", "txt", '"v=spf1 a; -all"'),
    ("txt", "TXT", '"one" "two"', "txt", '"one" "two"'),
    ("long", "TXT", "x" * 300, "long", f'"{"x" * 255}" "{"x" * 45}"'),
    ("_sip._tcp", "SRV", "0 5 5060 sip", "_sip._tcp", "0 5 5060 sip.example.org."),
    ("1.2.0", "PTR", "host.example.net", "1.2.0", "host.example.net."),
    ("@", "CAA", '0 issue "ca.example.net"', "@", '0 issue "ca.example.net"'),
    ("host", "SSHFP", "4 2 " + "AB" * 32, "host", "4 2 " + "ab" * 32),
    ("_443._tcp", "TLSA", "3 1 1 " + "ab" * 32, "_443._tcp", "3 1 1 " + "ab" * 32),
    ("@", "HTTPS", "1 . alpn=h2", "@", '1 . alpn="h2"'),
    ("_dns", "SVCB", "1 dot.example.net alpn=dot", "_dns", '1 dot.example.net. alpn="dot"'),
    ("odd", "TYPE65400", "\\# 4 0A000001", "odd", "\\# 4 0a000001"),
]


async def test_records_are_kept_in_one_spelling(make: Any, zone: dict[str, Any]) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    for name, kind, data, kept_name, kept_data in RECORDS:
        made = await make(path, name=name, type=kind, data=data)
        fqdn = "example.org" if kept_name == "@" else f"{kept_name}.example.org"
        assert (made["name"], made["data"], made["fqdn"]) == (kept_name, kept_data, fqdn)


async def test_records_are_found_by_addresses(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    await make(path, name="a", type="A", data="192.0.2.1")
    await make(path, name="b", type="AAAA", data="2001:db8::1")
    await make(path, name="c", type="A", data="192.0.2.3")
    await make(path, name="d", type="TXT", data="192.0.2.1")
    for asked, expected in (("192.0.2.1", ["a"]), ("192.0.2.1,2001:DB8:0::1", ["a", "b"]), ("::1", [])):
        for place in ("/dns-records", path):
            found = (await admin.get(place, params={"ip": asked})).json()["items"]
            assert [record["name"] for record in found] == expected
    refused = await admin.get("/dns-records", params={"ip": "192.0.2.1,"})
    assert (refused.status_code, refused.json()["error"]["details"]["field"]) == (422, "ip")


BAD_RECORDS = [
    ({"name": "x.example.net.", "type": "A", "data": "192.0.2.1"}, "name"),
    ({"name": "a..b", "type": "A", "data": "192.0.2.1"}, "name"),
    ({"name": "a b", "type": "A", "data": "192.0.2.1"}, "name"),
    ({"name": "a.*", "type": "A", "data": "192.0.2.1"}, "name"),
    ({"name": "x" * 64, "type": "A", "data": "192.0.2.1"}, "name"),
    ({"name": "www", "type": "A", "data": "2001:db8::1"}, "data"),
    ({"name": "www", "type": "A", "data": ""}, "data"),
    ({"name": "www", "type": "A", "data": "192.0.2.1\n192.0.2.2"}, "data"),
    ({"name": "www", "type": "AAAA", "data": "192.0.2.1"}, "data"),
    ({"name": "www", "type": "MX", "data": "mail"}, "data"),
    ({"name": "www", "type": "SRV", "data": "0 5 sip"}, "data"),
    ({"name": "www", "type": "CAA", "data": "issue"}, "data"),
    ({"name": "www", "type": "TXT", "data": '"open'}, "data"),
    ({"name": "www", "type": "SOA", "data": "x"}, "type"),
    ({"name": "www", "type": "ANY", "data": "x"}, "type"),
    ({"name": "www", "type": "RRSIG", "data": "x"}, "type"),
    ({"name": "www", "type": "TYPE0", "data": "\\# 0"}, "type"),
    ({"name": "www", "type": "TYPE65536", "data": "\\# 0"}, "type"),
    ({"name": "www", "type": "TYPE65400", "data": "\\# 2 00"}, "data"),
    ({"name": "www", "type": "SSHFP", "data": "4 2 x"}, "data"),
    ({"name": "www", "type": "HTTPS", "data": "1 . alpn"}, "data"),
    ({"name": "@", "type": "CNAME", "data": "www"}, "type"),
    ({"name": "www", "type": "A", "data": "192.0.2.1", "ttl": -1}, "ttl"),
]
TSIG = {"name": "ns", "adapter": "bind_tsig", "address": "x", "key_name": "k"}
KERBEROS: dict[str, Any] = {
    "name": "dc",
    "adapter": "ad_gsstsig",
    "address": "dc1.example.net",
    "principal": "svc-dhcp@EXAMPLE.NET",
    "keytab": "/etc/ipam/svc.keytab",
}
BAD_OTHERS = [
    ("/dns-zones", {"name": "."}, "name"),
    ("/dns-zones", {"name": "a..b"}, "name"),
    ("/dns-zones", {"name": "*.example"}, "name"),
    ("/dns-zones", {"name": "example.net", "rname": "a b@example"}, "rname"),
    ("/dns-zones", {"name": "example.net", "dns_server_id": "x"}, "dns_server_id"),
    ("/dns-servers", {"name": "ns", "adapter": "bind"}, "adapter"),
    ("/dns-servers", {"name": "ns", "adapter": "bind_tsig"}, "address"),
    ("/dns-servers", {"name": "ns", "adapter": "powerdns_http"}, "url"),
    ("/dns-servers", {"name": "ns", "adapter": "powerdns_http", "url": "ftp://x"}, "url"),
    ("/dns-servers", {"name": "ns", "adapter": "powerdns_http", "url": "http://u:p@x/"}, "url"),
    ("/dns-servers", {"name": "ns", "adapter": "bind_tsig", "address": "x", "secret": "?"}, "secret"),
    ("/dns-servers", {"name": "ns", "adapter": "embedded", "secret": ""}, "secret"),
    ("/dns-servers", {"name": "ns", "adapter": "ad_gsstsig", "secret": "x", "principal": "p"}, "address"),
    ("/dns-servers", KERBEROS | {"address": "192.0.2.53"}, "address"),
    ("/dns-servers", KERBEROS | {"address": "2001:db8::53"}, "address"),
    ("/dns-servers", KERBEROS | {"keytab": None}, "keytab"),
    ("/dns-servers", KERBEROS | {"keytab": "ipam.keytab"}, "keytab"),
    ("/dns-servers", KERBEROS | {"principal": None}, "principal"),
    ("/dns-servers", KERBEROS | {"secret": "x"}, "secret"),
    ("/dns-servers", KERBEROS | {"ticket_cache": "/run/tickets"}, "ticket_cache"),
    ("/dns-servers", KERBEROS | {"keytab": None, "ticket_cache": "tickets"}, "ticket_cache"),
    ("/dns-servers", KERBEROS | {"keytab": None, "ticket_cache": "MEMORY:x"}, "ticket_cache"),
    ("/dns-servers", KERBEROS | {"adapter": "bind_tsig"}, "keytab"),
    ("/dns-servers", {"name": "ns", "adapter": "embedded", "ticket_cache": "/run/tickets"}, "ticket_cache"),
    ("/dns-servers", TSIG | {"key_algorithm": "hmac-md5"}, "key_algorithm"),
    ("/dns-servers", TSIG | {"key_algorithm": "hmac-sha224"}, "key_algorithm"),
]


async def test_bad_names_and_data_are_refused_by_field(
    admin: httpx.AsyncClient, zone: dict[str, Any], refused: Any
) -> None:
    records = [(f"/dns-zones/{zone['id']}/records", body, field) for body, field in BAD_RECORDS]
    for path, body, field in records + BAD_OTHERS:
        answer = await admin.post(path, json=body)
        assert refused(answer, 422, "validation_error")["field"] == field, (body, answer.text)


async def test_a_principal_has_its_keys_from_one_place(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    server = await make("/dns-servers", **KERBEROS)
    path = f"/dns-servers/{server['id']}"
    assert (server["keytab"], server["ticket_cache"]) == (KERBEROS["keytab"], None)
    answer = await admin.patch(path, json={"secret": "P4ssw0rd"})
    assert refused(answer, 422, "validation_error")["field"] == "secret"
    assert "combined with keytab" in answer.text
    for fields in (
        {"keytab": None, "ticket_cache": "/run/ipam/tickets", "principal": None},
        {"ticket_cache": "KEYRING:persistent:0"},
        {"ticket_cache": None, "secret": "P4ssw0rd", "principal": "svc-dhcp"},
    ):
        answer = await admin.patch(path, json=fields)
        assert answer.status_code == 200, answer.text
    # The realm says whose KDC the password is proved to.
    for fields in ({"realm": "EVIL.EXAMPLE"}, {"principal": "svc-dhcp@EVIL.EXAMPLE"}):
        answer = await admin.patch(path, json=fields)
        assert refused(answer, 422, "validation_error")["field"] == "secret"
    answer = await admin.patch(path, json={"secret": None, "keytab": "/etc/krb5.keytab"})
    assert (answer.status_code, answer.json()["has_secret"]) == (200, False)


async def test_an_algorithm_that_is_not_taken_is_named(admin: httpx.AsyncClient) -> None:
    answer = await admin.post("/dns-servers", json=TSIG | {"key_algorithm": "hmac-md5"})
    assert "hmac-md5" in answer.text, answer.text


async def test_an_alias_stands_alone(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    address = await make(path, name="www", type="A", data="192.0.2.1")
    alias = {"name": "WWW", "type": "CNAME", "data": "web"}
    details = refused(await admin.post(path, json=alias), 409, "conflict")
    assert details["conflicts_with"]["id"] == address["id"]
    await make(path, name="web", type="CNAME", data="other.example.net.")
    for body in ({"type": "A", "data": "192.0.2.1"}, {"type": "CNAME", "data": "x.example.net."}):
        refused(await admin.post(path, json={"name": "web"} | body), 409, "conflict")
    moved = await admin.patch(f"/dns-records/{address['id']}", json={"name": "web"})
    refused(moved, 409, "conflict")
    answer = await admin.patch(f"/dns-records/{address['id']}", json=alias)
    assert (answer.status_code, answer.json()["data"]) == (200, "web.example.org.")


REDIRECTED = [
    ("x.old", "A", "192.0.2.1", "old"),
    ("y.x.old", "TXT", '"x"', "old"),
    ("*.old", "DNAME", "new", None),
    ("*.wild", "NS", "ns.example.net.", None),
    ("old", "DNAME", "other", "old"),
    ("old", "CNAME", "other", "old"),
    ("old", "NS", "ns.example.net.", "old"),
    ("deep", "DNAME", "new", "x.deep"),
    ("@", "DNAME", "new.example.net.", "deep.x"),
    ("cut", "DNAME", "new", "cut"),
    ("alias", "DNAME", "new", "alias"),
]


async def test_a_redirection_leaves_no_names_below_its_own(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    """RFC 6672 sections 2.3 and 2.4."""
    path = f"/dns-zones/{zone['id']}/records"
    old = await make(path, name="old", type="DNAME", data="new")
    for name, kind, data in (
        ("old", "A", "192.0.2.1"),
        ("a\\.old", "A", "192.0.2.1"),
        ("xold", "A", "192.0.2.1"),
        ("x.deep", "A", "192.0.2.1"),
        ("cut", "NS", "ns.example.net."),
        ("alias", "CNAME", "old"),
    ):
        await make(path, name=name, type=kind, data=data)
    for name, kind, data, other in REDIRECTED:
        answer = await admin.post(path, json={"name": name, "type": kind, "data": data})
        if other is None:
            assert refused(answer, 422, "validation_error")["field"] == "type"
        else:
            details = refused(answer, 409, "conflict")
            assert name == "@" or details["conflicts_with"]["name"] == other, (name, kind)
    one = await make(path, name="elsewhere", type="A", data="192.0.2.1")
    refused(await admin.patch(f"/dns-records/{one['id']}", json={"name": "x.old"}), 409, "conflict")
    answer = await admin.patch(f"/dns-records/{old['id']}", json={"data": "another"})
    assert answer.json()["data"] == "another.example.org."
    other = await make("/dns-zones", name="whole.test")
    await make(f"/dns-zones/{other['id']}/records", name="@", type="DNAME", data="example.net.")
    await make(f"/dns-zones/{other['id']}/records", name="@", type="NS", data="ns.example.net.")
    below = {"name": "x", "type": "A", "data": "192.0.2.1"}
    refused(await admin.post(f"/dns-zones/{other['id']}/records", json=below), 409, "conflict")


async def test_an_rrset_has_at_most_a_hundred_records(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    create = [
        {"op": "create", "path": path, "body": {"name": "many", "type": "A", "data": f"10.0.0.{n}"}}
        for n in range(101)
    ]
    answer = await admin.post("/bulk", json={"operations": create})
    details = refused(answer, 409, "conflict")
    assert details["limit"] == 100
    assert (await admin.post("/bulk", json={"operations": create[:100]})).status_code == 200
    one = {"name": "MANY", "type": "A", "data": "10.0.1.1"}
    details = refused(await admin.post(path, json=one), 409, "conflict")
    assert (details["field"], details["limit"]) == ("name", 100)
    await make(path, name="many", type="AAAA", data="2001:db8::1")
    moved = await make(path, name="other", type="A", data="10.0.1.1")
    refused(await admin.patch(f"/dns-records/{moved['id']}", json={"name": "many"}), 409, "conflict")
    full = (await admin.get(path, params={"name": "many", "type": "A"})).json()["items"]
    answer = await admin.patch(f"/dns-records/{full[0]['id']}", json={"data": "10.0.1.1"})
    assert answer.status_code == 200


async def test_a_record_tells_with_which_ttl_it_is_served(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any]
) -> None:
    """RFC 2181 section 5.2: that of its RRset, which the record's entity tag does not know."""
    path = f"/dns-zones/{zone['id']}/records"
    first = await make(path, name="www", type="A", data="192.0.2.1", ttl=600)
    assert first["served_ttl"] == 600
    tag = (await admin.get(f"/dns-records/{first['id']}")).headers["etag"]
    second = await make(path, name="www", type="A", data="192.0.2.2", ttl=300)
    await make(path, name="www", type="AAAA", data="2001:db8::1", ttl=30)
    listed = (await admin.get(path, params={"type": "A"})).json()["items"]
    assert [(each["ttl"], each["served_ttl"]) for each in listed] == [(600, 300), (300, 300)]
    changed = await admin.patch(f"/dns-records/{first['id']}", json={"ttl": None}, headers={"if-match": tag})
    assert (changed.json()["ttl"], changed.json()["served_ttl"]) == (None, 300)
    assert (await admin.delete(f"/dns-records/{second['id']}")).status_code == 204
    file = "www 60 A 192.0.2.3\n"
    await admin.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": file})
    log = (await admin.get("/audit", params={"object_type": "dns_record", "limit": 1})).json()["items"]
    assert log[0]["after"]["served_ttl"] == 60
    assert (await admin.get(f"/dns-records/{first['id']}")).json()["served_ttl"] == 60


async def test_of_aliases_at_once_one_is_made(admin: httpx.AsyncClient, zone: dict[str, Any]) -> None:
    path = f"/dns-zones/{zone['id']}/records"
    bodies = [{"name": "x", "type": "CNAME", "data": f"web{n}"} for n in range(6)]
    answers = await asyncio.gather(*(admin.post(path, json=body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 5


async def test_nothing_is_there_twice(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    refused(await admin.post("/dns-zones", json={"name": "EXAMPLE.org"}), 409, "conflict")
    server = await make("/dns-servers", name="ns", adapter="embedded")
    twice = await admin.post("/dns-servers", json={"name": "ns", "adapter": "embedded"})
    assert refused(twice, 409, "conflict")["conflicts_with"]["id"] == server["id"]
    path = f"/dns-zones/{zone['id']}/records"
    text = await make(path, name="t", type="TXT", data="x" * 4000)
    again = await admin.post(path, json={"name": "t", "type": "TXT", "data": "x" * 4000})
    assert refused(again, 409, "conflict")["conflicts_with"]["id"] == text["id"]
    await make(path, name="t", type="TXT", data="y")


async def test_a_zone_goes_with_its_records_only(
    admin: httpx.AsyncClient, make: Any, zone: dict[str, Any], refused: Any
) -> None:
    await make(f"/dns-zones/{zone['id']}/records", name="x", type="A", data="192.0.2.1")
    item = f"/dns-zones/{zone['id']}"
    assert refused(await admin.delete(item), 409, "conflict")["children"] == {"dns_records": 1}
    assert (await admin.delete(item + "?cascade=true")).status_code == 204
    assert (await admin.get("/dns-records")).json()["items"] == []


async def test_a_server_in_use_stays(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    server = await make("/dns-servers", name="ns", adapter="bind_tsig", address="192.0.2.53")
    zone = await make("/dns-zones", name="example.net", dns_server_id=server["id"])
    patch = {"ddns_dns_server_id": server["id"]}
    changed = await admin.patch(f"/subnets/{subnet['id']}", json=patch)
    assert (changed.status_code, changed.json()["ddns_dns_server_id"]) == (200, server["id"])
    item = f"/dns-servers/{server['id']}"
    for query in ("", "?cascade=true"):
        details = refused(await admin.delete(item + query), 409, "conflict")
        assert details["children"] == {"dns_zones": 1, "subnets": 1}
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_dns_server_id": None})
    await admin.patch(f"/dns-zones/{zone['id']}", json={"dns_server_id": None})
    assert (await admin.delete(item)).status_code == 204


UPDATE = """
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error, next_attempt_at)
select gen_random_uuid(), tenant_no, no, 'add', '10.0.0.9', 'nine.example.org', $1, 7, 'refused', null from subnet
returning id
"""


async def test_a_failed_update_is_tried_again_and_a_done_one_is_not(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, refused: Any
) -> None:
    for state in ("pending", "applied", "superseded", "retrying", "failed", "conflict"):
        id_ = await pool.fetchval(UPDATE, state)
        answer = await admin.post(f"/ddns-updates/{id_}/retry")
        if state in ("pending", "applied", "superseded"):
            assert refused(answer, 409, "conflict")["state"] == state
            continue
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert (found["state"], found["attempts"], found["fqdn"]) == ("pending", 0, "nine.example.org")
        assert found["next_attempt_at"] is not None
        row = await pool.fetchrow("select * from change where object_id = $1", str(id_))
        assert (row["before"]["state"], row["after"]) == (state, found)
    for params, count in (
        ({"state": "pending"}, 4),
        ({"ip": "10.0.0.9", "state": "applied"}, 1),
        ({"fqdn": "NINE.example.org", "subnet_id": subnet["id"]}, 6),
        ({"action": "remove"}, 0),
    ):
        found = (await admin.get("/ddns-updates", params=params)).json()["items"]
        assert len(found) == count, params


async def test_a_zone_and_its_records_in_one_request(admin: httpx.AsyncClient) -> None:
    zone = {"op": "create", "path": "/dns-zones", "ref": "z", "body": {"name": "example.org"}}
    record = {"name": "www", "type": "A", "data": "192.0.2.1"}
    below = {"op": "create", "path": "/dns-zones/$z/records", "ref": "r", "body": record}
    gone = {"op": "delete", "path": "/dns-records/$r"}
    done = await admin.post("/bulk", json={"operations": [zone, below, gone]})
    assert done.status_code == 200, done.text
    assert [result["status"] for result in done.json()["results"]] == [201, 201, 204]
