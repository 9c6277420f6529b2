"""Objects by their names, lists as people read them, and errors that say all there is to say."""

import contextlib
import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.serving import Served, ipam
from click.shell_completion import ShellComplete

from api.cli import main
from api.cli.filter_help import meaning
from api.cli.help import FieldsCommand
from api.cli.objects import create_command, is_written, update_command
from api.cli.shapes import referred
from api.openapi.document import describe
from api.routes import HANDLERS
from ipam_core.model.families import FAMILIES

NARROW = {"FORCE_COLOR": "1", "COLUMNS": "80", "TZ": "Europe/Berlin"}
TABLE = re.compile(r"\x1b\[[0-9;]*m")


def made(served: Served, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ipam(served, "create", *arguments, "--json").stdout)
    return found


@pytest.fixture
def site(served: Served) -> Served:
    """A prefix, two subnets, a class, and in the first subnet a pool of that class and a reservation; all by name."""
    ipam(served, "create", "prefixes", "cidr=10.40.0.0/16")
    for number, name in ((10, "office"), (9, "guests")):
        cidr = f"cidr=10.40.{number}.0/24"
        ipam(served, "create", "subnets", "prefix=10.40.0.0/16", cidr, f"name={name}", "relay_addresses=")
    ipam(served, "create", "client-classes", "name=pxe-uefi", "vendor_class=PXEClient")
    ends = ("start_ip=10.40.10.100", "end_ip=10.40.10.199")
    ipam(served, "create", "pools", "subnet=10.40.10.0/24", "name=desks", *ends, "class=pxe-uefi")
    keys = ("mac=02:00:00:00:00:01", "hostname=printer", "ip=10.40.10.20")
    ipam(served, "create", "reservations", "subnet=office", *keys)
    return served


def test_objects_are_found_by_what_people_call_them(site: Served) -> None:
    for name in ("10.40.10.0/24", "office", "10.40.10.77"):
        assert "10.40.0.0/16 (" in ipam(site, "subnets", "show", name).stdout, name
    for name in ("10.40.10.20", "02-00-00-00-00-01", "printer"):
        assert "10.40.10.20" in ipam(site, "reservations", "show", name).stdout, name
    for name in ("desks", "10.40.10.100", "10.40.10.150"):
        assert "pxe-uefi (" in ipam(site, "get", "pools", name).stdout, name
    for filters in (("--subnet", "10.40.10.0/24"), ("--subnet", "office"), ("--class", "pxe-uefi")):
        assert "desks" in ipam(site, "pools", *filters).stdout
    assert "desks" not in ipam(site, "pools", "--subnet", "guests").stdout
    ipam(site, "subnets", "update", "10.40.9.0/24", "name=visitors", "ntp_servers=10.40.9.1,10.40.9.2")
    told = json.loads(ipam(site, "subnets", "show", "visitors", "--json").stdout)
    assert told["ntp_servers"] == ["10.40.9.1", "10.40.9.2"]
    assert "10.40.9.1,10.40.9.2" in ipam(site, "subnets", "show", "visitors").stdout
    assert ipam(site, "subnets", "delete", "visitors").stdout == "deleted subnet 10.40.9.0/24 visitors\n"


def test_an_option_is_named_by_its_code_and_its_place(site: Served) -> None:
    for place in ("subnet=office", "subnet=guests"):
        option = made(site, "options", place, "code=domain-name-servers", "addresses=10.40.10.1,10.40.10.2")
        assert (option["code"], option["payload"]) == (6, {"addresses": ["10.40.10.1", "10.40.10.2"]})
    ipam(site, "create", "global-options", "code=15", "string=example.net")
    both = ("options", "code=domain-search", "names=example.net")
    everywhere = ("create", "options", "class=pxe-uefi", *both[1:])
    assert "is 119 of DHCPv4 and 24 of DHCPv6. Add family=" in ipam(site, *everywhere, status=2).stderr
    assert made(site, *both, "subnet=office")["code"] == 119, "the subnet has a family"
    assert made(site, "options", "class=pxe-uefi", "code=26", "value=1400")["payload"] == {"value": 1400}
    several = ipam(site, "options", "show", "6", status=1).stderr
    assert several.startswith("ipam: '6' may be any of several options: 6 (IPv4, subnet 10.40.10.0/24, id ")
    assert several.endswith("; add --subnet, or use the id\n")
    ipam(site, "options", "update", "6", "--subnet", "office", "always_send=yes")
    rows = ipam(site, "options", "--code", "6", "--columns", "code,subnet,always_send").stdout.splitlines()
    assert [row.split() for row in rows[1:]] == [["6", "10.40.10.0/24", "yes"], ["6", "10.40.9.0/24", "no"]]
    ipam(site, "global-options", "update", "15", 'payload={"string": "example.org"}')
    assert "example.org" in ipam(site, "global-options", "show", "15").stdout


