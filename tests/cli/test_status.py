"""`ipam status` reports every part of the service, what needs attention, and what it could not read."""

import json
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from cli.serving import Served, ipam
from ports import free_port

from api.cli.status import MOST_SECONDS
from api.client import ApiError, Client

NODE = """
insert into node (id, name, role, version, state, heartbeat_at, detail)
values (gen_random_uuid(), %s, %s, (select version from node where role = 'api'), %s, now() - %s::interval, %s)"""
HOLD = "select pg_advisory_lock(hashtext('ipam usage'))"
"""While a test holds it, the API does not count the use of pools anew."""
USED = """
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select subnet_no, pool.no, subnet.fence, start_ip, end_ip, 100, 0, 0, 0, 0, 95, 95
from pool join subnet on subnet.no = pool.subnet_no where pool.name = 'desks'
on conflict (subnet_no, pool_no) do update set leased = 95, open = 95, total = 100"""
RELAY = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at) values ('192.0.2.77', 3, now(), now())"""


@pytest.fixture
def database(module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(module_database, autocommit=True) as connection:
        yield connection
        connection.execute("delete from node where role <> 'api'")
        connection.execute("delete from unknown_relay")


@pytest.fixture
def well(served: Served, database: psycopg.Connection[Any]) -> Served:
    """The API, a worker and both DHCP servers; the use of pools has been counted."""
    deadline = time.monotonic() + 60
    while not database.execute("select from node, usage_cursor where state = 'ready'").fetchall():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for name, role in (("h/worker", "worker"), ("h/67", "dhcp"), ("h/547", "dhcp6")):
        database.execute(NODE, (name, role, "ready", "1 s", ""))
    return served


def told(served: Served, status: int) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(ipam(served, "status", "--json", status=status).stdout)
    assert answer["ok"] is (status == 0)
    return answer


def plan(served: Served) -> None:
    ipam(served, "create", "prefixes", "cidr=10.40.0.0/16")
    ipam(served, "create", "subnets", "cidr=10.40.10.0/24", "name=office")
    ipam(
        served,
        "create",
        "pools",
        "subnet=office",
        "name=desks",
        "start_ip=10.40.10.100",
        "end_ip=10.40.10.199",
    )


def test_all_is_clear(well: Served) -> None:
    found = told(well, 0)
    assert (found["attention"], found["unread"]) == ([], {})
    assert {node["role"] for node in found["nodes"]} == {"api", "worker", "dhcp", "dhcp6"}
    shown = ipam(well, "status").stdout
    for line in (
        "DHCPv4 servers: 1 ready", "DNS servers:    none", "API servers:    1 ready", "workers:        1 ready",
        "no pool is in use", "Managed addresses: 0 of 1,000", "Waiting DNS updates: 0",
        "Unknown relay agents: none", "Secondaries that do not follow: none", "All clear",
    ):  # fmt: skip
        assert line in shown.splitlines(), shown


def test_what_is_wrong_is_named(well: Served, database: psycopg.Connection[Any]) -> None:
    """Exit status 1, a line each, with what to do about it."""
    plan(well)
    database.execute(HOLD)
    database.execute(USED)
    database.execute(RELAY)
    database.execute(NODE, ("g/67", "dhcp", "ready", "31 s", ""))
    database.execute(NODE, ("f/67", "dhcp", "degraded", "1 s", "degraded: interface eth1 does not exist"))
    database.execute("update node set version = '0.0.1' where name = 'h/547'")
    shown = ipam(well, "status", status=1).stdout
    wrong = shown.partition("Needs attention\n")[2].splitlines()
    for line in (
        "- DHCPv4 server g/67 is down: its last heartbeat was at ",
        "- DHCPv4 server f/67 is degraded: interface eth1 does not exist",
        "- the nodes run different versions: 0.0.1, ",
        "- pool desks of 10.40.10.0/24 is 95.0% in use",
        "- relay agents that are not trusted get no answer for their clients: 192.0.2.77 (ipam trusted-relays unknown)",
    ):
        assert [each for each in wrong if each.startswith(line)], shown
    assert "desks" in shown.partition("Fullest pools")[2]
    assert [f"- {line}" for line in told(well, 1)["attention"]] == wrong


def test_roles_that_the_plan_needs_are_missed(well: Served, database: psycopg.Connection[Any]) -> None:
    """Zones that another server answers need no DNS server of ours."""
    plan(well)
    database.execute("delete from node where role <> 'api'")
    with Client(well.url, well.token) as client:
        zone = client.create("dns-zones", name="status.test")
        lines = told(well, 1)["attention"]
        assert lines[:2] == [
            "no DHCP server is running: start ipam dhcp",
            "no worker is running, so DNS names and webhooks wait: start ipam worker",
        ]
        assert not [line for line in lines if "DNS server" in line]
        client.update("dns-zones", zone.id, dns_enabled=True)
        assert "no DNS server is running, but zones are enabled: start ipam dns" in told(well, 1)["attention"]
        client.delete("dns-zones", zone.id, cascade=True)


def test_what_cannot_be_read_is_not_shown_as_empty(well: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """One part; or all, since the API is away: each is named, and JSON has null."""
    request = Client.request

    def refusing(client: Client, method: str, path: str, *rest: Any, **more: Any) -> Any:
        if path == "/dashboard":
            raise ApiError(503, "unavailable", "the database is away", None, "r1")
        return request(client, method, path, *rest, **more)

    monkeypatch.setattr(Client, "request", refusing)
    ran = ipam(well, "status", status=1)
    assert (
        "ipam: overview: could not be read: the database is away (503 unavailable, request r1)" in ran.stderr
    )
    assert "pool" not in ran.stdout
    assert "All clear" not in ran.stdout
    assert told(well, 1)["dashboard"] is None
    monkeypatch.setattr(Client, "request", request)
    away = well._replace(url=f"http://127.0.0.1:{free_port()}/api/v1")
    ran = ipam(away, "status", status=1)
    assert ran.stdout == ""
    for part in ("nodes", "overview", "inbox", "zones"):
        assert f"ipam: {part}: could not be read\n" in ran.stderr
    assert ran.stderr.count("cannot be reached") == 1
    assert told(away, 1)["nodes"] is None


def test_a_token_that_is_not_accepted_is_named(well: Served) -> None:
    """Scripts get JSON all the same."""
    wrong = well._replace(token="wrong")
    ran = ipam(wrong, "status", status=1)
    assert ran.stdout == ""
    assert "this server does not know the token" in ran.stderr
    found = told(wrong, 1)
    assert set(found["unread"]) == {"nodes", "overview", "inbox", "zones"}
    assert "401 unauthorized" in found["unread"]["nodes"]
    elsewhere = ipam(well._replace(url=well.url.removesuffix("/api/v1")), "status", status=1).stderr
    assert f"set IPAM_API_URL={well.url}" in elsewhere


def test_a_frozen_database_is_reported_within_seconds(well: Served, module_database: str) -> None:
    """A part that waits for the database delays none of the others."""
    with psycopg.connect(module_database) as holding:
        holding.execute("lock table node in access exclusive mode")
        found = told(well, 1)
        assert found["unread"]["nodes"] == f"no answer within {MOST_SECONDS:.0f} s"
        assert not {"inbox", "zones"} & set(found["unread"])


def test_a_tenants_token_is_shown_what_is_the_tenants(
    well: Served, database: psycopg.Connection[Any]
) -> None:
    database.execute(RELAY)
    with Client(well.url, well.token) as client:
        tenant = client.create("tenants", name="guest")
        token = client.create("tokens", name="g", role="viewer", tenant_id=tenant.id)
        shown = ipam(well._replace(token=token.token), "status").stdout
        client.delete("tokens", token.id)
    assert "nodes: not shown to a token of one tenant" in shown
    assert "Unknown relay agents: not shown to a token of one tenant" in shown
