"""Values and refusals of the command line against a served API: units, ranges, options by name, the next address."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.serving import Served, ipam

import api.cli
from api.cli.fields import number
from api.cli.filter_help import CHOICES
from ipam_core.model.families import FAMILIES


@pytest.fixture
def lab(served: Served) -> Served:
    """10.60.1.0/24 named lab in 10.60.0.0/16."""
    ipam(served, "create", "prefix", "10.60.0.0/16")
    ipam(served, "add", "subnet", "10.60.1.0/24", "lab", "--gateway", "10.60.1.1", "--vlan", "20")
    return served


def shown(served: Served, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ipam(served, *words, "--json").stdout)
    return found


def test_a_subnet_is_changed_with_units_flags_and_options_at_once(lab: Served) -> None:
    """Fields and options are one request: a refused option leaves the fields as they were."""
    assert shown(lab, "show", "subnet", "lab")["vlan_id"] == 20
    told = ("lease-time=90m", "ddns=on", "dns=10.60.1.5,10.60.1.6", "domain-name=lab.example")
    ipam(lab, "set", "subnet", "lab", *told)
    subnet = shown(lab, "subnets", "show", "lab")
    assert (subnet["lease_time_seconds"], subnet["ddns_enabled"]) == (5400, True)
    dns = shown(lab, "options", "show", "dns", "--subnet", "lab")
    assert (dns["code"], dns["payload"]) == (6, {"addresses": ["10.60.1.5", "10.60.1.6"]})
    assert shown(lab, "options", "show", "domain", "--subnet", "10.60.1.0/24")["payload"] == {
        "string": "lab.example"
    }
    refused = ipam(lab, "set", "subnet", "lab", "lease-time=1h", "dns=nowhere", status=1).stderr
    assert "nowhere" in refused
    assert shown(lab, "subnets", "show", "lab")["lease_time_seconds"] == 5400
    ipam(lab, "set", "subnet", "lab", "dns=10.60.1.7")
    assert shown(lab, "options", "show", "6", "--subnet", "lab")["id"] == dns["id"]
    would = ipam(lab, "set", "subnet", "lab", "dns=null", "--dry-run")
    assert "would be changed" in would.stderr
    ipam(lab, "set", "subnet", "lab", "dns=null")
    assert "There is no option dns" in ipam(lab, "options", "show", "dns", "--subnet", "lab", status=1).stderr


def test_a_new_subnet_has_its_options_or_is_not_created(lab: Served) -> None:
    ipam(lab, "add", "subnet", "10.60.2.0/24", "dns=10.60.2.5")
    assert shown(lab, "options", "show", "dns", "--subnet", "10.60.2.0/24")["code"] == 6
    ipam(lab, "add", "subnet", "10.60.3.0/24", "dns=nowhere", status=1)
    assert "There is no subnet" in ipam(lab, "show", "subnet", "10.60.3.0/24", status=1).stderr
    wrong = ipam(lab, "add", "subnet", "10.60.3.0/24", "ntp-server=10.60.3.5", status=2)
    assert "Use ntp-servers (42)." in wrong.stderr
    routes = ipam(lab, "set", "subnet", "lab", "classless-static-route=10.0.0.0/8", status=2)
    assert "this option takes a payload: ipam create options code=121 payload=JSON" in routes.stderr


def test_ranges_and_the_next_address(lab: Served) -> None:
    pool = shown(lab, "create", "pool", "subnet=lab", "name=desks", "range=10.60.1.100-199")
    assert (pool["start_ip"], pool["end_ip"]) == ("10.60.1.100", "10.60.1.199")
    exclude = shown(lab, "exclude", "add", "10.60.1.2")
    assert (exclude["start_ip"], exclude["end_ip"]) == ("10.60.1.2", "10.60.1.2")
    reservation = shown(lab, "add", "reservation", "subnet=lab", "ip=next", "mac=02-00-00-00-60-01")
    assert reservation["ip"].startswith("10.60.1.")
    assert shown(lab, "reserve", "10.60.1.20", "02:00:00:00:60:02")["ip"] == "10.60.1.20"
    subnet = shown(lab, "next", "10.60.0.0/16", "/26")
    assert subnet["cidr"].endswith("/26")
    assert "give the prefix length" in ipam(lab, "next", "10.60.0.0/16", status=2).stderr


def test_next_is_an_address_of_the_subnet(lab: Served) -> None:
    """And neither a host of that name nor an address of no subnet."""
    made = shown(lab, "add", "reservation", "lab", "next", "02:00:00:00:00:50")
    assert made["ip"].startswith("10.60.1.")
    assert made["hostname"] is None
    assert shown(lab, "add", "assignment", "lab", "next", "camera")["ip"].startswith("10.60.1.")
    for words in (("next",), ("ip=next",)):
        refused = ipam(lab, "add", "reservation", *words, "02:00:00:00:00:51", status=2).stderr
        assert "the next free address needs a subnet, such as subnet=lab" in refused
    ipam(lab, "add", "subnet", "10.60.4.0/24", "name=next")
    refused = ipam(lab, "add", "reservation", "next", "02:00:00:00:00:51", status=2).stderr
    assert "write ip=next or subnet=next" in refused
    made = shown(lab, "add", "reservation", "subnet=next", "ip=next", "02:00:00:00:00:51")
    assert made["ip"].startswith("10.60.4.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("deliveries list --state foo", "state: 'foo' is not valid. Use pending, delivered, failed or dead."),
        ("leases --state activ", "Use active, released, expired, revoked, declined or registered."),
        ("nodes --role dhcp4", "Use api, dhcp, dhcp6, dns or worker."),
        ("subnets --family 5", "family: '5' is not valid. Use 4 or 6."),
        ("subnets --filter dhcp_enabled=maybe", "dhcp_enabled: 'maybe' is not valid. Use yes or no."),
        ("trusted-relays unknown --family v4", "Use 4 or 6."),
        ("audit --action made", "Use created, updated or deleted."),
        ("notifications --kind sms", "Use slack, teams, mattermost, ntfy or mail."),
    ],
)
def test_a_filter_with_few_values_refuses_others(lab: Served, words: str, told: str) -> None:
    """Exit status 2, like an option with a wrong choice."""
    assert told in " ".join(ipam(lab, *words.split(), status=2).stderr.split())


@pytest.mark.parametrize(("family", "name"), sorted(CHOICES))
def test_the_values_of_a_filter_are_those_of_the_api(lab: Served, family: str, name: str) -> None:
    for value in CHOICES[family, name].split():
        ipam(lab, family, "--filter", f"{name}={value}")


def test_sentences_have_acronyms_in_capitals() -> None:
    """The table of families is the home of all nouns; no sentence makes its own of a name."""
    found = {
        FAMILIES[name].label: FAMILIES[name].many for name in ("dns-zones", "dns-servers", "ddns-updates")
    }
    assert found == {"DNS zone": "DNS zones", "DNS server": "DNS servers", "DNS update": "DNS updates"}
    making = re.compile(r"""replace\(["'][-_]["'], " "\)|\.title\(\)|\.capitalize\(\)""")
    folder = Path(api.cli.__file__).parent
    assert [path.name for path in folder.rglob("*.py") if making.search(path.read_text())] == [
        "report_page.py"
    ]


def test_a_word_that_names_a_subnet_is_no_host(lab: Served) -> None:
    made = shown(lab, "add", "reservation", "lab", "10.60.1.140", "02:00:00:00:00:40")
    assert (made["ip"], made["hostname"]) == ("10.60.1.140", None)
    made = shown(lab, "add", "reservation", "desk", "lab", "02:00:00:00:00:41")
    assert made["hostname"] == "desk"
    made = shown(lab, "add", "reservation", "hostname=lab", "10.60.1.142", "02:00:00:00:00:42")
    assert made["hostname"] == "lab"
    ipam(lab, "set", "subnet", "lab", "name=LAB")  # which looks like the type of a record
    assert shown(lab, "add", "reservation", "LAB", "10.60.1.143", "02:00:00:00:00:43")["hostname"] is None
    ipam(lab, "set", "subnet", "LAB", "name=lab")
    made = shown(lab, "reserve", "10.60.1.144", "02:00:00:00:00:44", "lab")
    assert (made["ip"], made["hostname"]) == ("10.60.1.144", None)
    assert shown(lab, "add", "pool", "lab", "10.60.1.200-220")["name"] == ""
    assert "expected NAME=VALUE" in ipam(lab, "add", "reservation", "10.60.1.9", "x y", status=2).stderr


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("lease-time=soon", "lease_time_seconds: 'soon' is no duration. Use 1h, 7d, 90m or seconds."),
        ("lease-time=0", "lease_time_seconds: must be at least 1 second ("),
        ("lease-time=1e3", "'1e3' is no duration. Use 1h, 7d, 90m or seconds."),
        ("lease-time=1h1h", "'1h1h' is no duration"),
        ("lease-time=30m1h", "'30m1h' is no duration"),
        ("lease-time=-1h", "'-1h' is no duration"),
        ("lease-time=-5", "'-5' is no duration"),
        ("lease-time=0.5s", "'0.5s' is no duration"),
        ("lease-time=\uff11h", "'\uff11h' is no duration"),
        ("vlan=1e1", "vlan_id: '1e1' is not valid. Use a whole number."),
        ("vlan=010", "vlan_id: '010' is not valid"),
        ("vlan=\uff11", "vlan_id: '\uff11' is not valid"),
        ("dhcp=2", "dhcp_enabled: 2 is not valid. Use yes or no."),
        ("interface-mtu=1e3", "payload.value"),
        ("vlan=abc", "vlan_id: 'abc' is not valid. Use a whole number."),
        ("vlan=5000", "vlan_id: must be at most 4094"),
        ("ddns=maybe", "ddns_enabled: 'maybe' is not valid. Use yes or no."),
        ("ddns-dns-server=nowhere", "ddns_dns_server: There is no DNS server nowhere"),
        ("gatway=10.60.1.1", "gatway: there is no such field; did you mean gateway?"),
    ],
)
def test_a_refusal_has_unit_and_fix(lab: Served, field: str, told: str) -> None:
    assert told.lower() in ipam(lab, "set", "subnet", "lab", field, status=1).stderr.lower()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["name=a", "name=b"], "name is given twice. Give each field once."),
        (["lease=1h", "name=a", "lease_time_seconds=2h"], "given twice, as lease and lease_time_seconds."),
        (["--gateway", "10.60.1.1", "gateway=10.60.1.2"], "gateway is given twice."),
        (["custom.owner=a", "custom={}"], "custom.owner is given together with custom."),
        (["mtu=1400", "mtu=1500"], "mtu is given twice."),
        (["dns=10.60.1.5", "domain-name-servers=10.60.1.6"], "dns and domain-name-servers are the same"),
    ],
)
def test_a_field_is_given_once(lab: Served, words: list[str], told: str) -> None:
    """The last value won, silently; of two texts a list was made."""
    assert told in " ".join(ipam(lab, "set", "subnet", "lab", *words, status=2).stderr.split())


