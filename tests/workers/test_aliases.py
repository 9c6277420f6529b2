"""Further names of an address: CNAME or address records that follow the host name, in our own zones."""

from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site

FORWARD, OTHER, REVERSE = "lab.example", "shop.example", "20.10.in-addr.arpa"
BOTH = ["assignment", "reservation"]
ALICE = "020000000001"


@pytest.fixture
async def subnet(make: Any, site: Site) -> dict[str, Any]:
    """10.20.1.0/24 and 2001:db8::/64, whose names are in zones of ours."""
    for zone in (FORWARD, OTHER, REVERSE):
        await make("/dns-zones", name=zone, dns_enabled=True)
    fields = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_domain": FORWARD}
    six = await make("/prefixes", cidr="2001:db8::/32")
    await make("/subnets", prefix_id=six["id"], cidr="2001:db8::/64", **fields)
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", **fields)
    await site.settle()
    return found


class Plan:
    """Objects with aliases, made and changed by the API; after each step the workers have followed."""

    def __init__(self, admin: httpx.AsyncClient, make: Any, site: Site, subnet: dict[str, Any]) -> None:
        self.admin = admin
        self.make = make
        self.site = site
        self.subnet = subnet

    async def add(self, kind: str, name: str, ip: str, **fields: Any) -> str:
        """Return the path of the object."""
        if kind == "reservation":
            last = int(ip.rpartition(".")[2].rpartition(":")[2], 16)
            fields = {"mac": f"02:00:00:00:01:{last % 256:02x}", **fields}
            found = await self.make(
                "/reservations", subnet_id=self.subnet["id"], hostname=name, ip=ip, **fields
            )
        else:
            found = await self.make("/assignments", hostname=name, ip=ip, **fields)
        await self.site.settle()
        return f"/{kind}s/{found['id']}"

    async def change(self, path: str, **fields: Any) -> None:
        answer = await self.admin.patch(path, json=fields)
        assert answer.status_code == 200, answer.text
        await self.site.settle()

    async def delete(self, path: str) -> None:
        assert (await self.admin.delete(path)).status_code == 204
        await self.site.settle()

    async def forward(self) -> set[tuple[str, str, str]]:
        """What follows the plan and the leases, without pointers."""
        return {each for each in await self.site.records() if each[1] != "PTR"}

    async def zones_of(self, label: str) -> set[str]:
        """Zones that have a record of that name."""
        query = "select z.name from dns_record r join dns_zone z on z.no = r.zone_no where r.name = $1"
        return {row["name"] for row in await self.site.pool.fetch(query, label)}

    async def state(self, name: str) -> str:
        """Of the latest addition of a name."""
        answer = await self.admin.get("/ddns-updates", params={"fqdn": name, "action": "add"})
        return str(max(answer.json()["items"], key=lambda each: each["id"])["state"])


@pytest.fixture
def plan(admin: httpx.AsyncClient, make: Any, site: Site, subnet: dict[str, Any]) -> Plan:
    return Plan(admin, make, site, subnet)


def a(label: str, ip: str) -> tuple[str, str, str]:
    return f"{label}.{FORWARD}", "AAAA" if ":" in ip else "A", ip


def cname(name: str, label: str) -> tuple[str, str, str]:
    return name if "." in name else f"{name}.{FORWARD}", "CNAME", f"{label}.{FORWARD}."


@pytest.mark.parametrize("kind", BOTH)
async def test_aliases_come_follow_the_host_name_and_go(plan: Plan, kind: str) -> None:
    path = await plan.add(kind, "srv", "10.20.1.5", aliases=["WWW", f"buy.{OTHER}", "unserved.example.org"])
    host = a("srv", "10.20.1.5")
    assert await plan.forward() == {host, cname("www", "srv"), cname(f"buy.{OTHER}", "srv")}
    assert await plan.site.records(kind) == await plan.site.records(), "their source is the object"
    await plan.change(path, hostname="web")
    host = a("web", "10.20.1.5")
    assert await plan.forward() == {host, cname("www", "web"), cname(f"buy.{OTHER}", "web")}
    await plan.change(path, aliases=["mail", "www"])
    assert await plan.forward() == {host, cname("www", "web"), cname("mail", "web")}
    await plan.change(path, ip="10.20.1.6")
    host = a("web", "10.20.1.6")
    assert await plan.forward() == {host, cname("www", "web"), cname("mail", "web")}
    await plan.change(path, alias_records="address")
    assert await plan.forward() == {host, a("www", "10.20.1.6"), a("mail", "10.20.1.6")}
    await plan.change(path, alias_records="cname")
    assert await plan.forward() == {host, cname("www", "web"), cname("mail", "web")}
    pointers = {each for each in await plan.site.records() if each[1] == "PTR"}
    assert pointers == {(f"6.1.{REVERSE}", "PTR", f"web.{FORWARD}.")}, "a pointer has the host name alone"
    await plan.delete(path)
    assert await plan.site.records() == set()
    assert {state for _, _, state in await plan.site.states()} == {"applied"}


