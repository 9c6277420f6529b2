"""The command line against a served API: objects, filters, apply, errors and exit codes.

One API serves all tests, each of which begins with an empty plan. Commands run in this process, for an interpreter that
starts is as long as ten of them; test_objects_and_errors runs some of its own as an operator's shell does.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.serving import IPAM, Served, ipam

from api.client import ApiError, Client
from api.openapi.document import describe
from api.routes import HANDLERS
from ipam_core.db.connect import connect
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.services.class_values import note_values

SITE = """
name: hq
prefixes:
  - cidr: 10.1.0.0/16
    subnets:
      - cidr: 10.1.2.0/24
        gateway: 10.1.2.1
        description: Second floor
        pools: [{name: desks, start_ip: 10.1.2.100, end_ip: 10.1.2.199}]
        excludes: [{start_ip: 10.1.2.2, end_ip: 10.1.2.9}]
        reservations: [{ip: 10.1.2.20, mac: "02:00:00:00:00:01", hostname: printer}]
        options: [{code: 6, payload: {addresses: [10.1.2.1]}}]
"""


def in_a_shell(served: Served, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
    ran = subprocess.run([*IPAM, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran


def test_objects_and_errors(served: Served, tmp_path: Path) -> None:
    made = json.loads(ipam(served, "create", "prefixes", "cidr=10.0.0.0/16", "--json").stdout)
    subnet = json.loads(
        ipam(
            served,
            "create",
            "subnets",
            f"prefix_id={made['id']}",
            "cidr=10.0.0.0/24",
            "dhcp_enabled=false",
            "--json",
        ).stdout
    )
    assert subnet["dhcp_enabled"] is False
    table = ipam(served, "subnets", "list", "--within", "10.0.0.0/16").stdout
    assert "10.0.0.0/24" in table
    assert "cidr" in table
    assert ipam(served, "subnets", "list", "--within", "10.9.0.0/16", "--json").stdout == ""
    assert "10.0.0.0/24" in ipam(served, "get", "subnets", subnet["id"]).stdout
    ipam(served, "patch", "subnets", subnet["id"], "name=office")
    assert json.loads(in_a_shell(served, "get", "subnets", "--json").stdout)["name"] == "office"
    ipam(served, "patch", "subnets", subnet["id"], "vlan_id=20", "site=Berlin", 'tags=["lab","core"]')
    listing = ("subnets", "list", "--vlan-id", "20", "--site", "Berlin", "--tag", "Core")
    assert "Berlin" in ipam(served, *listing).stdout
    both = ("--filter", "tag=lab", "--filter", "tag=nothing")
    assert ipam(served, "subnets", "list", *both, "--json").stdout == ""
    assert "mac" in ipam(served, "leases", "list", "--mac", "02:00:00:00:00:01").stdout
    refused = in_a_shell(served, "create", "prefixes", "cidr=10.0.0.0/17", status=1)
    assert "conflict" in refused.stderr
    assert "conflicts with: prefix 10.0.0.0/16 (id " in refused.stderr
    ipam(served, "delete", "prefixes", made["id"], "--cascade")
    ipam(served, "get", "prefixes", made["id"], status=1)
    in_a_shell(served, "create", "pools", "start_ip=10.0.0.1", status=2)
    nobody = served._replace(url="http://127.0.0.1:1/api/v1")
    assert "set IPAM_API_URL to its address" in ipam(nobody, "subnets", "list", status=1).stderr
    nobody = served._replace(url="127.0.0.1:1")
    assert "with http:// or https://" in ipam(nobody, "subnets", "list", status=1).stderr


def test_the_duid_of_the_servers(served: Served) -> None:
    derived = json.loads(ipam(served, "server-duid", "show", "--json").stdout)
    assert derived["is_set"] is False
    assert (
        "00:03:00:01:02:00:00:00:00:01" in ipam(served, "server-duid", "set", "00030001020000000001").stdout
    )
    shown = json.loads(ipam(served, "server-duid", "show", "--json").stdout)
    assert (shown["duid"], shown["is_set"]) == ("00:03:00:01:02:00:00:00:00:01", True)
    assert "3 to 130 octets" in ipam(served, "server-duid", "set", "00:01", status=1).stderr
    back = json.loads(ipam(served, "server-duid", "reset", "--force", "--json").stdout)
    assert (back["duid"], back["is_set"]) == (derived["duid"], False)


def test_apply(served: Served, tmp_path: Path) -> None:
    """The same file twice changes nothing; what leaves the file leaves the server; what is others' stays."""
    site = tmp_path / "site.yaml"
    site.write_text(SITE)
    command = ("apply", "-f", str(site))
    assert "+ subnets 10.1.2.0/24" in ipam(served, *command, "--dry-run").stdout
    with Client(served.url, served.token) as client:
        assert list(client.list("prefixes")) == []
        assert ipam(served, *command).stdout.count("+ ") == 6
        assert ipam(served, "apply", str(site)).stdout == ""
        (subnet,) = client.items("/subnets")
        other = client.create("reservations", subnet_id=subnet["id"], ip="10.1.2.30", mac="02:00:00:00:00:02")
        site.write_text(SITE.replace("printer", "plotter").replace("excludes:", "excludes: [] #"))
        assert ipam(served, *command, "--prune").stdout.splitlines() == [
            "= reservations 02:00:00:00:00:02 in subnet 10.1.2.0/24 is not in the file and was not created by it: kept",
            "- excludes 10.1.2.2-10.1.2.9 in subnet 10.1.2.0/24",
            "~ reservations 02:00:00:00:00:01 in subnet 10.1.2.0/24: hostname printer -> plotter",
        ]
        assert client.get("reservations", other.id) == other
        site.write_text(SITE.replace("name: hq", "name: other"))
        assert "must not change it" in ipam(served, *command, status=1).stderr
        with pytest.raises(ApiError, match="not_found"):
            client.get("subnets", "none")


