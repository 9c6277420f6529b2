"""Tables in CSV, with columns that are named or guessed."""

import csv
from io import StringIO
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, lines_without_effect, mutated, plan_or_fault, source
from msgspec import UNSET

from api.importers.faults import SourceError
from api.importers.formats import guess, read
from api.importers.plan import Plan
from api.importers.table import reader
from api.importers.table.columns import MapError, columns_from

TEXT = source("table.csv")
MAP = {"mac": "Card"}


def of(plan: Plan, family: str) -> list[dict[str, Any]]:
    return [each.fields for each in plan.objects if each.family == family]


def test_plan() -> None:
    assert guess(TEXT) == "csv"
    golden("table", reader.read(TEXT, MAP))


def test_every_row_is_read_or_told() -> None:
    found = reader.read(TEXT, MAP).statements
    assert found.read + found.warned == len(TEXT.splitlines()) - 2


def test_no_row_is_without_effect() -> None:
    assert lines_without_effect(lambda text: reader.read(text, MAP), TEXT) == [TEXT.split("\n")[0]]


SCOPES = """#TYPE Deserialized
"ScopeId","SubnetMask","Name","State","StartRange","EndRange","LeaseDuration","Description"
"192.0.2.0","255.255.255.0","office","Active","192.0.2.10","192.0.2.99","8.00:00:00",""
"""
RESERVATIONS = """IPAddress,ScopeId,ClientId,Name,Type,Description
192.0.2.9,192.0.2.0,02-00-00-00-00-09,printer.example.net,Dhcp,by the door
192.0.2.8,192.0.2.0,01-02-00-00-00-00-08,server,Both,
"""


def test_scopes_of_powershell() -> None:
    plan = reader.read(SCOPES)
    assert guess(SCOPES) == "csv"
    assert of(plan, "subnets") == [{"cidr": "192.0.2.0/24", "lease_time_seconds": 691200}]
    assert of(plan, "pools") == [{"start_ip": "192.0.2.10", "end_ip": "192.0.2.99", "name": "office"}]


def test_reservations_of_powershell(tmp_path: Path) -> None:
    path = tmp_path / "reservations.csv"
    path.write_bytes(RESERVATIONS.encode("utf-16"))
    plan = read(path, columns=columns_from(["network==192.0.2.0/24;198.51.100.0/24"]))
    assert [each["cidr"] for each in of(plan, "subnets")] == ["192.0.2.0/24", "198.51.100.0/24"]
    found = [(each["ip"], each.get("mac"), each.get("client_id")) for each in of(plan, "reservations")]
    assert found == [("192.0.2.9", "02:00:00:00:00:09", None), ("192.0.2.8", None, "01:02:00:00:00:00:08")]


def test_columns_are_named() -> None:
    text = "Where,Who,Called\n192.0.2.9,02:00:00:00:00:09,printer\n"
    said = columns_from(["ip=where,mac=WHO", "hostname=Called,network==192.0.2.0/24"])
    assert of(reader.read(text, said), "reservations") == [
        {"ip": "192.0.2.9", "mac": "02:00:00:00:00:09", "hostname": "printer"}
    ]


def test_aliases_are_names_in_one_cell() -> None:
    text = (
        "ip,mac,name,aliases\n"
        '192.0.2.9,02:00:00:00:00:09,printer,"LP, lp2.example.net printer"\n'
        '192.0.2.10,,srv,"www; a_b;x,-y"\n'
        "192.0.2.11,02:00:00:00:00:11,,nameless\n"
    )
    plan = reader.read(text, {"network": "=192.0.2.0/24"})
    found = [each.get("aliases") for each in (*of(plan, "reservations"), *of(plan, "assignments"))]
    assert found == [["lp", "lp2.example.net"], None, ["www", "a_b", "x"]]
    assert [(each.line, each.why.partition(":")[0]) for each in plan.warnings] == [(3, "-y"), (4, "nameless")]


def test_columns_are_named_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "columns"
    path.write_text("# ours\nip=Address, first\nkind==exclude\n")
    assert columns_from([str(path)]) == {"ip": "Address, first", "kind": "=exclude"}


@pytest.mark.parametrize("said", ["address=Address", "ip=", "ip", "missing.map", "=x", "ip\0"])
def test_a_map_that_is_none_is_told(said: str) -> None:
    with pytest.raises(MapError, match="says no column"):
        columns_from([said])


@pytest.mark.parametrize(
    ("text", "said", "reason"),
    [
        ("a,b\n1,2\n", {}, "has no column of addresses: choose one with --map ip=..., of a, b"),
        ("a,b\n1,2\n", {"ip": "c"}, "has no column c for ip: there are a, b"),
        ("", {}, "is an empty table"),
        ("#TYPE x\n", {}, "is an empty table"),
    ],
)
def test_a_table_that_is_none_names_its_fault(text: str, said: dict[str, str], reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader.read(text, said)
    assert caught.value.reason == reason
    assert caught.value.line == 1


def test_rows_may_be_in_subnets_of_the_server() -> None:
    """The server is asked only if the table has no network for a row; fields of its subnets are not changed."""
    text = "network,ip,mac,code,value,gateway\n192.0.2.0/24,192.0.2.9,02:00:00:00:00:09,,,\n"
    asked: list[str] = []

    def there() -> list[IPv4Network]:
        asked.append("")
        return [IPv4Network("192.0.2.0/25"), IPv4Network("198.51.100.0/24")]

    plan = reader.read(text, {}, there)
    assert (asked, plan.there) == ([], UNSET)
    more = text + "198.51.100.0,,,3,198.51.100.1,\n,198.51.100.9,02:00:00:00:00:0a,,,198.51.100.2\n"
    plan = reader.read(more, {}, there)
    assert len(asked) == 1
    assert plan.there is not UNSET
    assert [each.fields for each in plan.there] == [{"cidr": "198.51.100.0/24"}] * 2
    assert [each.inside for each in plan.objects if each.line > 2] == [plan.there[1].ref] * 2
    assert of(plan, "options") == [{"code": 3, "payload": {"addresses": ["198.51.100.1"]}, "family": 4}]
    assert [(each.what, each.why.partition(",")[2]) for each in plan.warnings] == [
        ("gateway 198.51.100.2", " which exists: change it there")
    ]


FRAGMENTS = st.sampled_from(
    ["", ";", '"', "\n", "/", "-", "²", "::", "999999999999", "192.0.2.0/24", "pool", "#", ","]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(CUTS, st.sampled_from([{}, MAP, {"kind": "=pool"}, {"network": "=192.0.2.0/24"}]))
def test_no_input_crashes(cuts: list[tuple[int, int, str]], said: dict[str, str]) -> None:
    plan_or_fault(lambda text: reader.read(text, said), mutated(TEXT, iter(cuts)))


ROWS = list(csv.reader(StringIO(TEXT), delimiter=";"))[2:]
CELLS = sorted({cell for row in ROWS for cell in row} | {"²", "ü" * 300, "0", "-1", "99999999999999"})


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_no_cell_crashes(data: st.DataObject) -> None:
    """A cell in the place of another."""
    row = list(data.draw(st.sampled_from(ROWS)))
    row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from(CELLS))
    plan_or_fault(lambda text: reader.read(text, MAP), f"{TEXT}{';'.join(row)}\n")
