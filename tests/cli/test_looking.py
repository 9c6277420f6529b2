"""Looking at a plan: pools with their use, relay agents that nobody trusts, addresses that nobody has, the first of
many, and objects with what they contain."""

import json
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import psycopg
import pytest
from cli.serving import Served, ipam

from api.client import Client

HOLD = "select pg_advisory_lock(hashtext('ipam usage'))"
"""While a test holds it, the API does not count the use of pools anew."""
USED = """
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select subnet_no, pool.no, subnet.fence, start_ip, end_ip, 100, 0, 0, 0, 0, %(used)s, %(used)s
from pool join subnet on subnet.no = pool.subnet_no where pool.name = %(name)s
on conflict (subnet_no, pool_no) do update set leased = %(used)s, open = %(used)s, total = 100"""
RELAYS = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
values ('192.0.2.77', 3, now(), now()), ('198.51.100.1', 1, now(), now()), ('198.51.100.2', 1, now(), now())"""
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address)
select now(), now(), now() - interval '1 minute', now() + interval '1 hour', nextval('lease_version'), tenant_no, no,
       32, %(state)s, %(address)s, '\\x0101020000000001', 1, '\\x020000000001'
from subnet where cidr >> %(address)s::inet"""


@pytest.fixture
def database(module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(module_database, autocommit=True) as connection:
        yield connection
        connection.execute("delete from lease; delete from unknown_relay")


@pytest.fixture
def site(served: Served) -> Served:
    """10.40.10.0/24 with the pools desks and phones, an exclude, a reservation and an option."""
    ipam(served, "create", "prefixes", "cidr=10.40.0.0/16")
    ipam(served, "create", "subnets", "cidr=10.40.10.0/24", "name=office", "gateway=10.40.10.1")
    for name, first in (("desks", 100), ("phones", 200)):
        ends = (f"start_ip=10.40.10.{first}", f"end_ip=10.40.10.{first + 49}")
        ipam(served, "create", "pools", "subnet=office", f"name={name}", *ends)
    ipam(served, "create", "excludes", "subnet=office", "start_ip=10.40.10.120", "end_ip=10.40.10.121")
    ipam(served, "create", "reservations", "ip=10.40.10.20", "mac=2:0:0:0:0:9", "hostname=printer")
    ipam(served, "create", "options", "subnet=office", "code=6", "addresses=10.40.10.5")
    return served


def rows(served: Served, *arguments: str) -> list[list[str]]:
    return [line.split() for line in ipam(served, *arguments).stdout.splitlines()[1:]]


def test_pools_that_are_not_counted_yet_say_so(site: Served, database: psycopg.Connection[Any]) -> None:
    """A table leaves empty columns out; of a new pool the use is unknown until the API counts the next time."""
    database.execute(HOLD)
    database.execute("delete from usage")
    shown = ipam(site, "pools", "--sort", "start_ip").stdout.splitlines()
    assert shown[0].split()[-2:] == ["used", "utilisation"]
    assert [line.count("not counted") for line in shown[1:]] == [2, 2]
    csv = ipam(site, "pools", "--csv", "--columns", "name,used", "--sort", "name").stdout
    assert csv.splitlines()[1:] == ["desks,", "phones,"]


def test_pools_have_their_use_and_subnet(site: Served, database: psycopg.Connection[Any]) -> None:
    """In the server's order, so that the first ones are the fullest of all."""
    database.execute(HOLD)
    for name, used in (("desks", 10), ("phones", 90)):
        database.execute(USED, {"name": name, "used": used})
    assert rows(site, "pools", "--columns", "name,subnet,used,utilisation", "--sort", "-utilisation") == [
        ["phones", "10.40.10.0/24", "90", "90.0%"],
        ["desks", "10.40.10.0/24", "10", "10.0%"],
    ]
    assert rows(site, "pools", "--sort", "-utilisation", "--limit", "1", "--columns", "name") == [["phones"]]
    assert rows(site, "pools", "--sort", "-start_ip", "--columns", "name") == [["phones"], ["desks"]]
    assert "used utilisation" in " ".join(ipam(site, "pools").stdout.splitlines()[0].split())
    with Client(site.url, site.token) as client:
        first = client.request("GET", "/pools", query={"sort": "-utilisation", "limit": "1"})
        query = {"sort": "-utilisation", "limit": "1", "cursor": first["next_cursor"]}
        (second,) = client.request("GET", "/pools", query=query)["items"]
        assert (first["items"][0]["used"], first["items"][0]["used_exact"], second["name"]) == (
            90,
            "90",
            "desks",
        )
        assert "used" not in client.request("GET", f"/pools/{second['id']}")


def test_relay_agents_that_nobody_trusts(served: Served, database: psycopg.Connection[Any]) -> None:
    database.execute(RELAYS)
    listed = ("trusted-relays", "unknown", "--columns", "address,count")
    assert rows(served, *listed) == [["192.0.2.77", "3"], ["198.51.100.1", "1"], ["198.51.100.2", "1"]]
    assert rows(served, *listed, "--within", "198.51.100.0/24", "--limit", "1") == [["198.51.100.1", "1"]]
    (first, *_) = ipam(served, "trusted-relays", "unknown", "--json").stdout.splitlines()
    assert json.loads(first)["address"] == "192.0.2.77"


def test_why_an_address_has_nobody(site: Served, database: psycopg.Connection[Any]) -> None:
    """Beside the leases that ended; the strongest reason is the one that is named."""
    office = "subnet 10.40.10.0/24 office"
    for address, told in {
        "10.40.10.0": f"is the network address of {office}",
        "10.40.10.255": f"is the broadcast address of {office}",
        "10.40.10.1": f"is the gateway of {office}",
        "10.40.10.120": f"is excluded from the pools of {office}",
        "10.40.10.110": f"is free in pool desks of {office}",
        "10.40.10.50": f"is free, in no pool of {office}",
    }.items():
        assert ipam(site, "who", address).stderr == f"{address} {told}\n"
    assert ipam(site, "who", "10.40.10.20").stderr == ""
    for address, state in (("10.40.10.130", "r"), ("10.40.10.131", "d")):
        database.execute(LEASE, {"address": ip_address(address), "state": state})
    released, declined = (ipam(site, "who", f"10.40.10.{n}") for n in (130, 131))
    assert "released lease" in released.stdout
    assert released.stderr == f"10.40.10.130 is free in pool desks of {office}\n"
    assert "declined lease" in declined.stdout
    assert declined.stderr.startswith("10.40.10.131 is in quarantine until ")
    ipam(site, "update", "subnets", "office", "dhcp_enabled=false")
    assert ipam(site, "who", "10.40.10.110").stderr.endswith(f"{office}, where DHCP is off\n")


def test_the_first_of_many(site: Served) -> None:
    """Every list has --limit; sizes of pages are no filters."""
    assert len(rows(site, "search", "10.40.10", "--limit", "2")) == 2
    assert len(rows(site, "audit", "--limit", "3")) == 3
    made = ("tail", "--type", "*", "--since", "yesterday", "--limit", "2")
    assert len(ipam(site, *made).stdout.splitlines()) == 2
    ipam(site, "create", "webhooks", "url=https://hook.example/", "events=lease.granted")
    hook = ("webhooks", "deliveries", "https://hook.example/")
    assert rows(site, *hook, "--limit", "1") == []
    for command in (("pools",), hook, ("trusted-relays", "unknown"), ("audit",)):
        refused = ipam(site, *command, "--filter", "limit=2", status=2).stderr
        assert "limit is no filter: all pages are read. Use --limit N for the first N." in refused
    ipam(site, "delete", "webhooks", "https://hook.example/")


def test_names_of_many_objects_take_few_requests(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request for each subnet of a list would meet the rate limit."""
    with Client(site.url, site.token) as client:
        (prefix,) = client.items("/prefixes")
        for n in range(20, 32):
            subnet = client.create("subnets", prefix_id=prefix["id"], cidr=f"10.40.{n}.0/24")
            client.create("pools", subnet_id=subnet.id, start_ip=f"10.40.{n}.10", end_ip=f"10.40.{n}.20")
    asked: list[str] = []
    request = Client.request

    def counted(client: Client, method: str, path: str, *rest: Any, **more: Any) -> Any:
        asked.append(path)
        return request(client, method, path, *rest, **more)

    monkeypatch.setattr(Client, "request", counted)
    shown = rows(site, "pools", "--columns", "subnet")
    assert [f"10.40.{n}.0/24"] in shown
    assert len(shown) == 14
    assert len(asked) <= 8


def test_an_object_is_shown_with_what_it_contains(site: Served, database: psycopg.Connection[Any]) -> None:
    database.execute(HOLD)
    database.execute(USED, {"name": "desks", "used": 10})
    shown = ipam(site, "show", "subnet", "office").stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "use: 1.6% of 254 (1 reserved, 2 excluded, 1 gateway, 250 free)" in lines
    assert {"excludes: 1", "options: 1", "pools:"} <= set(lines)
    assert "desks 10.40.10.100 10.40.10.149 10 10.0%" in lines
    prefix = ipam(site, "prefixes", "show", "10.40.0.0/16").stdout
    assert "use: 0.4% of 65,536 lie in subnets (" in prefix
    assert "subnets: 1\n" in prefix
    assert "options: 0\n" in ipam(site, "pools", "show", "desks").stdout
    whole = json.loads(ipam(site, "subnets", "show", "office", "--json").stdout)
    assert (whole["name"], "pools" in whole) == ("office", False)


@pytest.mark.parametrize("command", [("subnets", "show"), ("show", "subnet"), ("get", "subnets"), ("show",)])
def test_columns_are_taken_wherever_one_is_shown(site: Served, command: tuple[str, ...]) -> None:
    ran = ipam(site, *command, "office", "--columns", "name,cidr")
    assert [line.split() for line in ran.stdout.splitlines()] == [
        ["name", "cidr"],
        ["office", "10.40.10.0/24"],
    ]
    ran = ipam(site, *command, "office", "--columns", "name,cidr", "--json")
    assert json.loads(ran.stdout) == {"name": "office", "cidr": "10.40.10.0/24"}
    assert "there is no column" in ipam(site, *command, "office", "--columns", "pools", status=2).stderr


def test_a_part_that_cannot_be_read_is_not_shown_as_empty(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    from api.client import ApiError

    request = Client.request

    def refusing(client: Client, method: str, path: str, *rest: Any, **more: Any) -> Any:
        if path.endswith("/utilisation") or path == "/options":
            raise ApiError(503, "unavailable", "the database is away", None, "r1")
        return request(client, method, path, *rest, **more)

    monkeypatch.setattr(Client, "request", refusing)
    shown = ipam(site, "subnets", "show", "office").stdout
    for part in ("use", "options"):
        assert f"{part}: could not be read: the database is away (503 unavailable, request r1)" in shown