async def test_a_change_that_means_nothing_to_dns_asks_for_nothing(plan: Plan) -> None:
    path = await plan.add("assignment", "srv", "10.20.1.5", aliases=["www", "mail"])
    before = await plan.site.states()
    await plan.change(path, description="moved to rack 7", aliases=["mail", "www"])
    assert await plan.site.states() == before


async def test_aliases_of_both_families(plan: Plan) -> None:
    """A host of two objects has its alias as long as one of them is there."""
    (six,) = (await plan.admin.get("/subnets", params={"family": "6"})).json()["items"]
    known = {"subnet_id": six["id"], "duid": "0003000102000000000a", "ip": "2001:db8::5"}
    made = await plan.make("/reservations", hostname="web", aliases=["www"], **known)
    four = await plan.add("assignment", "web", "10.20.1.5", aliases=["www"])
    hosts = {a("web", "2001:db8::5"), a("web", "10.20.1.5")}
    assert await plan.forward() == hosts | {cname("www", "web")}
    await plan.change(f"/reservations/{made['id']}", alias_records="address")
    assert await plan.forward() == hosts | {cname("www", "web")}, (
        "beside a CNAME record there are no addresses"
    )
    await plan.delete(four)
    assert await plan.forward() == {a("web", "2001:db8::5"), a("www", "2001:db8::5")}
    await plan.delete(f"/reservations/{made['id']}")
    assert await plan.forward() == set()


async def test_objects_with_one_alias_share_a_record_set(plan: Plan) -> None:
    shared = {"aliases": ["pool"], "alias_records": "address"}
    one = await plan.add("assignment", "one", "10.20.1.5", **shared)
    await plan.add("assignment", "two", "10.20.1.6", **shared)
    await plan.add("assignment", "pool", "10.20.1.7")
    hosts = {a("one", "10.20.1.5"), a("two", "10.20.1.6")}
    assert await plan.forward() == hosts | {a("pool", f"10.20.1.{last}") for last in (5, 6, 7)}
    await plan.change(one, aliases=[])
    assert await plan.forward() == hosts | {a("pool", f"10.20.1.{last}") for last in (6, 7)}


async def test_objects_of_one_host_name_share_an_alias(plan: Plan) -> None:
    one = await plan.add("assignment", "web", "10.20.1.5", aliases=["www"])
    two = await plan.add("assignment", "web", "10.20.1.6", aliases=["www"])
    assert await plan.state(f"www.{FORWARD}") == "applied"
    await plan.delete(one)
    assert await plan.forward() == {a("web", "10.20.1.6"), cname("www", "web")}
    await plan.delete(two)
    assert await plan.forward() == set()


async def test_an_alias_of_two_host_names_is_the_firsts_until_it_leaves(plan: Plan) -> None:
    one = await plan.add("assignment", "one", "10.20.1.5", aliases=["www"])
    await plan.add("assignment", "two", "10.20.1.6", aliases=["www"])
    assert await plan.state(f"www.{FORWARD}") == "conflict"
    await plan.change(one, hostname="uno")
    assert cname("www", "uno") in await plan.forward(), "a new host name does not cost it the alias"
    assert await plan.state(f"two.{FORWARD}") == "applied"
    await plan.delete(one)
    assert await plan.forward() == {a("two", "10.20.1.6"), cname("www", "two")}


async def test_an_alias_stands_alone(plan: Plan) -> None:
    """Beside a host name it is in conflict, and takes its place when that goes; and the other way round."""
    host = await plan.add("assignment", "www", "10.20.1.5")
    other = await plan.add("assignment", "srv", "10.20.1.6", aliases=["www"])
    assert await plan.forward() == {a("www", "10.20.1.5"), a("srv", "10.20.1.6")}
    assert await plan.state(f"www.{FORWARD}") == "conflict"
    await plan.delete(host)
    assert await plan.forward() == {a("srv", "10.20.1.6"), cname("www", "srv")}
    await plan.add("assignment", "www", "10.20.1.7")
    assert await plan.forward() == {a("srv", "10.20.1.6"), cname("www", "srv")}
    await plan.delete(other)
    assert await plan.forward() == {a("www", "10.20.1.7")}


