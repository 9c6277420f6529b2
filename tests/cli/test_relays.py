"""`ipam relays check`: what an upgrade leaves to be bound, and the commands that it prints do so."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.serving import Served, ipam, serving


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    with serving(database, tmp_path) as running:
        yield running


def test_the_commands_that_it_prints_bind_the_relays(served: Served, database: str) -> None:
    told = {"IPAM_DATABASE_URL": database}
    assert "all relays and links are bound" in ipam(served, "relays", "check", **told).stdout
    ipam(served, "create", "tenants", "name=acme")
    for number, cidr in ((5, "10.5.0.0/24"), (6, "10.6.0.1/32")):
        network = f"10.{number}.0.0/24"
        prefix = ipam(served, "create", "prefixes", f"cidr={network}", "--tenant", "acme", "--json").stdout
        ipam(
            served,
            "create",
            "subnets",
            f"prefix_id={json.loads(prefix)['id']}",
            f"cidr={network}",
            f"gateway=10.{number}.0.1",
        )
        ipam(served, "create", "trusted-relays", f"cidr={cidr}")
    lines = ipam(served, "relays", "check", status=1, **told).stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "10.5.0.1/32 (tenant acme)",
        "10.6.0.1/32 (tenant acme)",
    ]
    found = json.loads(ipam(served, "relays", "check", "--json", status=1, **told).stdout)
    assert [(each["place"], each["tenant"]) for each in found] == [
        ("10.5.0.1/32", "acme"),
        ("10.6.0.1/32", "acme"),
    ]
    for each in found:
        for command in each["bind"].split("; "):
            ipam(served, *shlex.split(command)[1:])
    assert "all relays and links are bound" in ipam(served, "relays", "check", **told).stdout
