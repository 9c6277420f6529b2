"""A host: what somebody knows of it finds its leases, reservations, names, updates and history."""

import re

import psycopg
import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import expect

from api.client import Client

TOLD = """
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error)
select gen_random_uuid(), tenant_no, no, 'add', '10.66.0.20', 'host-20.example.net', 'failed', 7, 'SERVFAIL'
from subnet"""


@pytest.fixture(scope="module", autouse=True)
def site(client: Client, module_database: str) -> None:
    prefix = client.create("prefixes", cidr="10.66.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.66.0.0/24").id
    grant(module_database, subnet, 20, 22)
    client.create("reservations", subnet_id=subnet, ip="10.66.0.99", mac="02:00:00:00:00:14", hostname="desk")
    zone = client.create("dns-zones", name="example.net").id
    client.create("dns-records", zone_id=zone, name="printer", type="A", data="10.66.0.20")
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(TOLD)
    lease = next(iter(client.items("/leases", ip="10.66.0.21")))
    client.request("POST", f"/leases/{lease['id']}/release")


def test_a_mac_finds_all_of_a_host(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/hosts", tokens["viewer"])
    page.get_by_label("MAC, DUID, host name or address").fill("0200.0000.0014")
    page.wait_for_url("**/hosts?q=*")
    expect(page.get_by_role("link", name="10.66.0.20")).to_be_visible()
    for told in ("10.66.0.99", "printer.example.net", "SERVFAIL"):
        expect(page.get_by_text(told).first).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Explain 10.66.0.20").click()
    expect(page.get_by_role("dialog").get_by_label("MAC")).to_have_value("02:00:00:00:00:14")
    accessible(page)


def test_a_name_finds_a_host_and_its_history(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/hosts?q=host-21.example.net", tokens["viewer"])
    history = page.get_by_role("region", name="History")
    line = history.get_by_role("row").filter(has=page.get_by_role("cell", name="released", exact=True))
    expect(line.get_by_role("cell").last).to_have_text(re.compile(r"^released \d"))


def test_a_tenant_sees_no_other_s_host(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/hosts?q=10.66.0.20", tokens["tenant"])
    expect(page.get_by_text("It has no lease.")).to_be_visible()
    expect(page.get_by_text("Nothing was told of it.")).to_be_visible()
