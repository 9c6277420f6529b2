"""Leases: read as they are, expired when their time is over, released once."""

from ipaddress import IPv4Address, ip_address
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.db import queries
from ipam_core.services import leases as service

LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address, client_id, hostname, relay, circuit_id)
select now() - interval '1 hour', now() - interval '1 minute', now() + $3::text::interval,
       now() + $3::text::interval, nextval('lease_version'), tenant_no, no, 32, $2::"char", $1,
       '\\x0101' || $4::bytea, 1, $4, '\\x01' || $4::bytea, $5, '10.9.9.9', 'eth0/7'
from subnet where cidr >> $1::inet
"""


@pytest.fixture
async def leases(subnet: dict[str, Any], pool: asyncpg.Pool) -> None:
    """.100 active (alpha), .101 past its end (beta), .102 released, .103 declined, .104 revoked."""
    rows = [
        (100, "a", "1 hour", "alpha"), (101, "a", "-1 second", "beta"), (102, "r", "-1 hour", None),
        (103, "d", "1 hour", None), (104, "v", "-1 hour", "Alphonse"),
    ]  # fmt: skip
    for number, state, lasts, name in rows:
        await pool.execute(
            LEASE, ip_address(f"10.0.0.{number}"), state, lasts, bytes([2, 0, 0, 0, 0, number]), name
        )


async def listed(client: httpx.AsyncClient, **params: str) -> list[str]:
    answer = await client.get("/leases", params=params)
    assert answer.status_code == 200, answer.text
    return [item["ip"].removeprefix("10.0.0.") for item in answer.json()["items"]]


async def test_a_lease_shows_what_was_granted(
    admin: httpx.AsyncClient, subnet: dict[str, Any], leases: None
) -> None:
    lease = (await admin.get("/leases", params={"ip": "10.0.0.100"})).json()["items"][0]
    assert (await admin.get(f"/leases/{lease['id']}")).json() == lease
    moments = {
        name: lease.pop(name)
        for name in ("created_at", "updated_at", "granted_at", "renewed_at", "expires_at")
    }
    assert moments["created_at"] == moments["granted_at"] < moments["renewed_at"] < moments["expires_at"]
    del lease["id"]
    assert lease == {
        "tenant_id": subnet["tenant_id"],
        "subnet_id": subnet["id"],
        "ip": "10.0.0.100",
        "prefix_length": 32,
        "state": "active",
        "mac": "02:00:00:00:00:64",
        "client_id": "01:02:00:00:00:00:64",
        "duid": None,
        "iaid": None,
        "hostname": "alpha",
        "ia_type": None,
        "relay": "10.9.9.9",
        "link_address": None,
        "next_hop": None,
        "interface_id": None,
        "circuit_id": "eth0/7",
        "remote_id": None,
        "relay_id": None,
        "relay_info": None,
        "vendor_class": None,
        "parameter_list": None,
        "user_class": None,
        "architecture": None,
        "accepts_reconfigure": None,
        "preferred_lifetime_seconds": None,
        "ended_at": None,
        "quarantined_until": None,
    }


async def test_a_lease_that_ended_shows_when(
    admin: httpx.AsyncClient, subnet: dict[str, Any], leases: None
) -> None:
    """One that was released early by the operator too; a declined address shows its quarantine."""
    found = {item["ip"]: item for item in (await admin.get("/leases")).json()["items"]}
    active, expired, _, declined, _ = (found[f"10.0.0.{n}"] for n in range(100, 105))
    assert (active["ended_at"], active["quarantined_until"]) == (None, None)
    assert expired["ended_at"] == expired["expires_at"]
    assert declined["quarantined_until"] is not None
    promised = active["expires_at"]
    released = (await admin.post(f"/leases/{active['id']}/release")).json()
    assert active["renewed_at"] < released["ended_at"] < promised
    assert (await admin.post(f"/leases/{declined['id']}/release")).json()["quarantined_until"] is None


DEVICES = [
    ("10.0.0.100", b"MSFT 5.0", bytes((1, 3, 121)), "MSFT 5.0", [1, 3, 121]),
    ("10.0.0.100", b"\xff\0", b"", "0xff00", []),
    ("10.0.0.100", None, None, None, None),
    ("2001:db8::5", b"\0\0\1\x57\0\3abc\0\1d", bytes((0, 23, 1, 2)), "343 abc d", [23, 258]),
    ("2001:db8::5", b"\0\0\1\x57\0\x09cut", bytes((0, 23, 1)), "343 cut", [23]),
    ("2001:db8::5", b"\0\0\1\x57", None, "0x00000157", None),
]


@pytest.mark.parametrize(("ip", "vendor", "asked", "shown", "codes"), DEVICES)
async def test_a_lease_shows_what_its_device_is(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, ip: str, vendor: bytes | None,
    asked: bytes | None, shown: str | None, codes: list[int] | None,
) -> None:  # fmt: skip
    await pool.execute(LEASE, ip_address("10.0.0.100"), "a", "1 hour", bytes(6), None)
    await pool.execute(
        "update lease set address = $1, vendor_class = $2, parameter_list = $3, relay_id = '\\x000301',"
        " relay_info = '\\x0104', accepts_reconfigure = true, preferred_lifetime = 300",
        ip_address(ip), vendor, asked,
    )  # fmt: skip
    lease = (await admin.get("/leases", params={"ip": ip})).json()["items"][0]
    assert (lease["vendor_class"], lease["parameter_list"]) == (shown, codes)
    assert (lease["relay_id"], lease["relay_info"]) == ("00:03:01", "01:04")
    assert (lease["accepts_reconfigure"], lease["preferred_lifetime_seconds"]) == (True, 300)


SENT = [
    ("10.0.0.100", "004d00080469505845026162005d000400060007", ["iPXE", "ab"], [6, 7]),
    ("10.0.0.100", "004d000469505845", ["iPXE"], None),
    ("2001:db8::5", "000f0006000461626364003d00020010", ["abcd"], [16]),
]


@pytest.mark.parametrize(("ip", "options", "classes", "architectures"), SENT)
async def test_a_lease_shows_user_class_and_architecture(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, ip: str, options: str,
    classes: list[str], architectures: list[int] | None,
) -> None:  # fmt: skip
    await pool.execute(LEASE, ip_address("10.0.0.100"), "a", "1 hour", bytes(6), None)
    await pool.execute(
        "update lease set address = $1, client_options = $2", ip_address(ip), bytes.fromhex(options)
    )
    lease = (await admin.get("/leases", params={"ip": ip})).json()["items"][0]
    assert (lease["user_class"], lease["architecture"]) == (classes, architectures)


FILTERED = [
    ({}, ["100", "101", "102", "103", "104"]),
    ({"state": "active"}, ["100"]),
    ({"state": "expired"}, ["101"]),
    ({"state": "released"}, ["102"]),
    ({"state": "declined"}, ["103"]),
    ({"state": "revoked"}, ["104"]),
    ({"hostname": "ALPH"}, ["100", "104"]),
    ({"hostname": "%"}, []),
    ({"mac": "0200.0000.0065"}, ["101"]),
    ({"client_id": "01020000000066"}, ["102"]),
    ({"relay": "10.9.9.9", "within": "10.0.0.100/31"}, ["100", "101"]),
    ({"expires_after": "2999-01-01T00:00:00Z"}, []),
    ({"expires_before": "2999-01-01T00:00:00Z", "state": "active"}, ["100"]),
    ({"family": "6"}, []),
]


async def test_filters(admin: httpx.AsyncClient, leases: None) -> None:
    for params, found in FILTERED:
        assert await listed(admin, **params) == found


@pytest.mark.parametrize("few", [0, 1, 2])
async def test_many_of_a_name_and_few_are_found_alike(
    admin: httpx.AsyncClient, leases: None, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Two have it: with 2 by the index of names, with less in the order of the list."""
    monkeypatch.setattr(service, "FEW", few)
    assert await listed(admin, hostname="alph") == ["100", "104"]
    assert await listed(admin, hostname="alph", state="active") == ["100"]
    first = (await admin.get("/leases", params={"hostname": "alph", "limit": 1})).json()
    assert await listed(admin, hostname="alph", cursor=first["next_cursor"]) == ["104"]


