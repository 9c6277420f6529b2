"""From leases to names in our own zones: added, renamed, removed; whose a name is; what operators wrote stays."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site

FORWARD, REVERSE = "lab.example", "20.10.in-addr.arpa"


@pytest.fixture
async def subnet(make: Any, site: Site) -> dict[str, Any]:
    """10.20.1.0/24, whose leases have names in two zones of ours."""
    await make("/dns-zones", name=FORWARD, dns_enabled=True)
    await make("/dns-zones", name=REVERSE, dns_enabled=True)
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    found: dict[str, Any] = await make(
        "/subnets",
        prefix_id=prefix["id"],
        cidr="10.20.1.0/24",
        ddns_enabled=True,
        ddns_adapter="embedded",
        ddns_domain=FORWARD,
    )
    await site.settle()
    return found


def both(name: str, address: str) -> set[tuple[str, str, str]]:
    last, third = address.split(".")[3], address.split(".")[2]
    return {(f"{name}.{FORWARD}", "A", address), (f"{last}.{third}.{REVERSE}", "PTR", f"{name}.{FORWARD}.")}


async def test_a_lease_has_its_name_until_it_ends(site: Site, subnet: Any) -> None:
    await site.lease("10.20.1.5", "Laptop")
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    await site.lease("10.20.1.5", "desktop")
    await site.settle()
    assert await site.records() == both("desktop", "10.20.1.5")
    for state in "rxdv":
        await site.lease("10.20.1.5", "desktop", state=state)
        await site.settle()
        assert await site.records() == set(), state
        await site.lease("10.20.1.5", "desktop")
        await site.settle()
    assert {state for _, _, state in await site.states()} == {"applied"}


async def test_a_renewal_asks_for_nothing(site: Site, subnet: Any) -> None:
    await site.lease("10.20.1.5", "laptop")
    await site.settle()
    before = await site.states()
    for _ in range(3):
        await site.lease("10.20.1.5", "laptop")
        await site.settle()
    assert await site.states() == before


async def test_a_name_that_was_never_sent_is_overtaken(site: Site, subnet: Any) -> None:
    await site.lease("10.20.1.5", "first")
    await site.read_all()
    await site.lease("10.20.1.5", "second")
    await site.settle()
    assert await site.records() == both("second", "10.20.1.5")
    assert ("add", f"first.{FORWARD}", "superseded") in await site.states()


async def test_the_first_client_owns_a_name(site: Site, subnet: Any) -> None:
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.settle()
    await site.lease("10.20.1.6", "laptop", mac="020000000002")
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    assert (await site.states())[-1] == ("add", f"laptop.{FORWARD}", "conflict")
    await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.6")


@pytest.mark.parametrize("mode", ["no_check_with_dhcid", "no_check_without_dhcid", "check_exists_dhcid"])
async def test_without_a_check_the_last_client_has_the_name(
    admin: httpx.AsyncClient, site: Site, subnet: Any, mode: str
) -> None:
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_conflict_mode": mode})
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.settle()
    await site.lease("10.20.1.6", "laptop", mac="020000000002")
    await site.settle()
    assert (f"laptop.{FORWARD}", "A", "10.20.1.6") in await site.records()


async def test_one_host_has_addresses_of_both_families_by_one_name(
    make: Any, site: Site, subnet: Any
) -> None:
    await make("/dns-zones", name="8.b.d.0.1.0.0.2.ip6.arpa")
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    await make(
        "/subnets",
        prefix_id=prefix["id"],
        cidr="2001:db8::/64",
        ddns_enabled=True,
        ddns_adapter="embedded",
        ddns_domain=FORWARD,
    )
    await site.lease("10.20.1.5", "dual", mac="020000000001")
    await site.lease("2001:db8::5", "dual", mac="020000000001", duid="00030001020000000001")
    await site.settle()
    forward = {record for record in await site.records() if record[1] != "PTR"}
    assert forward == {(f"dual.{FORWARD}", "A", "10.20.1.5"), (f"dual.{FORWARD}", "AAAA", "2001:db8::5")}
    await site.lease("10.20.1.5", "dual", mac="020000000001", state="r")
    await site.settle()
    forward = {record for record in await site.records() if record[1] != "PTR"}
    assert forward == {(f"dual.{FORWARD}", "AAAA", "2001:db8::5")}
    await site.lease("10.20.1.7", "dual", mac="020000000009")
    await site.settle()
    assert (await site.states())[-1] == ("add", f"dual.{FORWARD}", "conflict")


async def test_what_an_operator_wrote_stays(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    zones = (await admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    path = f"/dns-zones/{zones[0]['id']}/records"
    await make(path, name="www", type="A", data="192.0.2.1")
    await make(path, name="alias", type="CNAME", data="www")
    for name in ("www", "alias"):
        await site.lease("10.20.1.5", name)
        await site.settle()
        assert (await site.states())[-1] == ("add", f"{name}.{FORWARD}", "conflict")
    await site.lease("10.20.1.5", None, state="r")
    await site.settle()
    answer = await admin.get(path)
    assert {record["name"] for record in answer.json()["items"]} == {"www", "alias"}


@pytest.mark.parametrize("zone", [FORWARD, REVERSE])
@pytest.mark.parametrize("apex", [False, True])
async def test_no_name_lies_at_or_below_a_redirection(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any, zone: str, apex: bool
) -> None:
    zones = (await admin.get("/dns-zones", params={"name": zone})).json()["items"]
    at = "@" if apex else "laptop" if zone == FORWARD else "1"
    path = f"/dns-zones/{zones[0]['id']}/records"
    record = await make(path, name=at, type="DNAME", data="new.example.net.")
    await site.lease("10.20.1.5", "laptop")
    await site.settle()
    assert (await site.states())[-1] == ("add", f"laptop.{FORWARD}", "conflict")
    error = await site.pool.fetchval("select last_error from ddns_update order by no desc limit 1")
    assert error.endswith("is at or below a DNAME record")
    assert (await admin.delete(f"/dns-records/{record['id']}")).status_code == 204
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")


async def test_a_pointer_to_a_name_that_no_zone_has_is_partial(
    admin: httpx.AsyncClient, site: Site, subnet: Any
) -> None:
    path = f"/subnets/{subnet['id']}"
    await site.lease("10.20.1.4", "whole")
    await site.settle()
    changed = await admin.patch(path, json={"ddns_domain": "else.where.test", "ddns_forward_zone": None})
    assert changed.status_code == 200, changed.text
    await site.lease("10.20.1.5", "half")
    await site.settle()
    assert ("5.1.20.10.in-addr.arpa", "PTR", "half.else.where.test.") in await site.records()
    states = {}
    for state in ("partial", "applied"):
        found = (await admin.get("/ddns-updates", params={"state": state, "action": "add"})).json()["items"]
        states[state] = {(each["fqdn"].split(".")[0], each["state"]) for each in found}
    assert ("half", "partial") in states["partial"]
    assert ("half", "applied") not in states["applied"]
    assert {state for _, state in states["applied"]} == {"applied"}


async def test_reservations_and_assignments_have_names_too(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    path = f"/subnets/{subnet['id']}"
    printer = await make(f"{path}/reservations", ip="10.20.1.9", mac="02:00:00:00:00:09", hostname="printer")
    gate = await make("/assignments", ip="10.20.1.10", hostname="gate", subnet_id=subnet["id"])
    await site.settle()
    assert await site.records("reservation") == both("printer", "10.20.1.9")
    assert await site.records("assignment") == both("gate", "10.20.1.10")
    await admin.patch(f"/assignments/{gate['id']}", json={"hostname": "door"})
    await site.settle()
    assert await site.records("assignment") == both("door", "10.20.1.10")
    await site.lease("10.20.1.9", "printer", mac="020000000009")
    await site.settle()
    assert await site.records("reservation") == both("printer", "10.20.1.9")
    await admin.delete(f"/reservations/{printer['id']}")
    await admin.delete(f"/assignments/{gate['id']}")
    await site.settle()
    assert await site.records() == both("printer", "10.20.1.9")


async def test_a_subnet_that_is_switched_off_takes_its_names_along(
    admin: httpx.AsyncClient, site: Site, subnet: Any
) -> None:
    await site.lease("10.20.1.5", "laptop")
    await site.settle()
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_enabled": False})
    await site.settle()
    assert await site.records() == set()
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_enabled": True})
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    assert (await admin.delete(f"/subnets/{subnet['id']}?cascade=true")).status_code == 204
    await site.settle()
    assert await site.records() == set()


async def test_a_subnet_names_who_says_no_name(admin: httpx.AsyncClient, site: Site, subnet: Any) -> None:
    fields = {"ddns_replace_client_name": "when_not_present", "ddns_generated_prefix": "dhcp"}
    await admin.patch(f"/subnets/{subnet['id']}", json=fields)
    await site.lease("10.20.1.5", None)
    await site.settle()
    assert await site.records() == both("dhcp-10-20-1-5", "10.20.1.5")


ASKS_SERVER, ASKS_POINTER, ASKS_NOBODY, PLANNED = 5, 4, 6, 8  # lease.fqdn_flags


@pytest.mark.parametrize(
    ("fields", "flags", "types"),
    [
        ({}, None, "A PTR"),
        ({}, ASKS_SERVER, "A PTR"),
        ({}, ASKS_POINTER, "PTR"),
        ({}, ASKS_NOBODY, ""),
        ({}, PLANNED, "A PTR"),
        ({"ddns_override_client_update": True}, ASKS_POINTER, "A PTR"),
        ({"ddns_override_client_update": True}, ASKS_NOBODY, ""),
        ({"ddns_override_no_update": True}, ASKS_NOBODY, "A PTR"),
        ({"ddns_override_no_update": True}, ASKS_POINTER, "PTR"),
    ],
)
async def test_what_the_client_asked_counts_unless_the_subnet_says_otherwise(
    admin: httpx.AsyncClient, site: Site, subnet: Any, fields: dict[str, bool], flags: int | None, types: str
) -> None:
    """RFC 4702 section 4, RFC 4704 section 6: as the DHCP servers told it."""
    await admin.patch(f"/subnets/{subnet['id']}", json=fields)
    await site.lease("10.20.1.5", "laptop", fqdn_flags=flags)
    await site.settle()
    assert {kind for _, kind, _ in await site.records()} == set(types.split())
    await site.lease("10.20.1.5", "laptop", fqdn_flags=ASKS_SERVER)
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    await site.lease("10.20.1.5", "laptop", fqdn_flags=flags)
    await site.settle()
    assert {kind for _, kind, _ in await site.records()} == set(types.split())


@pytest.mark.parametrize(
    ("mode", "flags", "name"),
    [
        ("never", None, "laptop"),
        ("always", None, "host-10-20-1-5"),
        ("when_present", None, "host-10-20-1-5"),
        ("when_not_present", None, "laptop"),
        ("always", PLANNED, "laptop"),
    ],
)
async def test_names_of_clients_without_an_fqdn_make_way(
    admin: httpx.AsyncClient, site: Site, subnet: Any, mode: str, flags: int | None, name: str
) -> None:
    fields = {"ddns_replace_client_name": mode, "ddns_generated_prefix": "host"}
    await admin.patch(f"/subnets/{subnet['id']}", json=fields)
    await site.lease("10.20.1.5", "laptop", fqdn_flags=flags)
    await site.settle()
    assert await site.records() == both(name, "10.20.1.5")


async def test_a_transaction_that_commits_late_is_not_missed(
    pool: asyncpg.Pool, keyring: Any, site: Site, subnet: Any
) -> None:
    async with pool.acquire() as connection:
        writing = connection.transaction()
        await writing.start()
        await connection.execute("select pg_current_xact_id()")
        await site.lease("10.20.1.5", "early")
        await site.settle(wait=False)
        late = Site(connection, keyring)  # type: ignore[arg-type]  # a session executes as a pool does
        await late.lease("10.20.1.6", "late", mac="020000000002")
        await site.settle(wait=False)
        await writing.commit()
    await site.settle()
    assert await site.records() == both("early", "10.20.1.5") | both("late", "10.20.1.6")


async def test_a_reading_that_is_not_committed_is_repeated(
    pool: asyncpg.Pool, site: Site, subnet: Any
) -> None:
    """The session may be lost at the last moment; nothing else may happen in the database for hours."""
    await site.settle()
    await pool.execute(
        "create function refuse() returns trigger language plpgsql as $$ begin raise 'lost'; end $$;"
        "create constraint trigger lost after insert on ddns_update deferrable initially deferred"
        " for each row execute function refuse()"
    )
    await site.lease("10.20.1.5", "laptop")
    with pytest.raises(asyncpg.RaiseError):
        await site.read_all()
    await pool.execute("drop trigger lost on ddns_update")
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")


@pytest.mark.parametrize(
    ("mode", "sent", "flags", "name"),
    [
        ("never", None, 5 | 16 | 32, "host-10-20-1-5"),  # left to the server
        ("never", "laptop", 5 | 32, "laptop"),
        ("always", "laptop", 5 | 32, "host-10-20-1-5"),
    ],
)
async def test_leases_from_before_the_subnet_updated_dns_get_their_names_at_once(
    admin: httpx.AsyncClient, site: Site, subnet: Any, mode: str, sent: str | None, flags: int, name: str
) -> None:
    """Also one that a server grants just after, because it has not read the change yet."""
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_enabled": False})
    await site.lease("10.20.1.5", sent, fqdn_flags=flags)
    await site.settle()
    assert await site.records() == set()
    on = {"ddns_enabled": True, "ddns_replace_client_name": mode, "ddns_generated_prefix": "host"}
    await admin.patch(f"/subnets/{subnet['id']}", json=on)
    await site.settle()
    assert await site.records() == both(name, "10.20.1.5")


async def test_leases_of_an_outage_of_days_get_their_names(
    pool: asyncpg.Pool, keyring: Any, site: Site, subnet: Any
) -> None:
    """No worker ran for a long weekend."""
    await site.settle()
    await site.lease("10.20.1.5", "friday")
    await pool.execute("alter table lease_event disable trigger all")
    await pool.execute("select make_lease_event_partition((now() - interval '60 hours')::date)")
    await pool.execute("update lease_event set at = now() - interval '60 hours'")
    await pool.execute("update worker_cursor set updated_at = now() - interval '61 hours'")
    await Site(pool, keyring).settle()
    assert await site.records() == both("friday", "10.20.1.5")


async def test_a_database_with_another_history_is_compared_whole(
    pool: asyncpg.Pool, keyring: Any, site: Site, subnet: Any
) -> None:
    await site.lease("10.20.1.5", "laptop")
    await site.settle()
    await pool.execute("update lease set state = 'r'")  # as in a database that was restored, without an event
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    await pool.execute("update worker_cursor set history = 'another', xid = '3'")
    await Site(pool, keyring).settle()
    assert await site.records() == set()


async def test_two_workers_share_the_outbox(
    pool: asyncpg.Pool, keyring: Any, site: Site, subnet: Any
) -> None:
    for n in range(1, 41):
        await site.lease(f"10.20.1.{n}", f"host{n}", mac=f"0200000000{n:02x}")
    await site.read_all()
    other = Site(pool, keyring)
    for _ in range(40):
        first, second = await site.sender.step(), await other.sender.step()
        if not (first or second):
            break
    assert len(await site.records()) == 80
    assert [state for _, _, state in await site.states()] == ["applied"] * 40
    assert await pool.fetchval("select count(*) from event where type = 'ddns.applied'") == 40


async def test_workers_that_read_at_once_do_not_fail(pool: asyncpg.Pool, site: Site, subnet: Any) -> None:
    """One of them reads, the others look again; on a new database they also find no cursor."""
    sites = [site, Site(pool, site.keyring), Site(pool, site.keyring)]
    for turn in range(20):
        await site.lease(f"10.20.1.{10 + turn}", f"pc{turn}", mac=f"0200000000{turn:02x}")
        await asyncio.gather(*(each.events.step() for each in sites))
    await site.settle()
    assert {state for _, _, state in await site.states()} == {"applied"}
    assert await pool.fetchval("select count(*) from ddns_update") == 20
    for each in sites[1:]:
        await each.sender.close()


async def test_a_client_takes_no_name_outside_the_subnets_domain(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    """F1: neither a name of another zone of the tenant, nor that of a zone."""
    await make("/dns-zones", name="hq.example", dns_enabled=True)
    for sent in ("vpn.hq.example", "hq.example", FORWARD, "a.b.c.hq.example"):
        await site.lease("10.20.1.5", sent)
        await site.settle()
        assert await site.records() == both(sent.partition(".")[0], "10.20.1.5"), sent
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_client_domains": ["hq.example"]})
    await site.lease("10.20.1.5", "vpn.hq.example")
    await site.settle()
    assert ("vpn.hq.example", "A", "10.20.1.5") in await site.records()


@pytest.mark.parametrize("name", ["wpad", "isatap", "LocalHost", "-", "_", "a" * 64])
async def test_names_that_no_client_may_have(site: Site, subnet: Any, name: str) -> None:
    """F2."""
    await site.lease("10.20.1.5", name)
    await site.settle()
    assert (await site.records(), await site.states()) == (set(), [])


async def test_a_subnet_without_a_domain_is_told_of_once(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, site: Site, subnet: Any
) -> None:
    async def told() -> int:
        return int(await pool.fetchval("select count(*) from event where type = 'ddns.failed'"))

    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_domain": None})
    for number in range(5, 8):
        await site.lease(f"10.20.1.{number}", "laptop", mac=f"02000000000{number}")
        await site.settle()
    assert (await site.records(), await told()) == (set(), 1)
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_domain": FORWARD})
    await site.settle()
    assert (f"laptop.{FORWARD}", "A", "10.20.1.5") in await site.records()
    await admin.patch(f"/subnets/{subnet['id']}", json={"ddns_domain": None})
    await site.settle()
    assert (await site.records(), await told()) == (set(), 2)


async def test_a_name_in_conflict_is_tried_again_when_the_record_in_the_way_is_gone(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    zones = (await admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    record = await make(f"/dns-zones/{zones[0]['id']}/records", name="www", type="TXT", data='"x"')
    await site.lease("10.20.1.5", "www")
    await site.settle()
    assert (await site.records(), (await site.states())[-1][2]) == (set(), "conflict")
    assert (await admin.delete(f"/dns-records/{record['id']}")).status_code == 204
    await site.settle()
    assert await site.records() == both("www", "10.20.1.5")


async def test_a_name_below_a_delegation_is_tried_again_when_that_is_gone(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    zones = (await admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    path = f"/dns-zones/{zones[0]['id']}/records"
    record = await make(path, name="www", type="NS", data="ns.example.net.")
    await site.lease("10.20.1.5", "www")
    await site.settle()
    assert (await site.states())[-1][2] == "conflict"
    assert (await admin.delete(f"/dns-records/{record['id']}")).status_code == 204
    await site.settle()
    assert await site.records() == both("www", "10.20.1.5")


async def test_another_clients_lease_lends_a_reservation_nothing(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    """Whoever still has the address is not the owner of the name that is reserved with it."""
    await site.lease("10.20.1.5", None, mac="020000000001")
    body = {"ip": "10.20.1.5", "mac": "02:00:00:00:00:02", "hostname": "vault"}
    await make(f"/subnets/{subnet['id']}/reservations", **body)
    await site.settle()
    assert await site.records("reservation") == both("vault", "10.20.1.5")
    await site.lease("10.20.1.6", "vault", mac="020000000001")
    await site.settle()
    assert (await site.states())[-1] == ("add", f"vault.{FORWARD}", "conflict")
    (update,) = (await admin.get("/ddns-updates", params={"state": "conflict"})).json()["items"]
    assert update["last_error"] == f"an assignment or reservation has the name vault.{FORWARD}"
    assert await site.records() == both("vault", "10.20.1.5")


async def test_a_name_has_at_most_a_hundred_addresses(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    """As many as other servers take (BIND's max-records-per-type)."""
    operations = [
        {"op": "create", "path": "/assignments", "body": {"hostname": "crowd", "ip": f"10.20.1.{n}"}}
        for n in range(10, 112)
    ]
    answer = await admin.post("/bulk", json={"operations": operations})
    assert answer.status_code == 200, answer.text
    await site.settle()
    there = "select data from dns_record where name = 'crowd' and type = 'A'"
    first = {f"10.20.1.{n}" for n in range(10, 110)}
    assert {row["data"] for row in await pool.fetch(there)} == first
    await make("/assignments", hostname="crowd", ip="10.20.1.9")
    await site.settle()
    assert {row["data"] for row in await pool.fetch(there)} == first, (
        "no later one takes the place of another"
    )
    waiting = "select host(ip) as ip from ddns_update where state = 'conflict' order by ddns_update.ip"
    assert [row["ip"] for row in await pool.fetch(waiting)] == ["10.20.1.9", "10.20.1.110", "10.20.1.111"]
    for gone in ("10.20.1.10", "10.20.1.50"):
        (found,) = (await admin.get("/assignments", params={"ip": gone})).json()["items"]
        assert (await admin.delete(f"/assignments/{found['id']}")).status_code == 204
    await site.settle()
    assert {row["data"] for row in await pool.fetch(there)} == first - {"10.20.1.10", "10.20.1.50"} | {
        "10.20.1.110", "10.20.1.111",
    }  # fmt: skip
    assert [row["ip"] for row in await pool.fetch(waiting)] == ["10.20.1.9"]


async def test_equal_names_in_zones_of_two_tenants_are_apart(make: Any, site: Site, subnet: Any) -> None:
    tenant = (await make("/tenants", name="acme"))["id"]
    prefix = await make("/prefixes", cidr="10.30.0.0/16", tenant_id=tenant)
    await make("/dns-zones", name=FORWARD, tenant_id=tenant)
    fields = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_domain": FORWARD}
    await make("/subnets", prefix_id=prefix["id"], cidr="10.30.1.0/24", **fields)
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.lease("10.30.1.5", "laptop", mac="020000000002")
    await site.settle()
    assert [state for _, _, state in await site.states()] == ["applied", "applied"]
    forward = {data for name, kind, data in await site.records() if kind == "A"}
    assert forward == {"10.20.1.5", "10.30.1.5"}


async def test_an_update_on_its_way_to_a_zone_that_lost_the_name(
    admin: httpx.AsyncClient, make: Any, site: Site, subnet: Any
) -> None:
    """The zone below was made after the update: it is not written to the zone above, and goes to the zone below."""
    below = f"branch.{FORWARD}"
    patch = {"ddns_domain": below}
    assert (await admin.patch(f"/subnets/{subnet['id']}", json=patch)).status_code == 200
    await site.lease("10.20.1.5", "desk")
    await site.read_all()
    await make("/dns-zones", name=below, dns_enabled=True)
    while await site.sender.step():
        pass
    assert (await site.states())[-1] == ("add", f"desk.{below}", "conflict")
    await site.settle()
    assert {(name, kind) for name, kind, _ in await site.records() if kind == "A"} == {(f"desk.{below}", "A")}
    assert (await site.states())[-1] == ("add", f"desk.{below}", "applied")