@pytest.mark.parametrize("records", ["cname", "address"])
async def test_records_that_an_operator_wrote_stay(plan: Plan, records: str) -> None:
    zones = (await plan.admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    path = f"/dns-zones/{zones[0]['id']}/records"
    written = await plan.make(path, name="www", type="A", data="192.0.2.1")
    await plan.add("assignment", "srv", "10.20.1.5", aliases=["www", FORWARD + "."], alias_records=records)
    assert await plan.state(f"www.{FORWARD}") == "conflict"
    if records == "cname":
        assert await plan.state(FORWARD) == "conflict", "a zone's own name has an SOA record"
    await plan.delete(f"/dns-records/{written['id']}")
    expected = cname("www", "srv") if records == "cname" else a("www", "10.20.1.5")
    assert expected in await plan.forward(), "it was waiting for that"
    beside = await plan.admin.post(path, json={"name": "www", "type": "TXT", "data": '"x"'})
    assert beside.status_code == (409 if records == "cname" else 201)


@pytest.mark.parametrize("records", ["cname", "address"])
async def test_a_client_makes_way_for_an_alias(plan: Plan, records: str) -> None:
    await plan.site.lease("10.20.1.9", "www", mac=ALICE)
    await plan.site.lease("2001:db8::9", "www", mac=ALICE, duid="0003000102000000000a")
    await plan.site.settle()
    assert await plan.forward() == {a("www", "10.20.1.9"), a("www", "2001:db8::9")}
    path = await plan.add("assignment", "srv", "10.20.1.5", aliases=["www"], alias_records=records)
    alias = cname("www", "srv") if records == "cname" else a("www", "10.20.1.5")
    assert await plan.forward() == {a("srv", "10.20.1.5"), alias}
    assert await plan.state(f"www.{FORWARD}") in ("applied", "conflict")
    await plan.delete(path)
    assert await plan.forward() == {a("www", "10.20.1.9"), a("www", "2001:db8::9")}


async def test_a_client_may_not_take_an_alias(plan: Plan) -> None:
    """Not that of the reservation either."""
    path = await plan.add("reservation", "srv", "10.20.1.5", mac="02:00:00:00:00:01", aliases=["www"])
    await plan.site.lease("10.20.1.9", "www", mac=ALICE)
    await plan.site.settle()
    assert await plan.forward() == {a("srv", "10.20.1.5"), cname("www", "srv")}
    assert await plan.state(f"www.{FORWARD}") == "conflict"
    await plan.delete(path)
    assert await plan.forward() == {a("www", "10.20.1.9")}


async def test_a_subnet_that_is_switched_off_takes_its_aliases_along(plan: Plan) -> None:
    await plan.add("assignment", "srv", "10.20.1.5", aliases=["www"])
    await plan.change(f"/subnets/{plan.subnet['id']}", ddns_enabled=False)
    assert await plan.forward() == set()
    await plan.change(f"/subnets/{plan.subnet['id']}", ddns_enabled=True)
    assert await plan.forward() == {a("srv", "10.20.1.5"), cname("www", "srv")}
    await plan.delete(f"/subnets/{plan.subnet['id']}?cascade=true")
    assert await plan.forward() == set()


@pytest.mark.parametrize("records", ["cname", "address"])
async def test_an_alias_moves_into_a_zone_below(plan: Plan, records: str) -> None:
    child = f"dmz.{FORWARD}"
    path = await plan.add("assignment", "srv", "10.20.1.5", aliases=[f"www.{child}"], alias_records=records)
    before = await plan.forward()
    made = await plan.admin.post("/dns-zones?move_records=true", json={"name": child, "dns_enabled": True})
    assert made.status_code == 201, made.text
    await plan.site.settle()
    assert await plan.forward() == before
    assert await plan.zones_of("www") == {child}
    await plan.change(path, hostname="web")
    alias = cname(f"www.{child}", "web") if records == "cname" else (f"www.{child}", "A", "10.20.1.5")
    assert await plan.forward() == {a("web", "10.20.1.5"), alias}
    await plan.delete(path)
    assert await plan.forward() == set()


async def test_reconcile_finds_and_mends_aliases(plan: Plan, pool: asyncpg.Pool) -> None:
    await plan.add("assignment", "srv", "10.20.1.5", aliases=["www", "mail"])
    await plan.add("assignment", "two", "10.20.1.6", aliases=["ftp"], alias_records="address")
    before = await plan.site.records()
    await pool.execute("delete from dns_record where name in ('www', 'ftp')")
    await pool.execute("update dns_record set data = 'gone.lab.example.' where name = 'mail'")
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data, source)"
        " select gen_random_uuid(), no, 'old', 'CNAME', 'srv.lab.example.', 'assignment' from dns_zone where name = $1",
        FORWARD,
    )
    zones = (await plan.admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    path = f"/dns-zones/{zones[0]['id']}/reconcile"
    told = (await plan.admin.post(path, json={})).json()
    named = {
        what: {each["name"].partition(".")[0] for each in told[what]}
        for what in ("missing", "wrong", "stale")
    }
    assert named == {"missing": {"www", "ftp"}, "wrong": {"mail"}, "stale": {"old", "mail"}}
    await plan.site.settle()
    assert (await plan.admin.post(path, json={"dry_run": True})).json()["repairs"] == 0
    assert await plan.site.records() == before
