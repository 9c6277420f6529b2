"""What `ipam` does with DNS servers and zones beside the four verbs: trying one, and comparing what it has."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from cli.serving import Served, ipam, serving

ZONE = "lab.example"
SECRET = "c2VjcmV0LW9mLXRoZS1rZXktZm9yLXRlc3Rz"


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    with serving(database, tmp_path) as running:
        yield running


def create(served: Served, *arguments: str) -> str:
    """The object's id."""
    return str(json.loads(ipam(served, "create", *arguments, "--json").stdout)["id"])


def test_a_server_is_tried(served: Served) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        tsig = ["adapter=bind_tsig", "address=127.0.0.1", f"port={closed.getsockname()[1]}"]
        key = ["key_name=k", "key_algorithm=hmac-sha256", f"secret={SECRET}"]
        theirs = create(served, "dns-servers", "name=theirs", *tsig, *key)
        create(served, "dns-zones", f"name={ZONE}", f"dns_server_id={theirs}")
        tried = ipam(served, "dns-servers", "test", theirs, "--json").stdout
        assert SECRET not in tried
        told = json.loads(tried)
        assert told["ok"] is False
        assert [step["name"] for step in told["steps"]] == [f"update {ZONE}"]
        assert "cannot be reached" in told["steps"][0]["detail"]
        assert "cannot be reached" in ipam(served, "dns-servers", "test", theirs).stdout
    own = create(served, "dns-servers", "name=own", "adapter=embedded")
    assert json.loads(ipam(served, "dns-servers", "test", own, "--json").stdout)["ok"] is True
    assert "no DNS server none" in ipam(served, "dns-servers", "test", "none", status=1).stderr


def test_a_zone_is_compared_and_repaired(served: Served, database: str) -> None:
    """A record of ours that nothing asks for is stale; it is taken away through the outbox, and with --dry-run only
    told."""
    zone = create(served, "dns-zones", f"name={ZONE}", "dns_enabled=true")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "insert into dns_record (id, zone_no, name, type, data, source)"
            " select gen_random_uuid(), no, 'left', 'A', '10.0.0.9', 'lease' from dns_zone"
        )
        told = json.loads(ipam(served, "dns-zones", "reconcile", zone, "--dry-run", "--json").stdout)
        assert (told["complete"], told["dry_run"], told["repairs"]) == (True, True, 0)
        assert [each["name"] for each in told["stale"]] == [f"left.{ZONE}."]
        assert connection.execute("select count(*) from ddns_update").fetchone() == (0,)
        shown = ipam(served, "dns-zones", "reconcile", zone).stdout
        assert f"left.{ZONE}." in shown
        query = "select action, fqdn, state from ddns_update"
        assert connection.execute(query).fetchall() == [("remove", f"left.{ZONE}", "pending")]
    assert "no DNS zone none" in ipam(served, "dns-zones", "reconcile", "none", status=1).stderr


ENABLE = "update dns_zone set dns_enabled = true"


def test_zones_of_the_release_before_are_checked(served: Served, database: str) -> None:
    """Zones that another tenant's lie above, that no suffix permits, and whose records another zone has."""
    told = {"IPAM_DATABASE_URL": database}
    assert "no enabled zone conflicts" in ipam(served, "zones", "check", **told).stdout
    create(served, "tenants", "name=acme")
    above = create(served, "dns-zones", "name=example.net")
    create(served, "dns-records", f"zone_id={above}", "name=web.own", "type=A", "data=192.0.2.1")
    create(served, "dns-zones", "name=own.example.net")
    ipam(served, "create", "dns-zones", "name=host.example.net", "--tenant", "acme")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(ENABLE)
    ipam(served, "update", "tenants", "acme", "dns_suffixes=own.example.net")
    lines = ipam(served, "zones", "check", status=1, **told).stdout.splitlines()
    assert [line.partition(". ")[0] for line in lines] == [
        "zone host.example.net of tenant acme lies outside the tenant's DNS suffixes",
        "zone own.example.net of tenant default lies at or below own.example.net, a DNS suffix of tenant acme",
        "zone host.example.net of tenant acme lies at or below example.net, an enabled zone of tenant default",
        "zone example.net of tenant default has 1 records that own.example.net answers for",
    ]
    found = json.loads(ipam(served, "zones", "check", "--json", status=1, **told).stdout)
    assert [each["kind"] for each in found] == ["outside", "suffix", "zone", "hidden"]
    assert found[3] == {
        "kind": "hidden", "zone": "example.net", "tenant": "default", "other": "own.example.net", "records": 1,
    }  # fmt: skip


def test_a_zone_takes_records_that_it_would_hide(served: Served) -> None:
    """By creating it and by enabling it later."""
    above = create(served, "dns-zones", "name=par.test", "dns_enabled=true")
    for name in ("web.a", "web.b"):
        create(served, "dns-records", f"zone_id={above}", f"name={name}", "type=A", "data=192.0.2.1")
    refused = ipam(served, "dns-zones", "create", "name=a.par.test", "dns_enabled=true", status=1)
    assert "would hide 1 record, such as web.a.par.test A 192.0.2.1" in refused.stderr
    ipam(served, "dns-zones", "create", "name=a.par.test", "dns_enabled=true", "--move-records")
    ipam(served, "dns-zones", "create", "name=b.par.test")
    ipam(served, "dns-zones", "update", "b.par.test", "dns_enabled=true", status=1)
    ipam(served, "dns-zones", "update", "b.par.test", "dns_enabled=true", "--move-records", "--dry-run")
    ipam(served, "dns-zones", "update", "b.par.test", "dns_enabled=true", "--move-records")
    records = [json.loads(line) for line in ipam(served, "dns-records", "--json").stdout.splitlines()]
    found = {(each["fqdn"], each["type"], each["zone_id"] == above) for each in records}
    assert found == {
        ("web.a.par.test", "A", False), ("web.b.par.test", "A", False),
        ("a.par.test", "NS", True), ("b.par.test", "NS", True),
    }  # fmt: skip
