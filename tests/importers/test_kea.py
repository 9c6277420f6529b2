"""Kea: both families, as a file with comments and as the answer of config-get."""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, mutated, plan_or_fault, said, source

from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.kea import reader, relaxed_json
from api.importers.source import Entry

NAMES = ("kea4", "kea6")


@pytest.mark.parametrize("name", NAMES)
def test_plan(name: str) -> None:
    text = source(f"{name}.json")
    assert guess(text) == "kea"
    golden(name, reader.read(text))


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_is_read_or_told(name: str) -> None:
    text = source(f"{name}.json")
    document = relaxed_json.load(text)
    found = reader.read(text).statements
    top = reader.unwrapped(document)
    assert found.read + found.warned == top.statements()


@pytest.mark.parametrize("name", NAMES)
def test_no_statement_is_without_effect(name: str) -> None:
    """Taking one away makes another plan: other objects, or other warnings."""
    document = relaxed_json.load(source(f"{name}.json"))
    whole = said(reader.read(encoded(document)))
    without = [
        path for path in paths(document) if path[-1] not in DEFAULTS and said_without(document, path) == whole
    ]
    assert without == []


DEFAULTS = ("result", "space", "csv-format")
"""Members that say what would be so without them."""


def said_without(document: Any, path: tuple[Any, ...]) -> object:
    changed = copy.deepcopy(document)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    try:
        return said(reader.read(encoded(changed)))
    except SourceError as error:
        return error.reason