def test_a_list_may_be_given_one_by_one(lab: Served) -> None:
    ipam(lab, "set", "subnet", "lab", "tags=a", "tags=b", "dns=10.60.1.5", "dns=10.60.1.6", "lease-time=1.5h")
    subnet = shown(lab, "subnets", "show", "lab")
    assert (subnet["tags"], subnet["lease_time_seconds"]) == (["a", "b"], 5400)
    dns = shown(lab, "options", "show", "dns", "--subnet", "lab")
    assert dns["payload"] == {"addresses": ["10.60.1.5", "10.60.1.6"]}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "add pool lab range=10.60.1.100-\uff11\uff19\uff19",
            "is no range. Use 10.0.0.10-10.0.0.99, 10.0.0.10-99",
        ),
        ("add pool lab range=desks", "range: 'desks' is no range."),
        ("add pool lab range=10.60.1.100-120 start_ip=10.60.1.90", "range is given together with start_ip."),
        ("next 10.60.0.0/16 /24 --length 25", "the prefix length is given twice: 25 and /24."),
        ("next 10.60.0.0/16 /\uff12\uff14", "give the prefix length of the new subnet"),
        ("history 10.60.1.1 --since \uff12_hours_ago", "must be a time such as yesterday"),
    ],
)
def test_a_value_with_other_digits_or_twice_is_refused(lab: Served, words: str, told: str) -> None:
    assert told in " ".join(
        ipam(lab, *(word.replace("_hours_", " hours ") for word in words.split()), status=2).stderr.split()
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("50%", 0.5), ("5 %", 0.05), ("0.5", 0.5), ("nan%", "nan%"), ("1e-1", "1e-1"), ("\uff15%", "\uff15%")],
)
def test_percentages(text: str, value: float | str) -> None:
    assert number(text, {}) == value


