"""Words that people type by mistake: each is understood, or answered with what is meant."""

import json
import re

import psycopg
import pytest
from cli.serving import Served, ipam

LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address, hostname)
select now(), now(), now() + interval '1 hour', now() + interval '1 hour', nextval('lease_version'), tenant_no, no, 32,
       'a', %(address)s, '\\x0101' || %(mac)s::bytea, 1, %(mac)s, %(name)s
from subnet where cidr >> %(address)s::inet
"""


@pytest.fixture
def lab(served: Served) -> Served:
    """10.80.1.0/24 named lab in 10.80.0.0/16."""
    ipam(served, "create", "prefix", "10.80.0.0/16")
    ipam(served, "add", "subnet", "10.80.1.0/24", "lab")
    return served


def test_a_client_is_found_by_its_name_with_the_domain(lab: Served, module_database: str) -> None:
    with psycopg.connect(module_database, autocommit=True) as database:
        try:
            for number, name in enumerate(("beta", "beta2", "-cmd-x"), 20):
                told = {"address": f"10.80.1.{number}", "mac": bytes([2, 0, 0, 0, 0, number]), "name": name}
                database.execute(LEASE, told)
            for name in ("beta.example.net", "BETA.example.net."):
                (row,) = ipam(lab, "where", name, "--json").stdout.splitlines()
                assert json.loads(row)["hostname"] == "beta"
            assert "10.80.1.22" in ipam(lab, "where", "--", "-cmd-x").stdout
            assert "nothing found for bet.example.net" in ipam(lab, "where", "bet.example.net").stderr
        finally:
            database.execute("delete from lease")


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("where 02:00:00:00:00:zz", 2, "02:00:00:00:00:zz is no MAC address"),
        ("who 02:00:00:00:00:zz", 2, "02:00:00:00:00:zz is no MAC address"),
        ("history 02:00:00:00:00:zz", 2, "02:00:00:00:00:zz is no MAC address"),
        ("release 02:00:00:00:00:zz", 1, "02:00:00:00:00:zz is no MAC address"),
        ("reserve 10.80.1.9 02:00:00:00:00:zz", 2, "02:00:00:00:00:zz is no MAC address"),
        ("add reservation 10.80.1.9 02:00:00:00:00:zz", 2, "02:00:00:00:00:zz is no MAC address"),
        ("reserve 10.50.77.1 02:00:00:00:00:09", 2, "no subnet contains 10.50.77.1"),
        ("set subnet lab dns=null", 0, "there is no option domain-name-servers (6)"),
        ("set subnet lab dns=null --dry-run", 0, "there is no option domain-name-servers (6)"),
        ("set subnet lab dns=null vlan=7", 0, "vlan_id (none) -> 7"),
        ("set subnet lab ntp=null", 0, "subnet 10.80.1.0/24 lab is unchanged"),
        ("grow subnet lab", 2, "ipam update subnets NAME cidr="),
        ("subnets grow --help", 2, "ipam update subnets NAME cidr="),
        ("subnets utilization lab", 2, "ipam subnets show NAME"),
        ("subnets flourish lab", 2, "subnets has no command flourish; commands: create"),
        ("delete option lab dns", 1, "ipam delete option dns --subnet lab"),
        ("delete lease 10.80.1.7", 1, "There is no active lease 10.80.1.7"),
        ("rm leases 10.80.1.7", 1, "There is no active lease 10.80.1.7"),
        ("lease delete 10.80.1.7", 1, "There is no active lease 10.80.1.7"),
        ("leases release 10.80.1.7", 1, "There is no active lease 10.80.1.7"),
        ("utilisation lab", 0, "use: 0.0% of 254"),
        ("next subnet 10.80.0.0/16 /26", 0, "created subnet 10.80.0.0/26"),
        ("set subnet lab lease-time=0", 1, "must be at least 1 second ("),
        ("add webhook http://example.net/x events=lease.foo", 1, "there is no event 'lease.foo'"),
        ("dns-zones list --help", 0, "Only objects of this DNS server"),
        ("dns-zones create --help", 0, "name of a DNS server."),
        ("dns-zones create --help", 0, "Create a DNS zone."),
    ],
)
def test_a_word_is_understood_or_answered(lab: Served, line: str, status: int, told: str) -> None:
    shown = " ".join(ipam(lab, *line.split(), status=status, COLUMNS="200").output.split())
    assert told in re.sub(" +", " ", shown)


def test_utilization_alone_is_the_status(lab: Served) -> None:
    told = ipam(lab, "utilization", status=1).stdout  # no worker runs here
    assert "Fullest pools" in told


def test_null_removes_what_a_subnet_has(lab: Served) -> None:
    ipam(lab, "set", "subnet", "lab", "dns=10.80.1.5", "ntp=10.80.1.6")
    ipam(lab, "set", "subnet", "lab", "dns=null", "ntp=null")
    assert ipam(lab, "options", "--json").stdout == ""
    assert json.loads(ipam(lab, "show", "subnet", "lab", "--json").stdout)["ntp_servers"] == []


def test_a_relay_is_an_address_or_a_network(lab: Served) -> None:
    for word, cidr in (("10.80.1.1", "10.80.1.1/32"), ("2001:db8::1", "2001:db8::1/128")):
        assert json.loads(ipam(lab, "add", "relay", word, "--json").stdout)["cidr"] == cidr