def test_a_token_comes_from_a_file(served: Served, tmp_path: Path) -> None:
    """An option before the environment, a file's token without the blanks around it."""
    good, empty = tmp_path / "token", tmp_path / "empty"
    good.write_text(f"{served.token}\n")
    empty.write_text("\n")
    command = [*IPAM, "tenants", "list", "--csv", "--columns", "name"]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("IPAM_")}
    bare["IPAM_API_URL"] = served.url

    def run(*more: str, said: str | None = None, **environment: str) -> tuple[int, str]:
        ran = subprocess.run(
            [*command, *more], env=bare | environment, input=said, capture_output=True, text=True, check=False
        )
        return ran.returncode, ran.stdout + ran.stderr

    assert run("--token-file", str(good)) == (0, "name\ndefault\n")
    assert run("--token-file", "-", said=served.token) == (0, "name\ndefault\n")
    assert run(IPAM_TOKEN_FILE=str(good)) == (0, "name\ndefault\n")
    assert run("--token-file", str(good), IPAM_API_TOKEN="ipam_live_wrong") == (0, "name\ndefault\n")
    assert run(IPAM_TOKEN_FILE=str(good), IPAM_API_TOKEN=served.token)[0] == 0
    status, told = run()
    assert (status, "IPAM_TOKEN_FILE" in told) == (1, True)
    for file, why in ((empty, "is empty"), (tmp_path / "none", "No such file")):
        for status, told in (run("--token-file", str(file)), run(IPAM_TOKEN_FILE=str(file))):
            assert (status, why in told, str(file) in told) == (2, True, True), told


def test_a_filter_that_cannot_be_meant_is_an_error_and_no_empty_list(served: Served) -> None:
    for named in ("--subnet", "--subnet-id"):
        refused = ipam(served, "leases", "list", named, "office", status=1)
        assert refused.stderr == "ipam: subnet: There is no subnet office\n"
    unknown = "0190b0a2-7d5e-7cc3-98c4-dc0c0c07398f"
    assert "not_found" in ipam(served, "leases", "list", "--subnet", unknown, status=1).stderr
    assert "expected NAME=VALUE" in ipam(served, "get", "leases", "--filter", "subnet_id", status=2).stderr
    refused = ipam(served, "leases", "list", "--filter", "colour=red", status=1)
    assert "colour: is not a query parameter of this operation" in refused.stderr
    assert "filters: ip, within, family, mac" in refused.stderr
    assert "must be a time" in ipam(served, "leases", "list", "--expires-before", "soon", status=2).stderr