@pytest.mark.parametrize("within", ["10.0.0.100/31", "10.0.0.0/8", "0.0.0.0/0"])
async def test_small_networks_and_large_are_found_alike(
    admin: httpx.AsyncClient, leases: None, within: str
) -> None:
    all_of_it = ["100", "101"] if within.endswith("/31") else ["100", "101", "102", "103", "104"]
    assert await listed(admin, within=within) == all_of_it
    assert await listed(admin, within=within, state="expired") == ["101"]
    assert await listed(admin, within="2001:db8::/32") == []


async def test_pages_go_by_address(admin: httpx.AsyncClient, leases: None, refused: Any) -> None:
    first = (await admin.get("/leases", params={"limit": 2})).json()
    assert [item["ip"] for item in first["items"]] == ["10.0.0.100", "10.0.0.101"]
    assert await listed(admin, limit="2", cursor=first["next_cursor"]) == ["102", "103"]
    refused(await admin.get("/leases", params={"cursor": "W10"}), 422, "validation_error")
    refused(await admin.get("/leases", params={"state": "happy"}), 422, "validation_error")


async def test_a_release_ends_the_lease_and_writes_history(
    admin: httpx.AsyncClient, leases: None, pool: asyncpg.Pool, refused: Any
) -> None:
    id_ = (await admin.get("/leases", params={"ip": "10.0.0.100"})).json()["items"][0]["id"]
    before = await pool.fetchval("select version from lease where address = '10.0.0.100'")
    answer = await admin.post(f"/leases/{id_}/release")
    assert (answer.status_code, answer.json()["state"], answer.json()["id"]) == (200, "released", id_)
    row = await pool.fetchrow("select *, reuse_at <= now() as free from lease where address = '10.0.0.100'")
    assert (row["state"], row["free"], row["version"] > before) == ("r", True, True)
    event = await pool.fetchrow("select * from lease_event")
    assert (event["kind"], event["state"], event["version"], event["node_no"]) == (
        "r",
        "r",
        row["version"],
        None,
    )
    assert event["hw_address"] == row["hw_address"]
    assert refused(await admin.post(f"/leases/{id_}/release"), 409, "conflict") == {"state": "released"}