def test_an_option_is_changed_and_deleted_by_its_name_and_scope(site: Served) -> None:
    """Named as people call it, in the scope that the refusal of an ambiguous name lists."""
    for place in ("subnet=office", "subnet=guests", "class=pxe-uefi"):
        ipam(site, "create", "options", place, "code=42", "family=4", "addresses=10.40.10.1")
    ipam(site, "create", "global-options", "code=42", "addresses=10.40.10.2")
    several = ipam(site, "rm", "option", "ntp", status=1).stderr
    for scope in ("subnet 10.40.10.0/24", "subnet 10.40.9.0/24", "class pxe-uefi", "global, tenant default"):
        assert f"42 (IPv4, {scope}, id " in several
    assert several.endswith("; add --subnet or --class or --global, or use the id\n")
    ipam(site, "set", "option", "ntp-servers", "--subnet", "office", "value=10.40.10.9")
    shown = ipam(site, "options", "show", "ntp", "--subnet", "office", "--json").stdout
    assert json.loads(shown)["payload"] == {"addresses": ["10.40.10.9"]}
    for scope in (("--global",), ("--class", "pxe-uefi"), ("--subnet", "10.40.9.0/24")):
        ipam(site, "delete", "option", "42", *scope)
    assert ipam(site, "options", "--code", "42", "--columns", "subnet").stdout.split()[1:] == [
        "10.40.10.0/24"
    ]


def test_an_ambiguous_name_lists_where_each_object_is(site: Served) -> None:
    for start in ("10.40.10.200", "10.40.9.200"):
        ipam(site, "create", "pool", "spare", f"{start}-209")
    several = ipam(site, "pools", "delete", "spare", status=1).stderr
    assert "spare (10.40.9.200-10.40.9.209, subnet 10.40.9.0/24, id " in several
    assert several.endswith(" or its id\n")
    ipam(site, "subnets", "update", "guests", "name=office")
    several = ipam(site, "show", "subnet", "office", status=1).stderr
    assert "10.40.10.0/24 (tenant default, id " in several
    assert re.search(r"; use 10\.40\.(9|10)\.0/24 or its id$", several)


def test_a_network_is_not_changed_by_an_address_in_it(site: Served) -> None:
    for verb in (("update", "name=x"), ("delete",)):
        refused = ipam(site, "subnets", verb[0], "10.40.10.77", *verb[1:], status=1)
        assert "There is no subnet 10.40.10.77" in refused.stderr