def encoded(document: Any) -> str:
    return msgspec.json.encode(plain(document)).decode()


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of all members of mappings that hold no further mappings."""
    if isinstance(value, Entry):
        for name, member in value.items():
            inside = list(paths(member, (*path, name)))
            yield from inside or [(*path, name)]
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from paths(each, (*path, at))


def test_inherited_settings_reach_the_imported_subnets_only() -> None:
    plan = reader.read(
        """{"Dhcp4": {"valid-lifetime": 10, "option-data": [{"code": 6, "data": "192.0.2.1"}],
        "shared-networks": [{"name": "n", "valid-lifetime": 20, "subnet4": [
            {"subnet": "192.0.2.0/25", "valid-lifetime": 30, "option-data": [{"code": 6, "data": "192.0.2.2"}]},
            {"subnet": "192.0.2.128/25"}]}],
        "subnet4": [{"subnet": "198.51.100.0/24"}]}}"""
    )
    subnets = {each.fields["cidr"]: each for each in plan.objects if each.family == "subnets"}
    lifetimes = {cidr: each.fields["lease_time_seconds"] for cidr, each in subnets.items()}
    assert lifetimes == {"192.0.2.0/25": 30, "192.0.2.128/25": 20, "198.51.100.0/24": 10}
    options = {each.inside: each.fields["payload"] for each in plan.objects if each.family == "options"}
    assert None not in options
    assert options[subnets["192.0.2.0/25"].ref] == {"addresses": ["192.0.2.2"]}
    assert options[subnets["198.51.100.0/24"].ref] == {"addresses": ["192.0.2.1"]}


def test_options_that_stand_several_times_are_one_payload() -> None:
    """Time sources and resolvers, in text or octets; of any other option the last counts, as in a nearer scope."""
    plan = reader.read(
        """{"Dhcp6": {"option-data": [{"code": 144, "csv-format": false, "data": "0009000200 00"}],
        "subnet6": [{"subnet": "2001:db8::/64", "option-data": [
            {"name": "ntp-server", "data": "0001001020010db8000000000000000000000001"},
            {"code": 23, "data": "2001:db8::1"}, {"code": 23, "data": "2001:db8::2"},
            {"code": 56, "csv-format": false, "data": "0001001020010db8000000000000000000000002"},
            {"code": 144, "csv-format": false, "data": "00020006016202657800"},
            {"code": 144, "csv-format": false, "data": "00010006016102657800"}]}]}}"""
    )
    found = {each.fields["code"]: each.fields["payload"] for each in plan.objects if each.family == "options"}
    assert found == {
        23: {"addresses": ["2001:db8::2"]},
        56: {"suboptions": [{"code": 1, "addresses": [f"2001:db8::{last}"]} for last in (1, 2)]},
        144: {"resolvers": [{"priority": 2, "name": "b.ex"}, {"priority": 1, "name": "a.ex"}]},
    }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{"Dhcp4": {\n"subnet4": [}', 2, "a value is expected instead of }"),
        ('{\n\n"Dhcp4": {} "x": 1}', 3, ", is expected instead of"),
        ('{"Dhcp4":\n<?include "subnets.json"?>}', 2, "config-get"),
        ('{"Dhcp4": {"a": 1,\n"a": 2}}', 2, "a is there twice"),
        ('{"x": 1}', 1, "has neither Dhcp4 nor Dhcp6"),
        ("[]", 1, "is no configuration of Kea"),
        ("[" * 100_000, 1, "deeper than 64"),
        ('{"Dhcp4": "\\ud800"}', 1, "neither Dhcp4"),
        ('{"Dhcp4": 1e999999}', 1, "neither Dhcp4"),
    ],
)
def test_a_file_that_is_none_names_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader.read(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


FRAGMENTS = st.sampled_from(
    [
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "null",
        "-1",
        "1e9",
        '"x"',
        "true",
        "/*",
        "192.0.2.0/24",
        "::",
        "\\",
        "99999999999",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(CUTS, st.sampled_from(NAMES))
def test_no_input_crashes(cuts: list[tuple[int, int, str]], name: str) -> None:
    plan_or_fault(reader.read, mutated(source(f"{name}.json"), iter(cuts)))


VALUES = st.sampled_from(
    [None, -1, 0, 2**70, 1.5, True, "", "x", "192.0.2.1", [], {}, ["x"], [{}], [None], "\x00", "ü" * 300]
)


DOCUMENTS = {name: relaxed_json.load(source(f"{name}.json")) for name in NAMES}
MEMBERS = [(name, path) for name, document in DOCUMENTS.items() for path in paths(document)]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(MEMBERS), VALUES)
def test_no_value_crashes(member: tuple[str, tuple[Any, ...]], value: Any) -> None:
    name, path = member
    document = plain(DOCUMENTS[name])
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    plan_or_fault(reader.read, encoded(document))


@pytest.mark.parametrize(
    ("said", "duid"),
    [
        (
            '"type": "LLT", "htype": 1, "identifier": "020000000001", "time": 708529245',
            "00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01",
        ),
        ('"type": "LL", "identifier": "020000000001"', "00:03:00:01:02:00:00:00:00:01"),
        ('"type": "EN", "enterprise-id": 9, "identifier": "87654321"', "00:02:00:00:00:09:87:65:43:21"),
        ('"type": "EN", "identifier": "01"', "00:02:00:00:09:bf:01"),
        ('"type": "LLT", "identifier": "020000000001"', None),
        ('"type": "LLT"', None),
        ('"type": "UUID", "identifier": "01"', None),
        ('"type": "LL", "identifier": "no hex"', None),
        ('"type": "LL", "identifier": "02", "htype": 70000', None),
        ('"type": "LL", "identifier": "02", "htype": -1', None),
    ],
)
def test_the_duid_of_the_server_is_told(said: str, duid: str | None) -> None:
    """It is set by an admin; what Kea made of it by itself stands in a file of its own."""
    plan = reader.read(f'{{"Dhcp6": {{"server-id": {{{said}}}, "subnet6": []}}}}')
    [warning] = plan.warnings
    assert (warning.what, warning.reason) == ("server-id", "manual")
    assert f"ipam server-duid set {duid or 'DUID'}" in warning.why
    assert plan.statements.warned == said.count(":")


@pytest.mark.parametrize(
    ("said", "excluded"),
    [('["2001:db8:9:ff::/64"]', "2001:db8:9:ff::/64"), ('["", "2001:db8:a:ff::/64"]', None), ("[]", None)],
)
def test_what_a_reservation_excludes_of_its_prefix(said: str, excluded: str | None) -> None:
    """In the order of the prefixes, of which the first is taken."""
    reservation = (
        f'{{"duid": "00030001020000000001", "prefixes": ["2001:db8:9::/56"], "excluded-prefixes": {said}}}'
    )
    plan = reader.read(
        f'{{"Dhcp6": {{"subnet6": [{{"subnet": "2001:db8:1::/64", "reservations": [{reservation}]}}]}}}}'
    )
    [made] = [each.fields for each in plan.objects if each.family == "reservations"]
    assert made.get("excluded_prefix") == excluded