def test_the_audit_trail_says_when_and_who(served: Served) -> None:
    ipam(served, "create", "prefixes", "cidr=10.0.0.0/16")
    head, made, *_ = ipam(served, "audit", "list").stdout.splitlines()
    assert head.split() == ["at", "token_name", "action", "object_type", "object", "remote_address"]
    assert made.split()[3:] == ["root", "created", "prefix", "10.0.0.0/16", "127.0.0.1"]
    assert made.startswith("20")
    assert "10.0.0.0/16" in ipam(served, "audit", "--since", "1 hour ago").stdout
    assert "10.0.0.0/16" not in ipam(served, "audit", "--until", "yesterday").stdout


def test_reservations_of_a_tenant(served: Served) -> None:
    """Without a subnet it holds in all of them; with one it is the subnet's."""
    command = ("create", "reservations", "mac=02:00:00:00:00:01", "--json")
    everywhere = json.loads(ipam(served, *command, "hostname=printer").stdout)
    assert (everywhere["subnet_id"], everywhere["ip"]) == (None, None)
    prefix = json.loads(ipam(served, "create", "prefixes", "cidr=10.0.0.0/16", "--json").stdout)
    subnet = json.loads(
        ipam(served, "create", "subnets", f"prefix_id={prefix['id']}", "cidr=10.0.0.0/24", "--json").stdout
    )
    profile = json.loads(ipam(served, *command, f"subnet_id={subnet['id']}", "ip=null").stdout)
    assert (profile["subnet_id"], profile["ip"]) == (subnet["id"], None)
    assert "printer" in ipam(served, "reservations", "list", "--mac", "02:00:00:00:00:01").stdout
    ipam(served, "delete", "reservations", everywhere["id"])
    ipam(served, "create", "excludes", "start_ip=192.0.2.1", status=2)


def test_explain(served: Served) -> None:
    """Of either family, by what the question says; a question that is none is refused by its field."""
    made = json.loads(ipam(served, "create", "prefixes", "cidr=10.0.0.0/16", "--json").stdout)
    ipam(served, "create", "subnets", f"prefix_id={made['id']}", "cidr=10.0.0.0/24")
    ipam(served, "create", "client-classes", "name=pxe", "vendor_class=PXEClient", "deny=true")
    ipam(served, "create", "trusted-relays", "cidr=10.0.0.1/32")
    asked = ("explain", "relay=10.0.0.1", "mac=02:00:00:00:00:01", "vendor_class=PXEClient:Arch")
    told = json.loads(ipam(served, *asked, "--json").stdout)
    assert told["drop_reason"] == "denied_class"
    assert told["classes"][0]["decided_by"]["seen"] == "PXEClient:Arch"
    told = ipam(served, *asked).stdout
    assert "denied_class" in told
    assert "pxe: yes, denied; vendor_class PXEClient saw PXEClient:Arch" in told
    ipam(served, "create", "pools", "subnet=10.0.0.0/24", "start_ip=10.0.0.9", "end_ip=10.0.0.9")
    told = ipam(served, *asked[:-1]).stdout
    assert "pxe: no; vendor_class PXEClient saw nothing" in told
    assert re.search(r"^address +10\.0\.0\.9 *$", told, re.MULTILINE)
    assert re.search(r"^ +subnet-mask \(1\): 255\.255\.255\.0   from subnet", told, re.MULTILINE)
    assert "{" not in told
    told = json.loads(ipam(served, "explain", "link_address=2001:db8::1", "duid=0003:01", "--json").stdout)
    assert told["drop_reason"] == "untrusted_relay"
    ipam(served, "create", "prefixes", "cidr=2001:db8::/48")
    ipam(served, "create", "subnets", "prefix=2001:db8::/48", "cidr=2001:db8::/64")
    ipam(served, "create", "trusted-relays", "cidr=2001:db8::1/128")
    ipam(served, "create", "options", "subnet=2001:db8::/64", "family=6", "code=23", "addresses=2001:db8::53")
    told = ipam(served, "explain", "link_address=2001:db8::1", "duid=0003:01", "requested_options=23").stdout
    assert re.search(r"^options .*dns-servers \(23\): 2001:db8::53 *$", told, re.MULTILINE)
    assert "relay" in ipam(served, "explain", "mac=02:00:00:00:00:01", status=1).stderr


def test_completion() -> None:
    for shell in ("bash", "zsh", "fish"):
        ran = subprocess.run([*IPAM, "completion", shell], capture_output=True, text=True, check=True)
        assert "_IPAM_COMPLETE" in ran.stdout