def test_none_and_several_of_a_name_are_errors(site: Served) -> None:
    unknown = ipam(site, "create", "pools", "subnet=attic", "class=toasters", "start_ip=10.40.10.1", status=1)
    assert unknown.stderr == (
        "ipam: subnet: There is no subnet attic\nclass: There is no client class toasters\n"
    )
    bits = ipam(site, "subnets", "show", "10.40.10.7/24", status=1).stderr
    assert "has host bits set; the network is 10.40.10.0/24" in bits
    ipam(site, "create", "tenants", "name=acme")
    ipam(site, "create", "prefixes", "cidr=10.40.0.0/16", "tenant=acme")
    several = ipam(site, "subnets", "--prefix", "10.40.0.0/16", status=1).stderr
    assert "10.40.0.0/16 (tenant acme, id " in several
    assert several.endswith("choose one with --tenant\n")
    assert "office" not in ipam(site, "subnets", "--prefix", "10.40.0.0/16", "--tenant", "acme").stdout
    assert "acme (" in ipam(site, "prefixes", "show", "10.40.0.0/16", "--tenant", "acme").stdout
    ours = made(site, "subnets", "prefix=10.40.0.0/16", "cidr=10.40.1.0/24", "--tenant", "acme")
    assert (
        ours["prefix_id"]
        == made(site, "subnets", "prefix=10.40.0.0/16", "cidr=10.40.2.0/24", "tenant=acme")["prefix_id"]
    )
    assert (
        "cannot get 'subnts': there is no such family; did you mean subnets?"
        in ipam(site, "get", "subnts", status=2).stderr
    )


def test_a_table_fits_80_columns_and_breaks_no_address(site: Served) -> None:
    cidrs = [f"100.100.{number}.128/25" for number in range(100, 104)]
    ipam(site, "create", "prefixes", "cidr=100.100.0.0/16")
    for cidr in cidrs:
        gateway = f"gateway={cidr.removesuffix('128/25')}129"
        name = "name=guests of the second floor, south wing"
        ipam(site, "create", "subnets", "prefix=100.100.0.0/16", f"cidr={cidr}", gateway, name)
    lines = TABLE.sub("", ipam(site, "subnets", **NARROW).stdout).splitlines()
    assert max(map(len, lines)) <= 80
    for cidr in cidrs:
        (line,) = [line for line in lines if line.startswith(cidr)]
        assert re.search(r" yes( +(\d\.\d%|not counted))? *$", line), line
    assert "-" not in lines[1].split()[0]
    audit = TABLE.sub("", ipam(site, "audit", **NARROW).stdout).splitlines()
    assert max(map(len, audit)) <= 80
    assert re.match(
        r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \w+ root +created +subnet +100\.100\.103\.128/25", audit[1]
    )
    wide = ipam(site, "subnets", "--wide", **NARROW).stdout
    assert all(re.search(rf"[0-9a-f-]{{36}} {re.escape(cidr)} ", wide) for cidr in cidrs)
    narrow = ipam(site, "prefixes", "--columns", "id,cidr,created_at,updated_at", **NARROW)
    assert "columns not shown: updated_at" in narrow.stderr


def test_lists_as_they_are_asked_for(site: Served) -> None:
    def cidrs(*told: str) -> list[str]:
        return ipam(site, "subnets", *told, "--columns", "cidr").stdout.split()[1:]

    assert cidrs("--sort", "cidr") == ["10.40.9.0/24", "10.40.10.0/24"]
    assert cidrs("--sort", "-created_at") == ["10.40.9.0/24", "10.40.10.0/24"]
    assert cidrs("--sort", "created_at") == ["10.40.10.0/24", "10.40.9.0/24"]
    ipam(site, "subnets", "update", "guests", "gateway=10.40.9.1")
    assert cidrs("--sort", "-gateway") == cidrs("--sort", "gateway") == ["10.40.9.0/24", "10.40.10.0/24"]
    (row,) = csv.DictReader(io.StringIO(ipam(site, "reservations", "--csv").stdout))
    assert (row["ip"], row["hostname"], row["prefix"]) == ("10.40.10.20", "printer", "")
    assert row["created_at"].endswith("Z")
    told = ipam(site, "pools", "--columns", "name,class", "--csv").stdout
    assert told == "name,class\ndesks,pxe-uefi\n"
    assert json.loads(ipam(site, "pools", "--columns", "name,class", "--json").stdout) == {
        "name": "desks",
        "class": "pxe-uefi",
    }
    for option in ("--sort", "--columns"):
        assert (
            "there is no column 'colour'; choose from id, "
            in ipam(site, "subnets", option, "colour", status=2).stderr
        )
    assert cidrs("--dhcp-enabled", "yes") == cidrs()
    assert cidrs("--dhcp-enabled", "no") == []


