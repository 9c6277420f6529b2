"""The report of a cutover: `ipam import --report`, as JSON and as a page that is safe whatever the source says."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from importers.accounting import SOURCES

from api.cli import main
from api.cli.importing.making import Limit
from api.cli.importing.rehearsal import Client, Difference, Rehearsal
from api.cli.importing.report import report_of
from api.cli.importing.report_page import page
from api.importers import formats
from api.importers.leases.pinning import pin
from api.importers.plan import Plan

LEASES = SOURCES.parent / "leases"
VOID = {"meta"}
EVIL = "</td><script>alert(1)</script><img src=//example.net onerror=x> & \x1b[31m \u202e"

REHEARSAL = Rehearsal(
    packets={"packets": 6},
    summary={"same": 1, "differs": 1, "we_are_silent": 1},
    clients=[
        Client("same", mac="02:00:00:00:00:01", relay="192.0.2.1"),
        Client(
            "differs",
            mac="02:00:00:00:00:02",
            relay="192.0.2.1",
            differences=[Difference("address", "192.0.2.7", "192.0.2.8"), Difference("DNS", EVIL, None)],
        ),
        Client("we_are_silent", duid="LL 02:00", link="2001:db8::1", meaning="no pool has an address left"),
    ],
)


class Page(HTMLParser):
    """What a page says, and that its elements close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[list[str]] = []
        self.steps: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")
        if tag == "li":
            self.steps.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1][-1] += data
        if "li" in self.open:
            self.steps[-1] += data


@pytest.fixture
def plan() -> Plan:
    return formats.read(SOURCES / "isc4.conf")


def shown(plan: Plan, limit: Limit | None = None, rehearsal: Rehearsal | None = None) -> tuple[str, Page]:
    text = page(report_of(plan, "dhcpd.conf", limit, rehearsal)).decode()
    return text, Page(text)


def test_each_object_warning_and_difference_is_shown_with_its_line(plan: Plan) -> None:
    _, found = shown(plan, rehearsal=REHEARSAL)
    for planned in plan.objects:
        assert any(cells[:2] == [str(planned.line), planned.what] for cells in found.cells), planned
    for warned in plan.warnings:
        assert [str(warned.line), warned.what, warned.why] in found.cells
    assert [
        "02:00:00:00:00:02 through 192.0.2.1",
        "differs",
        "address",
        "192.0.2.7",
        "192.0.2.8",
    ] in found.cells
    silent = ["LL 02:00 through 2001:db8::1", "we are silent", "no pool has an address left", "", ""]
    assert silent in found.cells
    assert any("The rehearsal saw 192.0.2.1." in step for step in found.steps)
    assert any("the 2 clients that would get something else" in step for step in found.steps)


def test_leases_and_what_becomes_of_them() -> None:
    plan = formats.read(LEASES / "plan4.json")
    pin(plan, LEASES / "kea4.csv", datetime(2026, 3, 1, tzinfo=UTC))
    _, found = shown(plan)
    assert ["3", "made into reservations", "3, 9-10"] in found.cells
    assert any(cells[0] == "kea4.csv:3" for cells in found.cells)
    order = ["Stop the old server", "Copy its current leases", "Start the DHCP server", "Delete the pinned"]
    places = [next(at for at, step in enumerate(found.steps) if each in step) for each in order]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (None, "No server was asked for its limit"),
        (Limit(0, 5), "The server has no limit."),
        (Limit(1000, 5), "The server's limit is 1000; 995 are free."),
        (Limit(10, 9), "The server's limit is 10; 1 are free. {over} do not fit."),
    ],
)
def test_the_managed_address_limit(limit: Limit | None, said: str) -> None:
    plan = formats.read(SOURCES / "kea4.json")
    text, _ = shown(plan, limit)
    assert said.format(over=plan.managed_ips() - 1) in text


def test_what_the_source_says_is_text(plan: Plan) -> None:
    """In every place of the page."""
    for each in plan.objects:
        each.fields["description"] = EVIL
    plan.warnings = [msgspec.structs.replace(each, what=EVIL, why=EVIL) for each in plan.warnings]
    plan.format = EVIL
    text = page(report_of(plan, EVIL, None, REHEARSAL)).decode()
    assert Page(text).tags == {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ol", "li", "code"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    }
    assert Page(text).attributes == {"lang", "charset", "http-equiv", "content", "name", "class", "scope"}
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "src=//example.net" in text, "it is there, as text"


def test_the_page_loads_nothing(plan: Plan) -> None:
    text, _ = shown(plan)
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href|url)\s*[=(]|@import", text)


# --- the command


def ipam(*arguments: str, status: int = 0) -> str:
    ran = CliRunner().invoke(main, ["import", *arguments], catch_exceptions=False)
    assert ran.exit_code == status, ran.output
    return ran.output


def test_the_command_writes_both(tmp_path: Path) -> None:
    html, data, rehearsal = (tmp_path / name for name in ("report.html", "report.json", "rehearsal.json"))
    rehearsal.write_bytes(msgspec.json.encode(REHEARSAL))
    source = str(SOURCES / "kea4.json")
    ipam(source, "--report", str(html), "--report", str(data), "--rehearsal", str(rehearsal))
    Page(html.read_text())
    report = json.loads(data.read_bytes())
    assert report["counts"]["subnets"] == 4
    assert report["plan"]["statements"]["read"] > 0
    assert report["rehearsal"]["summary"] == REHEARSAL.summary
    assert report["managed_limit"] is None
    assert any(f"ipam import {source} --apply" in step for step in report["steps"])


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    source, nothing = str(SOURCES / "kea4.json"), tmp_path / "nothing.json"
    nothing.write_text("[]")
    assert "must end in .html or .json" in ipam(source, "--report", "report.pdf", status=2)
    assert "--rehearsal needs --report" in ipam(source, "--rehearsal", str(nothing), status=2)
    report = ["--report", str(tmp_path / "report.html")]
    assert "is not output of ipam replay --json" in ipam(
        source, *report, "--rehearsal", str(nothing), status=1
    )
    missing = str(tmp_path / "missing" / "report.html")
    assert "No such file or directory" in ipam(source, "--report", missing, status=1)
