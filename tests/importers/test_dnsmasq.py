"""dnsmasq.conf."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, lines_without_effect, mutated, plan_or_fault, source

from api.importers.dnsmasq import reader
from api.importers.dnsmasq.syntax import statements
from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.plan import Plan

TEXT = source("dnsmasq.conf")
RANGE = "dhcp-range=192.0.2.10,192.0.2.99,255.255.255.0\n"


def of(plan: Plan, family: str) -> list[dict[str, Any]]:
    return [each.fields for each in plan.objects if each.family == family]


def test_plan() -> None:
    assert guess(TEXT) == "dnsmasq"
    golden("dnsmasq", reader.read(TEXT))


def test_every_line_is_read_or_told() -> None:
    found = reader.read(TEXT).statements
    said = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
    assert found.read + found.warned == len(said)


def test_no_line_is_without_effect() -> None:
    """A record may say what a reservation says too."""
    without = lines_without_effect(reader.read, TEXT)
    assert without == ["# A house and its guests.", "host-record=printer.example.net,192.0.2.10"]


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("dhcp-option=3 , 192.0.2.1 # router", "dhcp-option", ["3", "192.0.2.1"]),
        ('dhcp-option=224,"a,b#c"', "dhcp-option", ["224", "a,b#c"]),
        ('dhcp-option=224,"say \\"x\\""', "dhcp-option", ["224", 'say "x"']),
        ("--no-ping # at all", "no-ping", []),
        ("dhcp-option=224,a#b", "dhcp-option", ["224", "a#b"]),
        ("dhcp-option=3,", "dhcp-option", ["3", ""]),
        ('dhcp-option=224,"open', "dhcp-option", ["224", "open"]),
    ],
)
def test_lines(line: str, name: str, words: list[str]) -> None:
    (found,) = statements(line)
    assert (found.name, found.words) == (name, words)


@pytest.mark.parametrize(
    ("range_", "cidr"),
    [
        ("192.0.2.10,192.0.2.99", "192.0.2.0/24"),
        ("10.0.0.10,10.0.3.99", "10.0.0.0/22"),
        ("10.1.1.10,10.1.1.99\ndhcp-range=10.1.2.1,10.1.2.9,255.255.0.0", "10.1.0.0/16"),
    ],
)
def test_a_mask_that_is_not_said_is_told(range_: str, cidr: str) -> None:
    plan = reader.read(f"dhcp-range={range_}\n")
    assert [each["cidr"] for each in of(plan, "subnets")] == [cidr]
    assert [each.line for each in plan.warnings if f"has no mask: {cidr} is taken" in each.why] == [1]


@pytest.mark.parametrize(
    ("lease", "seconds"),
    [("12h", 43200), ("45m", 2700), ("1d", 86400), ("infinite", 2**32 - 1), ("", 3600), ("5", 120)],
)
def test_lease_times(lease: str, seconds: int) -> None:
    (subnet,) = of(reader.read(f"{RANGE.strip()},{lease}\n"), "subnets")
    assert subnet["lease_time_seconds"] == seconds


def test_a_part_of_an_address_is_of_the_network() -> None:
    plan = reader.read("dhcp-range=2001:db8::10,2001:db8::20\ndhcp-host=02:00:00:00:00:01,[::9]\n")
    assert [each["ip"] for each in of(plan, "reservations")] == ["2001:db8::9"]


def test_what_is_for_a_tag_that_nobody_sets_is_not_for_everybody() -> None:
    plan = reader.read(
        f"{RANGE}dhcp-range=tag:x,192.0.2.100,192.0.2.109,255.255.255.0\ndhcp-option=tag:x,26,1400\n"
    )
    assert [each["start_ip"] for each in of(plan, "pools")] == ["192.0.2.10"]
    assert of(plan, "options") == []
    assert {each.line for each in plan.warnings} == {1, 2, 3}


@pytest.mark.parametrize(
    "option", ["option:nothing,1", "121,10.0.0.0/8", "44,nowhere", "encap:43,300,x", "26,much"]
)
def test_an_option_that_is_none_is_told(option: str) -> None:
    plan = reader.read(f"{RANGE}dhcp-option={option}\n")
    assert of(plan, "options") == []
    assert 2 in {each.line for each in plan.warnings}


def test_the_own_address_is_told() -> None:
    told = [each.why for each in reader.read(f"{RANGE}dhcp-option=3,192.0.2.1\n").warnings]
    assert told == ["dnsmasq sends its own address as resolver: write it there, or another"]


def test_a_file_that_is_none_is_refused() -> None:
    with pytest.raises(SourceError, match="has no line of DHCP"):
        reader.read("server=192.0.2.1\n")


FRAGMENTS = st.sampled_from(
    [
        "",
        ",",
        "=",
        '"',
        "#",
        "\\",
        ":",
        "*",
        "[",
        "]",
        "tag:",
        "set:",
        "option:",
        "²",
        "::",
        "999999999999",
        "\n",
        "/",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(CUTS)
def test_no_input_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(reader.read, mutated(TEXT, iter(cuts)))


LINES = TEXT.splitlines()
WORDS = sorted({word for each in statements(TEXT) for word in each.words})


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_no_field_crashes(data: st.DataObject) -> None:
    """A field in the place of another."""
    at = data.draw(st.sampled_from([at for at, line in enumerate(LINES) if "=" in line]))
    name, _, rest = LINES[at].partition("=")
    fields = rest.split(",")
    fields[data.draw(st.integers(0, len(fields) - 1))] = data.draw(st.sampled_from(WORDS))
    line = f"{name}={','.join(fields)}"
    plan_or_fault(reader.read, "\n".join([*LINES[:at], line, *LINES[at + 1 :]]))


@pytest.mark.parametrize(("line", "matched"), [("", True), ("dhcp-ignore-clid\n", False)])
def test_client_ids_count_unless_they_are_ignored(line: str, matched: bool) -> None:
    plan = reader.read(
        f"{line}dhcp-range=192.0.2.10,192.0.2.20,255.255.255.0\ndhcp-range=2001:db8::10,2001:db8::20,64\n"
    )
    four, six = of(plan, "subnets")
    assert four["match_client_id"] is matched
    assert "match_client_id" not in six