def test_a_refusal_of_the_api_has_the_names_of_the_command_line(lab: Served) -> None:
    """Fields without _id, and options in place of parameters."""
    refused = ipam(lab, "add", "assignment", "hostname=printer", status=1).stderr
    assert "subnet for the next free address" in refused
    assert "subnet_id" not in refused
    assert "no prefix contains 172.31.0.0/24. Create one first" in " ".join(
        ipam(lab, "add", "subnet", "172.31.0.0/24", status=1).stderr.split()
    )


def test_a_name_alone_shows_an_object_or_what_is_in_a_subnet(lab: Served) -> None:
    ipam(lab, "add", "pool", "desks", "10.60.1.100-199")
    ipam(lab, "add", "class", "name=lab", "vendor-class=Lab")
    assert "10.60.1.1" in ipam(lab, "subnets", "lab").stdout
    assert "10.60.1.100" in ipam(lab, "pools", "lab").stdout
    assert "10.60.1.199" in ipam(lab, "show", "desks").stdout
    both = ipam(lab, "show", "lab", status=1).stderr
    assert "ipam subnets show 10.60.1.0/24, ipam client-classes show lab" in both
    typo = ipam(lab, "subnets", "lst", status=1).stderr
    assert "There is no subnet lst; did you mean list?" in typo
    assert (
        "There is no object nothing. Find it with: ipam search nothing"
        in ipam(lab, "show", "nothing", status=1).stderr
    )
    columns = ipam(lab, "get", "subnets", "lab", "--columns", "cidr,vlan_id").stdout.split()
    assert columns == ["cidr", "vlan_id", "10.60.1.0/24", "20"]