def test_names_of_clients_do_not_speak_to_the_terminal(site: Served) -> None:
    ipam(site, "prefixes", "update", "10.40.0.0/16", "description=[red]\x1b[2J")
    assert "[red]\\x1b[2J" in ipam(site, "prefixes").stdout


def test_all_faults_of_an_object_are_told_at_once(site: Served) -> None:
    wrong = ("cidr=10.40.11.0", "ddns_adapter=bind", "lease_time_seconds=soon", "gatway=10.40.11.1")
    refused = ipam(site, "create", "subnets", "prefix=10.40.0.0/16", *wrong, status=1).stderr
    head, *faults = refused.splitlines()
    assert head.startswith("ipam: 4 faults (422 validation_error, request ")
    assert sorted(faults) == [
        "  cidr: must be a network in CIDR notation, such as 192.0.2.0/24",
        "  ddns_adapter: invalid enum value 'bind'; allowed: ad_gsstsig, bind_tsig, embedded, powerdns_http",
        "  gatway: there is no such field; did you mean gateway?",
        "  lease_time_seconds: 'soon' is no duration. Use 1h, 7d, 90m or seconds.",
    ]
    one = ipam(site, "update", "pools", "desks", "allocation=random", status=1).stderr
    assert one.startswith("ipam: allocation: invalid enum value 'random'; allowed: hashed, sequential (422 ")
    pairs = ipam(site, "create", "subnets", "cidr", "=x", status=2).stderr
    assert "'cidr', '=x': expected NAME=VALUE" in pairs


def test_what_stands_below_is_told_with_the_mend(site: Served) -> None:
    refused = ipam(site, "delete", "prefixes", "10.40.0.0/16", status=1).stderr
    assert "  children: subnets 2\n" in refused
    assert "--cascade" in refused


def test_a_wrong_address_or_token_is_told_with_the_mend(served: Served) -> None:
    nobody = ipam(served, "subnets", status=1, IPAM_API_TOKEN="")
    assert "set IPAM_API_TOKEN" in nobody.stderr
    wrong = ipam(served, "subnets", "--token", "ipam_live_x", status=1)
    assert "know the token from IPAM_API_TOKEN, IPAM_TOKEN_FILE or the command line" in wrong.stderr
    bare = served.url.removesuffix("/api/v1")
    lost = ipam(served, "subnets", "--url", bare, status=1)
    assert f"the address {bare} lacks /api/v1: set IPAM_API_URL={bare}/api/v1" in lost.stderr


def test_values_are_typed_as_people_write_them(served: Served) -> None:
    token = made(
        served,
        "tokens",
        "name=7",
        "role=viewer",
        "expires_at=in 2 days",
        "allowed_cidrs=10.0.0.0/8",
        "allowed_cidrs=127.0.0.0/8",
    )
    assert (token["name"], token["allowed_cidrs"]) == ("7", ["10.0.0.0/8", "127.0.0.0/8"])
    ipam(served, "tokens", "delete", "7")
    hook = made(
        served, "webhooks", "url=https://hooks.example/", "events=lease.*,pool.exhausted", "enabled=no"
    )
    assert (hook["events"], hook["enabled"]) == (["lease.*", "pool.exhausted"], False)
    ipam(served, "webhooks", "delete", "https://hooks.example/")
    ipam(served, "create", "prefixes", "cidr=10.0.0.0/16")
    subnet = made(
        served, "subnets", "prefix=10.0.0.0/16", "cidr=10.0.0.0/24", "cache_threshold=25%", "ddns_ttl=60"
    )
    assert (subnet["cache_threshold"], subnet["ddns_ttl"]) == (0.25, 60)
    labels = ("vlan_id=30", "tags=lab,east", "custom.owner=network", "custom.rack=7")
    told = json.loads(ipam(served, "update", "subnets", "10.0.0.0/24", *labels, "--json").stdout)
    assert (told["tags"], told["custom"]) == (["lab", "east"], {"owner": "network", "rack": 7})
    for filters in (
        ("--vlan-id", "30"),
        ("--tag", "lab", "--filter", "tag=east"),
        ("--filter", "custom.owner=network"),
    ):
        assert "10.0.0.0/24" in ipam(served, "subnets", *filters).stdout
    ipam(served, "update", "subnets", "10.0.0.0/24", "custom.rack=null")
    assert "10.0.0.0/24" not in ipam(served, "subnets", "--filter", "custom.rack=7").stdout
    cleared = ipam(served, "update", "subnets", "10.0.0.0/24", "ddns_ttl=null", "name=", "--json").stdout
    assert json.loads(cleared)["ddns_ttl"] is None