@pytest.mark.own_database  # it drops what it names
async def test_a_history_without_a_partition_for_today(
    admin: httpx.AsyncClient, leases: None, pool: asyncpg.Pool, refused: Any
) -> None:
    """It is the database's trouble, not a defect: asked again later, it is done."""
    id_ = (await admin.get("/leases", params={"ip": "10.0.0.100"})).json()["items"][0]["id"]
    days = "select inhrelid::regclass::text from pg_inherits where inhparent = 'lease_event'::regclass"
    for (day,) in await pool.fetch(days):
        await pool.execute(f"drop table {day}")
    refused(await admin.post(f"/leases/{id_}/release"), 503, "unavailable")
    await pool.execute("select make_lease_event_partitions(1)")
    assert (await admin.post(f"/leases/{id_}/release")).status_code == 200


async def test_a_release_ends_a_quarantine(
    admin: httpx.AsyncClient, leases: None, pool: asyncpg.Pool, refused: Any
) -> None:
    """Its address is free again; one whose quarantine is over by itself is not released."""
    lease = (await admin.get("/leases", params={"ip": "10.0.0.103"})).json()["items"][0]
    answer = await admin.post(f"/leases/{lease['id']}/release")
    assert (answer.status_code, answer.json()["state"]) == (200, "released")
    row = await pool.fetchrow("select *, reuse_at <= now() as free from lease where address = '10.0.0.103'")
    assert (row["state"], row["free"]) == ("r", True)
    event = await pool.fetchrow("select * from lease_event")
    assert (event["kind"], event["version"]) == ("r", row["version"])
    await pool.execute(LEASE, ip_address("10.0.0.105"), "d", "-1 hour", bytes([2, 0, 0, 0, 0, 105]), None)
    over = (await admin.get("/leases", params={"ip": "10.0.0.105"})).json()["items"][0]
    assert refused(await admin.post(f"/leases/{over['id']}/release"), 409, "conflict") == {
        "state": "declined"
    }


DECLINED = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address)
select now() - interval '2 days', now(), now() - $2::text::interval, now() - $2::text::interval + interval '1 day',
       nextval('lease_version'), tenant_no, no, 32, 'd', $1, '\\x0101020000000001', 1, '\\x020000000001'
