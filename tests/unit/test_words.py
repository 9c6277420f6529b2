"""Words and values of the command line that no server is needed for: commands, bare values, ranges, durations."""

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner, Result

from api.cli import by_section, installed, main
from api.cli.bare import ends, fields_from_options, paired, spread
from api.cli.durations import duration_text, seconds
from api.cli.fields import read
from api.cli.names import spelling
from api.cli.payloads import codes_of, payload_of
from api.cli.reference import STATUSES
from api.cli.sections import UNLISTED
from api.cli.words import route
from ipam_core.model.families import FAMILIES

SUBNET = {
    "prefix_id",
    "cidr",
    "name",
    "gateway",
    "vlan_id",
    "lease_time_seconds",
    "ddns_enabled",
    "ddns_ttl",
    "custom",
}
POOL = {"subnet_id", "start_ip", "end_ip", "name", "class_id"}


def run(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(main, words, env=environment, catch_exceptions=False, prog_name="ipam")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("subnet list", "subnets list"),
        ("dns_zone ls", "dns-zones ls"),
        ("list subnets", "get subnets"),
        ("ls pools", "get pools"),
        ("show subnet lab", "get subnet lab"),
        ("add subnet 10.1.0.0/24", "create subnet 10.1.0.0/24"),
        ("rm subnet lab", "delete subnet lab"),
        ("set subnet lab vlan=1", "update subnet lab vlan=1"),
        ("rotate token ci", "tokens rotate ci"),
        ("drain dhcp-a", "nodes drain dhcp-a"),
        ("log --limit 3", "audit --limit 3"),
        ("next 10.0.0.0/8 /24", "next-subnet 10.0.0.0/8 /24"),
        ("exclude 10.0.0.1", "excludes create 10.0.0.1"),
        ("exclude rm 10.0.0.1", "excludes rm 10.0.0.1"),
        ("class list", "client-classes list"),
        ("up --demo", "up --demo"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_command_is_found_by_the_words_that_people_type(typed: str, meant: str) -> None:
    assert " ".join(route(typed.split(), installed())) == meant


def test_every_family_has_a_singular() -> None:
    for name, family in FAMILIES.items():
        if name not in ("audit", "global-options", "tokens"):
            assert route([family.singular], installed())[0] == name


def test_an_unknown_command_suggests_one() -> None:
    ran = run("subnts")
    assert (ran.exit_code, "there is no command 'subnts'; did you mean subnets?" in ran.stderr) == (2, True)
    ran = run("subnets", "set")
    assert ran.exit_code == 2


@pytest.mark.parametrize(
    "words", [("-h",), ("help",), ("subnets", "-h"), ("help", "subnet", "ls"), ("version",)]
)
def test_help_and_version_have_the_names_that_people_type(words: tuple[str, ...]) -> None:
    ran = run(*words)
    assert ran.exit_code == 0
    assert "Usage: ipam" in ran.stdout or ran.stdout.startswith("ipam, version ")


def test_help_of_a_command_is_that_of_its_option() -> None:
    assert (
        run("help", "zone", "list").stdout.split("\n")[2:]
        == run("dns-zones", "list", "--help").stdout.split("\n")[2:]
    )


def test_the_help_lists_each_command_in_one_section_within_80_columns() -> None:
    shown = run("--help", COLUMNS="80").stdout
    titles = [title for title, _ in by_section()]
    assert ["Options", *titles] == re.findall(r"^([A-Z][A-Za-z ]+):$", shown, re.M)
    for name in set(installed()) - set(UNLISTED):
        assert len(re.findall(rf"^  {re.escape(name)} +[A-Z]", shown, re.M)) == 1, name
    assert max(map(len, shown.splitlines())) <= 80


def commands(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, info_name=name, parent=context))


def test_every_help_text_fits_80_columns() -> None:
    for each in commands(main, click.Context(main, info_name="ipam", terminal_width=80)):
        lines = each.get_help().splitlines()
        assert max(map(len, lines)) <= 80, each.command_path
        assert not re.search(r"of None|VALUE {2,}Only|Only (?:where|those with this)", "\n".join(lines)), (
            each.command_path
        )


def test_statuses_are_those_of_the_document() -> None:
    """0 and 2 without a server; 1 without one that answers."""
    nobody = {"IPAM_API_URL": "http://127.0.0.1:1/api/v1", "IPAM_API_TOKEN": "x"}
    found = {
        run("version").exit_code,
        run("subnets", "--nonsense").exit_code,
        run("subnets", **nobody).exit_code,
    }
    assert found == {0, 1, 2}
    assert {str(status) for status in found} <= STATUSES.keys()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lease-time", "lease_time_seconds"),
        ("lease_time", "lease_time_seconds"),
        ("vlan", "vlan_id"),
        ("ddns", "ddns_enabled"),
        ("prefix", "prefix_id"),
        ("network", "cidr"),
        ("router", "gateway"),
        ("custom.rack-row", "custom.rack-row"),
        ("gatway", "gatway"),
    ],
)
def test_fields_are_spelled_as_people_type_them(typed: str, meant: str) -> None:
    assert spelling(typed, SUBNET) == meant