def test_names_are_those_of_the_api() -> None:
    document = json.loads(describe(HANDLERS))
    for family in FAMILIES:
        listed = document["paths"][f"/api/v1/{family}"]["get"]
        names = {each.get("name") for each in listed["parameters"]}
        assert set(FAMILIES[family].filters) <= names, family


def test_the_commands_load_no_database() -> None:
    code = "import sys; from api.cli import main, apply, objects; assert 'asyncpg' not in sys.modules"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_a_tenant_goes_by_its_name(served: Served) -> None:
    tenant = json.loads(ipam(served, "create", "tenants", "name=acme", "--json").stdout)
    fields = ["tokens", "name=x", "role=viewer"]
    for given in ("acme", tenant["id"]):
        made = json.loads(ipam(served, "create", *fields, f"tenant_id={given}", "--json").stdout)
        assert made["tenant_id"] == tenant["id"]
    unknown = ipam(served, "create", *fields, "tenant=nobody", status=1)
    assert "There is no tenant nobody" in unknown.stderr


def test_a_parent_that_is_left_empty_is_named(served: Served) -> None:
    refused = ipam(served, "create", "pools", "subnet_id=", "name=x", status=2)
    assert "subnet is empty: name a subnet" in refused.stderr


def test_the_values_of_a_template(served: Served, module_database: str) -> None:
    leaf = 'match={"option": 60, "exists": true}'
    made = json.loads(
        ipam(served, "create", "client-classes", "name=rack", "template=true", leaf, "--json").stdout
    )
    asyncio.run(bring(module_database, made["id"], b"r17"))
    values = "client-classes", "values", made["id"]
    assert "rack:r17" in ipam(served, *values).stdout
    found = json.loads(ipam(served, *values, "--json").stdout)
    assert (found["value"], found["packets"]) == ("r17", 3)
    assert "rack" not in ipam(served, *values, "--filter", "since=2100-01-01T00:00:00Z").stdout


async def bring(dsn: str, class_id: str, value: bytes) -> None:
    session = await connect(dsn)
    no = await session.fetchval("select no from client_class where id = $1", parse_id(class_id))
    await note_values(session, [(no, value, 3)])
    await session.close()


def test_an_option_is_made_below_whatever_parent_is_named(served: Served) -> None:
    phones = json.loads(
        ipam(served, "create", "client-classes", "name=phones", "vendor_class=x", "--json").stdout
    )
    fields = ["options", "code=15", 'payload={"string": "x"}']
    made = json.loads(ipam(served, "create", *fields, f"class_id={phones['id']}", "--json").stdout)
    assert made["class_id"] == phones["id"]
    refused = ipam(served, "create", *fields, status=2)
    assert "subnet=... or pool=... or reservation=... or class=... is required" in " ".join(
        refused.stderr.split()
    )


def test_a_zone_goes_by_its_network(served: Served) -> None:
    """The zone of the network is made, found and deleted."""
    made = json.loads(ipam(served, "create", "dns-zones", "name=10.50.0.0/16", "--json").stdout)
    assert made["name"] == "50.10.in-addr.arpa"
    shown = json.loads(ipam(served, "dns-zones", "show", "10.50.0.0/16", "--json").stdout)
    assert shown["id"] == made["id"]
    refused = ipam(served, "create", "dns-zones", "name=10.50.4.0/22", status=1).stderr
    assert "create 4.50.10.in-addr.arpa, 5.50.10.in-addr.arpa, " in refused
    assert "10.50.0.0 is an address" in ipam(served, "dns-zones", "show", "10.50.0.0", status=1).stderr
    ipam(served, "delete", "dns-zones", "10.50.0.0/16")


def test_an_option_for_the_api_is_no_field(served: Served) -> None:
    """`create webhooks` has a field of the same name."""
    wrong = ["create", "webhooks", "--url", served.url, "events=lease.granted"]
    assert (
        "--url is the address of the API: write the field as url=VALUE"
        in ipam(served, *wrong, status=2).stderr
    )
    assert "The option --url is the address of the API." in " ".join(
        ipam(served, "create", "webhooks", "--help").stdout.split()
    )
    made = ipam(served, *wrong, "url=https://hooks.example.net/x", "enabled=false")
    assert "hooks.example.net" in made.stdout
