"""The CSV of Infoblox."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, lines_without_effect, mutated, plan_or_fault, said, source

from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.infoblox import reader
from api.importers.plan import Plan

TEXT = source("infoblox.csv")
ROWS = list(csv.reader(StringIO(TEXT)))
NETWORK = "header-network,address*,netmask*\nnetwork,192.0.2.0,24\n"


def test_plan() -> None:
    assert guess(TEXT) == "infoblox"
    golden("infoblox", reader.read(TEXT))


def test_every_row_is_read_or_told() -> None:
    found = reader.read(TEXT).statements
    assert found.read + found.warned == len(ROWS)


def test_no_row_is_without_effect() -> None:
    """A host record may say what the row of its address says again."""
    assert lines_without_effect(reader.read, TEXT) == ["hostrecord,cam.example.net,10.1.0.53"]


SAYS_NOTHING = ("", "FALSE", "default", *reader.MATCHED)


def test_no_cell_is_without_effect() -> None:
    """Emptying one makes another plan, but where it says what is so without it, or the row is not made at all."""
    plan = reader.read(TEXT)
    whole = said(plan)
    told = {
        each.line for each in plan.warnings if not each.what.startswith(("column", "dhcprange 10.1.0.20"))
    }
    without = [
        ROWS[row][cell]
        for row, cell in cells()
        if row + 1 not in told | AGAIN
        and ROWS[row][0] in reader.COLUMNS
        and ROWS[row][cell] not in SAYS_NOTHING
        and said(reader.read(replaced(row, cell, ""))) == whole
    ]
    assert without == []


AGAIN = {next(at for at, row in enumerate(ROWS, 1) if "cam.example.net" in row)}


def cells() -> Iterator[tuple[int, int]]:
    for at, row in enumerate(ROWS):
        if not row[0].lower().startswith("header-"):
            yield from ((at, cell) for cell in range(1, len(row)))


def replaced(row: int, cell: int, text: str) -> str:
    out = StringIO()
    rows = [list(each) for each in ROWS]
    rows[row][cell] = text
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("separator", [";", "\t", " "])
def test_other_separators(separator: str) -> None:
    out = StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(ROWS)
    assert said(reader.read(out.getvalue())) == said(reader.read(TEXT))


def test_the_order_of_blocks_does_not_matter() -> None:
    """Addresses may stand before their network; rows of one type go by its last header."""
    text = (
        "header-fixedaddress,ip_address,mac_address\nfixedaddress,192.0.2.9,02:00:00:00:00:09\n"
        "header-fixedaddress,mac_address,ip_address\nfixedaddress,02:00:00:00:00:08,192.0.2.8\n"
    )
    found = [each.fields["ip"] for each in of(reader.read(text + NETWORK), "reservations")]
    assert found == ["192.0.2.9", "192.0.2.8"]


def of(plan: Plan, family: str) -> list[Any]:
    return [each for each in plan.objects if each.family == family]


def test_a_reservation_of_nobody_is_no_reservation() -> None:
    text = (
        "header-fixedaddress,ip_address,mac_address,name\n"
        "fixedaddress,192.0.2.9,00:00:00:00:00:00,server\nfixedaddress,192.0.2.8,00:00:00:00:00:00,\n"
    )
    plan = reader.read(NETWORK + text)
    assert of(plan, "reservations") == []
    assert [each.fields["ip"] for each in of(plan, "assignments")] == ["192.0.2.9"]
    assert [each.fields["start_ip"] for each in of(plan, "excludes")] == ["192.0.2.8"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("header-network,address\nfixedaddress,192.0.2.1\n", 2, "a row of fixedaddress before its header"),
        (f"header-network,address\nnetwork,{'x' * 200_000}\n", 2, "field larger than field limit"),
    ],
)
def test_a_file_that_is_none_names_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader.read(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


FRAGMENTS = st.sampled_from(
    ["", ",", '"', "\n", "'", "-", "/", "header-", "²", "::", "999999999999", "0x", "TRUE"]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(CUTS)
def test_no_input_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(reader.read, mutated(TEXT, iter(cuts)))


VALUES = st.sampled_from(
    ["", "x", "-1", "²", "99999999999999999999", "192.0.2.300", "::", ",", "-/'", "TRUE", "ü" * 300]
)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(list(cells())), VALUES)
def test_no_cell_crashes(cell: tuple[int, int], value: str) -> None:
    plan_or_fault(reader.read, replaced(*cell, value))