@pytest.mark.parametrize("family", sorted(name for name, each in FAMILIES.items() if is_written(each)))
def test_help_lists_the_fields_of_the_api(family: str) -> None:
    """Those of the document of the API, whatever it says of them."""
    document = json.loads(describe(HANDLERS))
    found = FAMILIES[family]
    place = (
        found.name
        if not found.above or found.alone
        else f"{found.above[0]}/{{{found.parents[0].key}}}/{found.below or family}"
    )
    for method, path, command in (
        ("post", place, create_command(found)),
        ("patch", f"{found.items.name}/{{id}}", update_command(found)),
    ):
        body = document["paths"][f"/api/v1/{path}"][method]["requestBody"]["content"]["application/json"]
        schema = document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
        assert isinstance(command, FieldsCommand)
        taken = {*command.model.__struct_encode_fields__, *command.places}
        assert taken == {*schema["properties"], *(parent.key for parent in found.parents if method == "post")}


def test_help_says_kind_default_and_meaning(served: Served) -> None:
    told = " ".join(ipam(served, "create", "options", "--help", COLUMNS="80").stdout.split())
    assert "subnet name of a subnet; the parent of the new object; one of these is required" in told
    assert "family 4 | 6" in told
    told = " ".join(ipam(served, "subnets", "create", "--help").stdout.split())
    assert "cidr cidr; required. Network without host bits, " in told
    assert "ntp_servers list of ip-address, separated by commas. " in told
    assert "lease_time_seconds duration: 1h, 7d, 90m or seconds; default 1d. " in told
    assert "dhcp_enabled yes | no; default yes. " in told
    assert "OPTION a DHCP option by name: dns=10.0.0.5" in told
    told = " ".join(ipam(served, "pools", "create", "--help").stdout.split())
    assert "range both ends, instead of start_ip and end_ip: range=10.0.0.10-10.0.0.99" in told


def test_the_table_of_families_has_the_filters_of_the_api() -> None:
    document = json.loads(describe(HANDLERS))
    for family in FAMILIES.values():
        parameters = document["paths"][f"/api/v1/{family.name}"]["get"]["parameters"]
        told = {
            each["name"]: each["schema"] for each in parameters if "name" in each and each["in"] == "query"
        }
        orders = told.pop("sort", {}).get("enum", ())
        assert set(family.filters) == set(told) - {"limit", "cursor", "raw", "custom.NAME"}, family.name
        assert set(family.names) <= set(told), family.name
        assert set(family.sorts) == {order.removeprefix("-") for order in orders}, family.name


def test_the_help_of_each_filter_has_its_kind_and_its_values() -> None:
    """The few values of the document of the API; no filter is described by its name alone."""
    document = json.loads(describe(HANDLERS))
    for family in FAMILIES.values():
        for each in document["paths"][f"/api/v1/{family.name}"]["get"]["parameters"]:
            name, schema = each.get("name"), each.get("schema", {})
            if each.get("in") != "query" or name not in family.filters or referred(name):
                continue
            told = meaning(family.name, name)
            assert told.value not in ("VALUE", ""), (family.name, name)
            for value in schema.get("enum", ()):
                assert str(value) in told.text + told.value, (family.name, name)
            assert (told.value == "yes|no") == (schema.get("type") == "boolean"), (family.name, name)


def test_shells_complete_verbs_and_families() -> None:
    completing = ShellComplete(main, {}, "ipam", "_IPAM_COMPLETE")
    for before, begun, wanted in (
        ([], "sub", "subnets"),
        (["create"], "sub", "subnets"),
        (["subnets"], "sh", "show"),
    ):
        assert wanted in [found.value for found in completing.get_completions(before, begun)]