from subnet where cidr >> $1::inet
"""


async def test_a_shorter_quarantine_frees_what_has_waited_longer(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    """And nothing of another subnet; a longer one changes nothing."""
    body = {"prefix_id": subnet["prefix_id"], "cidr": "10.0.1.0/24"}
    assert (await admin.post("/subnets", json=body)).status_code == 201
    for ip, ago in (("10.0.0.10", "2 hours"), ("10.0.0.11", "30 minutes"), ("10.0.1.10", "2 hours")):
        await pool.execute(DECLINED, ip_address(ip), ago)

    async def change(**fields: Any) -> dict[str, str]:
        assert (await admin.patch(f"/subnets/{subnet['id']}", json=fields)).status_code == 200
        rows = await pool.fetch("select host(address) as ip, state from lease order by address")
        return {row["ip"]: row["state"] for row in rows}

    all_declined = dict.fromkeys(("10.0.0.10", "10.0.0.11", "10.0.1.10"), "d")
    assert await change(decline_quarantine_seconds=90_000) == all_declined
    assert await change(decline_quarantine_seconds=86_400, name="n") == all_declined
    assert await change(decline_quarantine_seconds=3600) == all_declined | {"10.0.0.10": "r"}
    assert await pool.fetchval("select kind from lease_event") == "r"
    assert await change(decline_quarantine_seconds=0) == all_declined | {"10.0.0.10": "r", "10.0.0.11": "r"}


async def test_only_an_active_lease_is_released(
    admin: httpx.AsyncClient, leases: None, pool: asyncpg.Pool, refused: Any
) -> None:
    for item in (await admin.get("/leases")).json()["items"]:
        if item["state"] not in ("active", "declined"):
            details = refused(await admin.post(f"/leases/{item['id']}/release"), 409, "conflict")
            assert details == {"state": item["state"]}
    assert await pool.fetchval("select count(*) from lease_event") == 0
    refused(await admin.post("/leases/x/release"), 404, "not_found")


async def test_leases_are_no_children(admin: httpx.AsyncClient, subnet: dict[str, Any], leases: None) -> None:
    assert (await admin.delete(f"/subnets/{subnet['id']}")).status_code == 204
    left = (await admin.get("/leases", params={"ip": "10.0.0.100"})).json()["items"][0]
    assert (left["subnet_id"], left["state"]) == (None, "active")


async def test_leases_of_another_tenant_do_not_exist(
    admin: httpx.AsyncClient, make: Any, connect: Any, leases: None, refused: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    guest = connect((await make("/tokens", name="g", role="admin", tenant_id=tenant["id"]))["token"])
    id_ = (await admin.get("/leases", params={"ip": "10.0.0.100"})).json()["items"][0]["id"]
    assert await listed(guest) == []
    refused(await guest.get(f"/leases/{id_}"), 404, "not_found")
    refused(await guest.post(f"/leases/{id_}/release"), 404, "not_found")


LEASES = [("lease", "ip")] * 5
SEARCHES = [
    ("10.0.0.100", [("lease", "ip"), ("prefix", "cidr"), ("subnet", "cidr")]),
    ("10.0.0.10", [("prefix", "cidr"), ("subnet", "cidr")]),
    ("10.0.0.10.", []),
    ("10.0.0", [("prefix", "cidr"), ("subnet", "cidr"), ("reservation", "ip"), ("assignment", "ip"), *LEASES]),
    ("10.0.0.0/24", [("subnet", "cidr"), ("prefix", "cidr"), ("reservation", "ip"), ("assignment", "ip"), *LEASES]),
    ("0200.0000.0007", [("reservation", "mac")]),
    ("02-00-00-00-00-64", [("lease", "mac")]),
    ("01020000000065", [("lease", "client_id")]),
    ("00030001", [("reservation", "duid")]),
    ("alph", [("lease", "hostname"), ("lease", "hostname")]),
    ("ALPHA", [("lease", "hostname")]),
    ("web", [("assignment", "hostname"), ("reservation", "hostname")]),
    ("site", [("subnet", "name")]),
    ("nothing-of-the-kind", []),
]  # fmt: skip


async def test_search_says_what_matched_best_first(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, leases: None
) -> None:
    below = f"/subnets/{subnet['id']}"
    await admin.patch(below, json={"name": "Site A"})
    mac, duid = "02:00:00:00:00:07", "00030001"
    await make(f"{below}/reservations", ip="10.0.0.7", mac=mac, duid=duid, hostname="web2")
    await make("/assignments", ip="10.0.0.8", hostname="Web")
    for text, found in SEARCHES:
        hits = (await admin.get("/search", params={"q": text})).json()["items"]
        assert [(hit["type"], hit["match"]) for hit in hits] == found, text
        assert await one_by_one(admin, text) == hits
        for hit in hits:
            family = {"prefix": "prefixes"}.get(hit["type"], hit["type"] + "s")
            assert (await admin.get(f"/{family}/{hit['id']}")).status_code == 200
            assert hit["subnet_id"] == (None if hit["type"] == "prefix" else subnet["id"])


async def one_by_one(client: httpx.AsyncClient, text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"q": text, "limit": 1}
    while True:
        page = (await client.get("/search", params=query)).json()
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


NO_TEXTS = ["", " ", "x" * 256]


async def test_a_search_needs_a_text(admin: httpx.AsyncClient, refused: Any) -> None:
    for text in NO_TEXTS:
        answer = await admin.get("/search", params={"q": text})
        assert refused(answer, 422, "validation_error")["field"] == "q"


async def test_an_address_found_in_use_is_shown_as_nobodys(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, refused: Any
) -> None:
    row = await pool.fetchrow("select no, tenant_no from subnet")
    ip = IPv4Address("10.0.0.105")
    told = {1: row["tenant_no"], 2: ip, 3: row["no"], 5: "q", 7: 3600, 13: b"\0" + ip.packed}
    operation = tuple(told.get(field) for field in range(1, 21))
    await pool.execute(queries.load("dhcp_lease").quarantine_leases.sql, [operation], None)
    (lease,) = (await admin.get("/leases", params={"state": "declined"})).json()["items"]
    assert (lease["ip"], lease["subnet_id"]) == ("10.0.0.105", subnet["id"])
    assert {lease[name] for name in ("mac", "client_id", "duid", "hostname", "relay")} == {None}
    (event,) = (await admin.get("/lease-events", params={"ip": "10.0.0.105"})).json()["items"]
    assert (event["event"], event["mac"]) == ("declined", None)
    details = refused(await admin.post(f"/leases/{lease['id']}/reserve", json={}), 409, "conflict")
    assert details == {"state": "declined"}
    released = await admin.post(f"/leases/{lease['id']}/release")
    assert (released.status_code, released.json()["state"], released.json()["ip"]) == (
        200,
        "released",
        "10.0.0.105",
    )
    assert await pool.fetchval("select reuse_at <= now() from lease where address = $1", ip)


DELEGATED = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, address, prefix_length,
                   ia_type, iaid, state, client_key, duid, relay, link_address, next_hop, interface_id, circuit_id)
select now(), now(), now() + interval '1 hour', now() + interval '1 hour', nextval('lease_version'), tenant_no, no,
       '2001:db8:f00::', 56, 25, 7, 'a', '\\x0600190000000700030001', '\\x00030001', '2001:db8::9', '2001:db8:5::1',
       'fe80::7', 'vlan7', ''
from subnet
"""


async def test_a_delegation_and_its_end_tell_how_it_is_routed(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    """By the relay that named the link to the client there; what a relay says may be no octet at all."""
    await pool.execute(DELEGATED)
    (lease,) = (await admin.get("/leases")).json()["items"]
    route = {
        "ia_type": "pd",
        "prefix_length": 56,
        "iaid": 7,
        "duid": "00:03:00:01",
        "relay": "2001:db8::9",
        "link_address": "2001:db8:5::1",
        "next_hop": "fe80::7",
        "interface_id": "vlan7",
        "circuit_id": "",
    }
    assert {name: lease[name] for name in route} == route
    assert (await admin.post(f"/leases/{lease['id']}/release")).status_code == 200
    (event,) = (await admin.get("/lease-events")).json()["items"]
    assert {name: event[name] for name in route} == route
