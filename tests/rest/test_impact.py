"""What a dry run tells of a change: the leases that the engine would refuse afterwards, and what falls with it."""

import random
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import asyncpg
import httpx
import pytest
from rest.leases import PUT

from dhcp_fast.explain import explain
from ipam_core.model.explain import Explanation, Question
from ipam_core.model.explain6 import Association, Explanation6, Question6
from ipam_core.settings import Settings

Make = Callable[..., Any]
HOSTS = [f"{first}:00:00:00:00:{n:02x}" for n in range(1, 5) for first in ("02", "04", "06")]
VENDORS = (None, "PXEClient:Arch:00007", "phone")


class Held:
    """A lease, and the client that has it."""

    def __init__(self, ip: str, mac: str, vendor: str | None) -> None:
        self.ip, self.mac, self.vendor = ip, mac, vendor

    async def put(self, pool: asyncpg.Pool) -> None:
        hardware = bytes.fromhex(self.mac.replace(":", ""))
        vendor = self.vendor.encode() if self.vendor else None
        await pool.execute(PUT, IPv4Address(self.ip), hardware, vendor)

    def question(self) -> Question:
        return Question(
            message="renew",
            relay=IPv4Address("10.0.0.1"),
            ciaddr=IPv4Address(self.ip),
            mac=self.mac,
            vendor_class=self.vendor,
        )


async def refused_by_engine(pool: asyncpg.Pool, held: list[Held]) -> set[str]:
    found = set()
    async with pool.acquire() as connection:
        for each in held:
            told = await explain(connection, Settings(), None, each.question())
            assert isinstance(told, Explanation)
            found |= {each.ip} if told.outcome == "nak" else set()
    return found