@pytest.mark.parametrize(
    ("cidr", "option", "told"),
    [
        ("10.40.9.0/24", "dns-servers", "dns-servers, which is 23 of DHCPv6. Use domain-name-servers (6)."),
        ("10.40.9.0/24", "ntp-server", "Use ntp-servers (42)."),
        ("10.40.9.0/24", "bootfile-url", "Use boot-file-name (67)."),
        ("fd00:40::/64", "ntp-servers", "ntp-servers, which is 42 of DHCPv4. Use ntp-server (56)."),
        ("fd00:40::/64", "domain-name-servers", "Use dns-servers (23)."),
        ("fd00:40::/64", "www-server", "DHCPv6 has no option www-server, which is 72 of DHCPv4."),
    ],
)  # fmt: skip
def test_an_options_name_is_of_the_family_of_its_subnet(
    site: Served, cidr: str, option: str, told: str
) -> None:
    with contextlib.suppress(AssertionError):  # the case before has made it
        ipam(site, "create", "prefixes", "cidr=fd00:40::/48")
        ipam(site, "create", "subnets", "prefix=fd00:40::/48", "cidr=fd00:40::/64")
    refused = ipam(site, "create", "options", f"subnet={cidr}", f"code={option}", "hex=00", status=2)
    assert told in refused.stderr


def test_a_name_of_both_families_is_that_of_the_subnets(site: Served) -> None:
    ipam(site, "create", "prefixes", "cidr=fd00:41::/48")
    ipam(site, "create", "subnets", "prefix=fd00:41::/48", "cidr=fd00:41::/64")
    assert (
        made(site, "options", "subnet=fd00:41::/64", "code=domain-search", "names=example.net")["code"] == 24
    )


def test_the_first_few_of_a_list(site: Served) -> None:
    """In the order of the list or of a column; paging is no filter."""
    for host in (31, 32):
        ipam(
            site,
            "create",
            "reservations",
            "subnet=office",
            f"ip=10.40.10.{host}",
            f"mac=02:00:00:00:00:{host}",
        )
    everything = ipam(site, "reservations", "--columns", "ip").stdout.splitlines()[1:]
    assert len(everything) > 1
    assert (
        ipam(site, "reservations", "--limit", "1", "--columns", "ip").stdout.splitlines()[1:]
        == everything[:1]
    )
    by_ip = ("reservations", "list", "--sort", "-ip", "--columns", "ip")
    last = ipam(site, *by_ip).stdout.splitlines()[1]
    assert ipam(site, *by_ip, "--limit", "1").stdout.splitlines()[1:] == [last]
    for word in ("limit=2", "cursor=x"):
        refused = ipam(site, "reservations", "--filter", word, status=2).stderr
        assert "is no filter: all pages are read. Use --limit N" in refused


def test_a_new_object_is_placed_by_its_address(site: Served) -> None:
    """Where exactly one prefix or subnet contains it; otherwise the refusal names the field."""
    assert made(site, "subnets", "cidr=10.40.77.0/24")["prefix_id"]
    pool = made(site, "pools", "start_ip=10.40.77.10", "end_ip=10.40.77.19")
    reservation = made(site, "reservations", "ip=10.40.77.5", "mac=02:00:00:00:77:05")
    assert pool["subnet_id"] == reservation["subnet_id"]
    refused = ipam(site, "create", "subnets", "cidr=172.31.0.0/24", status=1).stderr
    assert "prefix: is required" in refused
    assert (
        "subnet=... is required" in ipam(site, "create", "excludes", "start_ip=172.31.0.1", status=2).stderr
    )


def test_a_family_is_listed_behind_a_settings_file(site: Served, tmp_path: Path) -> None:
    settings = tmp_path / "ipam.toml"
    settings.write_text("")
    for told in (("--config", str(settings)), (f"--config={settings}",)):
        assert "10.40.10.20" in ipam(site, "reservations", *told).stdout
