"""DHCP pools of Cisco IOS."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, lines_without_effect, mutated, plan_or_fault, source

from api.importers.cisco import reader, statements
from api.importers.faults import SourceError
from api.importers.formats import guess

TEXT = source("cisco.txt")


def test_plan() -> None:
    assert guess(TEXT) == "cisco"
    golden("cisco", reader.read(TEXT))


def test_every_line_is_read_or_told() -> None:
    found = reader.read(TEXT).statements
    assert found.read + found.warned == sum(1 + len(each.lines) for each in statements.load(TEXT))


NOT_OF_DHCP = (
    *(
        "Building",
        "Current",
        "version",
        "hostname",
        "interface",
        "ip address",
        "ip helper",
        "exit",
        "end",
        "!",
    ),
)


def test_no_line_is_without_effect() -> None:
    without = lines_without_effect(reader.read, TEXT)
    assert [each for each in without if not each.strip().startswith(NOT_OF_DHCP)] == []


def test_a_network_takes_what_the_exclusions_leave() -> None:
    plan = reader.read("ip dhcp pool A\n network 192.0.2.0 /29\nip dhcp excluded-address 192.0.2.3\n")
    pools = [
        (each.fields["start_ip"], each.fields["end_ip"]) for each in plan.objects if each.family == "pools"
    ]
    assert pools == [("192.0.2.1", "192.0.2.2"), ("192.0.2.4", "192.0.2.6")]
    assert [each.fields["start_ip"] for each in plan.objects if each.family == "excludes"] == ["192.0.2.3"]


@pytest.mark.parametrize(("text", "line"), [("hostname x\n", 1), ("hostname x\ndhcp ipv4\n profile a\n", 2)])
def test_a_file_without_pools_of_ios_is_refused(text: str, line: int) -> None:
    with pytest.raises(SourceError, match="IOS-XR and NX-OS are not") as caught:
        reader.read(text)
    assert caught.value.line == line


FRAGMENTS = st.sampled_from(
    ["", "\n", " ", "!", '"', "/", "/99", "ip dhcp pool ", "host ", "network ", "192.0.2.0", "9999"]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(CUTS)
def test_no_input_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(reader.read, mutated(TEXT, iter(cuts)))