class Plan:
    """Two subnets of one wire and one apart, with whatever chance puts into them, and its changes."""

    def __init__(self, draw: random.Random, admin: httpx.AsyncClient, subnets: list[dict[str, Any]]) -> None:
        self.draw = draw
        self.admin = admin
        self.subnets = subnets
        self.classes: list[str] = []

    def address(self, subnet: dict[str, Any]) -> str:
        return subnet["cidr"].replace(".0/24", f".{self.draw.randint(10, 40)}")

    def range_in(self, subnet: dict[str, Any]) -> dict[str, Any]:
        first, last = sorted(self.draw.sample(range(10, 41), 2))
        network = subnet["cidr"].removesuffix("0/24")
        return {"start_ip": f"{network}{first}", "end_ip": f"{network}{last}"}

    def change(self, existing: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
        """One operation, which the plan may refuse."""
        draw, subnet = self.draw, self.draw.choice(self.subnets)
        below = f"/subnets/{subnet['id']}"
        kind = draw.choice(["create", "create", "update", "delete"])
        if kind == "create":
            some_class = draw.choice([None, *self.classes])
            return draw.choice(
                [
                    {"path": f"{below}/pools", "body": self.range_in(subnet) | {"class_id": some_class}},
                    {"path": f"{below}/excludes", "body": self.range_in(subnet)},
                    {
                        "path": f"{below}/reservations",
                        "body": {
                            "ip": draw.choice([None, self.address(subnet)]),
                            "mac": draw.choice(HOSTS),
                            "class_id": some_class,
                        },
                    },
                    {"path": "/reservations", "body": {"mac": draw.choice(HOSTS), "class_id": some_class}},
                    {"path": "/assignments", "body": {"ip": self.address(subnet), "hostname": "host"}},
                ]
            ) | {"op": "create"}
        family = draw.choice([name for name, rows in existing.items() if rows])
        row = draw.choice(existing[family])
        path = f"/{family}/{row['id']}"
        if kind == "delete":
            return {"op": "delete", "path": f"{path}?cascade=true"}
        bodies: dict[str, list[dict[str, Any]]] = {
            "pools": [{"class_id": draw.choice([None, *self.classes])}, self.range_in(subnet)],
            "reservations": [{"ip": self.address(subnet)}, {"mac": draw.choice(HOSTS)}],
            "client-classes": [
                {"vendor_class": draw.choice(VENDORS)},
                {"mac_prefix": draw.choice(["02", "04"])},
                {"known": draw.choice([True, False])},
                {"deny": draw.choice([True, False])},
            ],
            "subnets": [
                {"gateway": self.address(subnet)},
                {"shared_network": draw.choice([None, "wire"])},
                {"dhcp_enabled": draw.choice([True, False])},
            ],
        }
        return {"op": "update", "path": path, "body": draw.choice(bodies.get(family, [{"description": "x"}]))}


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 19, 21))])
async def test_a_lease_counts_as_refused_if_the_engine_would_refuse_it(
    seed: int, make: Make, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """Change after change, each rehearsed, made, and judged by the engine."""
    draw = random.Random(seed)
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    subnets = [
        await make("/subnets", prefix_id=prefix["id"], cidr=f"10.0.{n}.0/24", shared_network=wire)
        for n, wire in ((0, "wire"), (1, "wire"), (2, None))
    ]
    plan = Plan(draw, admin, subnets)
    for n, fields in enumerate(({"mac_prefix": "02"}, {"vendor_class": "PXE"}, {"known": True})):
        plan.classes.append((await make("/client-classes", name=f"c{n}", priority=n, **fields))["id"])
    held = [Held(plan.address(draw.choice(subnets[:2])), mac, draw.choice(VENDORS)) for mac in HOSTS]
    held = list({each.ip: each for each in held}.values())
    for subnet in subnets:
        await make(f"/subnets/{subnet['id']}/pools", **plan.range_in(subnet))
    for each in held:
        await each.put(pool)
    before, counted = await refused_by_engine(pool, held), 0
    for _ in range(15):
        families = ("pools", "excludes", "reservations", "assignments", "client-classes", "subnets")
        existing = {name: (await admin.get(f"/{name}?limit=500")).json()["items"] for name in families}
        operation = plan.change(existing)
        rehearsed = await admin.post("/bulk", json={"operations": [operation], "dry_run": True})
        done = await admin.post("/bulk", json={"operations": [operation]})
        assert rehearsed.status_code == done.status_code, (operation, rehearsed.text, done.text)
        if done.status_code != 200:
            continue
        after = await refused_by_engine(pool, held)
        told = rehearsed.json()["impact"]["leases"]
        assert {item["ip"] for item in told["items"]} == after - before, operation
        assert told["count"] == len(after - before)
        counted += told["count"]
        before = after
        plan.subnets = [
            each for each in plan.subnets if operation["path"] != f"/subnets/{each['id']}?cascade=true"
        ]
        plan.classes = [
            each for each in plan.classes if each not in operation["path"] or operation["op"] != "delete"
        ]
        if not plan.subnets:
            break
    assert counted


PUT6 = """
insert into lease (tenant_no, address, prefix_length, ia_type, iaid, subnet_no, state, granted_at, renewed_at,
  expires_at, reuse_at, version, client_key, duid)
select tenant_no, $1, $2, $3, $4, no, 'a', now(), now(), now() + '1 hour', now() + '1 hour', nextval('lease_version'),
  $5, $6 from subnet"""
DUID = "00:03:00:01:02:00:00:00:00:01"
PREFIX6, ADDRESS6 = "2001:db8:f00:100::", "2001:db8:1::110"


async def refused_by_engine6(pool: asyncpg.Pool) -> set[str]:
    """Of an address and a delegated prefix of one client: those that are not given on."""
    wanted = (
        Association(kind="na", iaid=1, address=IPv6Address(ADDRESS6)),
        Association(kind="pd", iaid=2, prefix=IPv6Network(f"{PREFIX6}/56")),
    )
    duid = bytes.fromhex(DUID.replace(":", ""))
    question = Question6(
        link_address=IPv6Address("2001:db8:1::1"), message="renew", duid=duid, associations=wanted
    )
    async with pool.acquire() as connection:
        told = await explain(connection, Settings(), None, question)
    assert isinstance(told, Explanation6)
    if told.outcome == "dropped":
        return set()
    kept = {
        each.address.split("/")[0]
        for association in told.associations
        for each in association.bindings
        if each.valid_lifetime_seconds
    }
    return {ADDRESS6, PREFIX6} - kept


@pytest.mark.parametrize(
    ("operation", "lost"),
    [
        (
            {"op": "create", "path": "{subnet}/excludes", "body": {"start_ip": ADDRESS6, "end_ip": ADDRESS6}},
            {ADDRESS6},
        ),
        (
            {"op": "create", "path": "{subnet}/reservations", "body": {"ip": "2001:db8:1::20", "duid": DUID}},
            {ADDRESS6},
        ),
        ({"op": "create", "path": "{subnet}/reservations", "body": {"ip": ADDRESS6, "duid": DUID}}, set()),
        ({"op": "create", "path": "{subnet}/reservations", "body": {"ip": None, "duid": DUID}}, set()),
        (
            {
                "op": "create",
                "path": "{subnet}/reservations",
                "body": {"prefix": "2001:db8:abc::/56", "duid": DUID},
            },
            {PREFIX6},
        ),
        ({"op": "update", "path": "{pool}", "body": {"end_ip": "2001:db8:1::10f"}}, {ADDRESS6}),
        ({"op": "update", "path": "{delegation}", "body": {"delegated_length": 60}}, {PREFIX6}),
        ({"op": "delete", "path": "{delegation}"}, {PREFIX6}),
        ({"op": "update", "path": "{subnet}", "body": {"dhcp_enabled": False}}, set()),
    ],
)
async def test_leases_of_dhcpv6(
    operation: dict[str, Any], lost: set[str], make: Make, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64")
    below = f"/subnets/{subnet['id']}"
    await make("/trusted-relays", cidr="2001:db8:1::1/128")
    addresses = await make(f"{below}/pools", start_ip="2001:db8:1::100", end_ip="2001:db8:1::1ff")
    delegation = await make(f"{below}/pools", prefix="2001:db8:f00::/48", delegated_length=56)
    duid = bytes.fromhex(DUID.replace(":", ""))
    for ip, length, kind, iaid in ((ADDRESS6, 128, 3, 1), (PREFIX6, 56, 25, 2)):
        key = b"\x06" + bytes([0, kind]) + iaid.to_bytes(4, "big") + duid
        await pool.execute(PUT6, ip_address(ip), length, kind, iaid, key, duid)
    assert await refused_by_engine6(pool) == set()
    paths = {"subnet": below, "pool": f"/pools/{addresses['id']}", "delegation": f"/pools/{delegation['id']}"}
    operations = [operation | {"path": operation["path"].format(**paths)}]
    rehearsed = await admin.post("/bulk", json={"operations": operations, "dry_run": True})
    assert rehearsed.status_code == 200, rehearsed.text
    assert {each["ip"] for each in rehearsed.json()["impact"]["leases"]["items"]} == lost
    assert (await admin.post("/bulk", json={"operations": operations})).status_code == 200
    assert await refused_by_engine6(pool) == lost


async def site(make: Make, pool: asyncpg.Pool, subnet: dict[str, Any]) -> dict[str, Any]:
    """A pool with two leases, a reservation with a name in DNS, a zone with a record."""
    below = f"/subnets/{subnet['id']}"
    made = await make(f"{below}/pools", start_ip="10.0.0.100", end_ip="10.0.0.199")
    for ip, mac in (("10.0.0.100", "02:00:00:00:00:10"), ("10.0.0.101", "02:00:00:00:00:11")):
        await Held(ip, mac, None).put(pool)
    reservation = await make(
        f"{below}/reservations", ip="10.0.0.20", mac="02:00:00:00:00:20", hostname="printer"
    )
    zone = await make("/dns-zones", name="example.net")
    await make(f"/dns-zones/{zone['id']}/records", name="www", type="A", data="192.0.2.1")
    await pool.execute(
        "insert into ddns_binding (tenant_no, ip, source, fqdn, identities, conflict_mode, adapter, ttl)"
        " select no, '10.0.0.20', 'reservation', 'printer.example.net', '{}', 'check_dhcid', 'embedded', 300"
        " from tenant"
    )
    return {"pool": made, "reservation": reservation, "zone": zone}


async def test_a_single_change_can_be_rehearsed(
    make: Make, admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    """By the answer that it would have; nothing is written, told or remembered."""
    made = await site(make, pool, subnet)
    marks = "select (select count(*) from change), (select count(*) from idempotency), (select max(fence) from subnet)"
    before = await pool.fetchrow(marks)
    path = f"/pools/{made['pool']['id']}"
    found = (await admin.patch(f"{path}?dry_run=true", json={"start_ip": "10.0.0.101"})).json()
    assert (found["status"], found["body"]["start_ip"]) == (200, "10.0.0.101")
    (lease,) = found["impact"]["leases"]["items"]
    assert (lease["ip"], lease["mac"]) == ("10.0.0.100", "02:00:00:00:00:10")
    assert lease["reason"] == "no pool or reservation gives it to its client any more"
    gone = await admin.delete(f"/prefixes/{subnet['prefix_id']}?cascade=true&dry_run=true")
    assert gone.status_code == 200
    told = gone.json()
    assert (told["status"], told["body"]) == (204, None)
    assert [each["ip"] for each in told["impact"]["leases"]["items"]] == ["10.0.0.100", "10.0.0.101"]
    assert told["impact"]["leases"]["items"][0]["reason"] == "no subnet has the address any more"
    assert [each["hostname"] for each in told["impact"]["reservations"]["items"]] == ["printer"]
    assert told["impact"]["records"] == {
        "count": 1,
        "items": [{"name": "printer.example.net", "type": "A", "data": "10.0.0.20", "source": "reservation"}],
    }
    zone = (await admin.delete(f"/dns-zones/{made['zone']['id']}?cascade=true&dry_run=true")).json()
    assert zone["impact"]["records"]["items"] == [
        {"name": "www.example.net", "type": "A", "data": "192.0.2.1", "source": "static"}
    ]
    assert await pool.fetchrow(marks) == before
    assert (await admin.get(path)).json() == made["pool"]


async def test_names_that_a_subnet_shall_not_have_any_more_fall(
    make: Make, admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any]
) -> None:
    await site(make, pool, subnet)
    path = f"/subnets/{subnet['id']}"
    on = (await admin.patch(f"{path}?dry_run=true", json={"ddns_enabled": True})).json()
    assert on["impact"]["records"]["count"] == 0
    await admin.patch(path, json={"ddns_enabled": True})
    off = (await admin.patch(f"{path}?dry_run=true", json={"ddns_enabled": False})).json()
    assert [each["name"] for each in off["impact"]["records"]["items"]] == ["printer.example.net"]


async def test_what_a_rehearsal_refuses(
    make: Make,
    admin: httpx.AsyncClient,
    pool: asyncpg.Pool,
    subnet: dict[str, Any],
    refused: Callable[..., Any],
) -> None:
    made = await site(make, pool, subnet)
    path = f"/pools/{made['pool']['id']}"
    refused(await admin.patch(f"{path}?dry_run=true", json={"end_ip": "10.0.0.1"}), 422, "validation_error")
    refused(await admin.patch(f"{path}?dry_run=yes", json={}), 422, "validation_error")
    refused(await admin.patch(f"{path}?dryrun=true", json={}), 422, "validation_error")
    refused(await admin.delete(f"/subnets/{subnet['id']}?dry_run=true"), 409, "conflict")
    stale = await admin.delete(f"{path}?dry_run=true", headers={"if-match": '"other"'})
    refused(stale, 412, "precondition_failed")
    other = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.200", end_ip="10.0.0.209")
    clash = await admin.patch(f"/pools/{other['id']}?dry_run=true", json={"start_ip": "10.0.0.150"})
    assert refused(clash, 409, "conflict")["conflicts_with"]["id"] == made["pool"]["id"]


async def test_a_rehearsed_bulk_leaves_its_key_for_the_real_one(make: Make, admin: httpx.AsyncClient) -> None:
    operations = [{"op": "create", "path": "/prefixes", "body": {"cidr": "10.0.0.0/16"}}]
    key = {"idempotency-key": "once"}
    rehearsed = await admin.post("/bulk", json={"operations": operations, "dry_run": True}, headers=key)
    assert rehearsed.json()["impact"]["leases"] == {"count": 0, "items": []}
    done = await admin.post("/bulk", json={"operations": operations}, headers=key)
    assert done.status_code == 200
    assert "impact" not in done.json()
    assert "idempotency-replayed" not in done.headers