@pytest.mark.parametrize(
    ("typed", "total"),
    [("1h", 3600), ("7d", 604800), ("90m", 5400), ("1h30m", 5400), ("2 weeks", 1209600), ("45s", 45)],
)
def test_durations_have_units(typed: str, total: int) -> None:
    assert seconds(typed) == total
    assert read(typed, {"type": "integer"}, "lease_time_seconds") == total
    assert seconds(duration_text(total)) == total


@pytest.mark.parametrize("typed", ["", "soon", "1x", "h", "1h!", "12"])
def test_what_is_no_duration_is_left_to_the_server(typed: str) -> None:
    assert seconds(typed) is None


@pytest.mark.parametrize("typed", ["yes", "on", "TRUE", "y", "1", "enabled"])
def test_flags_have_names(typed: str) -> None:
    assert read(typed, {"type": "boolean"}) is True


def test_a_prefix_length_may_have_its_slash() -> None:
    assert read("/56", {"type": "integer"}, "delegated_length") == 56


@pytest.mark.parametrize(
    ("typed", "both"),
    [
        ("10.0.0.10-10.0.0.99", ("10.0.0.10", "10.0.0.99")),
        ("10.0.0.10-99", ("10.0.0.10", "10.0.0.99")),
        ("fd00::10-fd00::99", ("fd00::10", "fd00::99")),
        ("10.0.0.10", None),
        ("dhcp-a", None),
    ],
)
def test_a_range_has_two_ends(typed: str, both: tuple[str, str] | None) -> None:
    assert ends(typed) == both


@pytest.mark.parametrize(
    ("field", "typed", "both"),
    [
        ("range", "10.0.0.10-10.0.0.99", ("10.0.0.10", "10.0.0.99")),
        ("range", "10.0.0.16/28", ("10.0.0.16", "10.0.0.31")),
        ("ip", "10.0.0.2", ("10.0.0.2", "10.0.0.2")),
    ],
)
def test_a_range_stands_for_both_fields(field: str, typed: str, both: tuple[str, str]) -> None:
    assert spread({field: typed}, POOL) == {"start_ip": both[0], "end_ip": both[1]}


def test_a_value_without_a_name_is_taken_by_its_looks() -> None:
    assert [*paired(("10.1.0.0/24", "lab", "vlan=20"), SUBNET)] == ["cidr=10.1.0.0/24", "name=lab", "vlan=20"]
    assert [*paired(("desks", "10.0.0.10-99"), POOL)] == ["name=desks", "range=10.0.0.10-99"]
    record = {"name", "type", "data", "ttl", "zone_id"}
    assert [*paired(("www.example.net", "A", "10.0.0.5"), record)] == [
        "name=www.example.net",
        "type=A",
        "data=10.0.0.5",
    ]
    option = {"code", "payload", "subnet_id"}
    assert [*paired(("dns", "10.0.0.5", "subnet=lab"), option)] == [
        "code=dns",
        "value=10.0.0.5",
        "subnet=lab",
    ]


def test_a_field_without_its_value_is_not_taken_for_a_value() -> None:
    assert [*paired(("gateway",), SUBNET)] == ["gateway"]


def test_options_stand_for_fields() -> None:
    typed = ["10.1.0.0/24", "--gateway", "10.1.0.1", "--vlan=20", "--ddns", "--json"]
    told = fields_from_options(typed, SUBNET, {"--json"}, {"ddns_enabled"})
    assert told == ["10.1.0.0/24", "gateway=10.1.0.1", "vlan_id=20", "ddns_enabled=yes", "--json"]
    assert fields_from_options(["--ddns", "no"], SUBNET, set(), {"ddns_enabled"}) == ["ddns_enabled=no"]
    assert fields_from_options(["--nonsense", "1"], SUBNET, set(), set()) == ["--nonsense", "1"]


@pytest.mark.parametrize(
    ("option", "codes", "value", "payload"),
    [
        ("dns", {4: 6, 6: 23}, "10.0.0.1,10.0.0.2", {"addresses": ["10.0.0.1", "10.0.0.2"]}),
        ("domain", {4: 15, 6: 24}, "example.net", {"string": "example.net"}),
        ("mtu", {4: 26}, "1400", {"value": 1400}),
        ("ip-forwarding", {4: 19}, "yes", {"flag": True}),
    ],
)
def test_an_option_is_written_by_name_and_value(
    option: str, codes: dict[int, int], value: str, payload: dict[str, object]
) -> None:
    assert codes_of(option) == codes
    assert payload_of(value, str(codes[4]), "4") == payload


def test_no_color_is_taken_behind_every_command() -> None:
    context = main.make_context("ipam", ["version", "--no-color"])
    assert isinstance(context, click.Context)
    assert context.color is False
    assert run("version", "--no-color").exit_code == 0