def test_a_node_that_is_not_there_is_answered_with_those_that_are(lab: Served) -> None:
    assert re.search(r"name a node; there is (none|\S+)", ipam(lab, "drain", status=2).stderr)
    assert (
        "There is no tenant acme; there is default" in ipam(lab, "tenants", "show", "acme", status=1).stderr
    )


def test_tokens_are_one_command(lab: Served) -> None:
    made = ipam(lab, "token", "create", "name=ci", "role=viewer", "expires=in 2 days").stdout
    assert "ipam_live_" in made
    assert "ci" in ipam(lab, "token", "list").stdout
    assert "ci" in ipam(lab, "tokens").stdout
    ipam(lab, "token", "revoke", "ci")
    assert "ci" not in ipam(lab, "tokens", "--columns", "name").stdout.split()


def test_no_escape_sequence_is_printed_without_colors(lab: Served) -> None:
    terminal = {"TTY_COMPATIBLE": "1", "FORCE_COLOR": "1", "COLUMNS": "80"}
    assert "\x1b[" in ipam(lab, "subnets", **terminal).stdout
    assert "\x1b[" not in ipam(lab, "subnets", "--no-color", **terminal).stdout
    assert "\x1b[" not in ipam(lab, "subnets", **terminal, NO_COLOR="1").stdout


def test_an_option_is_listed_with_its_name(lab: Served) -> None:
    ipam(lab, "set", "subnet", "lab", "dns=10.60.1.5")
    (row,) = ipam(lab, "options").stdout.splitlines()[1:]
    assert row.split()[:2] == ["6", "domain-name-servers"]
    assert "nothing found" in ipam(lab, "pools", "--name", "none").stderr
