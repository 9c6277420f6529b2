"""Names with characters that control a terminal: no sentence, question, table, CSV or JSON contains them."""

import ast
import csv
import io
import json
from ipaddress import IPv4Address
from pathlib import Path

import click
import pytest
from cli.serving import Served, ipam
from click.testing import CliRunner
from rich.console import Console

import api.cli
from api.cli import main
from api.cli.cells import csv_cell
from api.client import Client
from api.commands import report
from dhcp_fast.packets import message4
from dhcp_fast.probe.client import Refused
from dhcp_fast.probe.probe import fail, print_lease
from ipam_core.printing import confirm, say
from ipam_core.services.zone_check import ZoneFinding

EVIL = "\x1b]0;owned\x07\x9b31m\r\nipam: all is well\u202egnp"
PRINTING = {"echo", "secho", "confirm", "prompt", "echo_via_pager"}
OWN = {"completion.py", "helping.py"}
"""Modules that may call click's functions, because they print what no one has stored."""
ROOT = Path(api.cli.__file__).parents[2]
PRINTERS = ("api/cli", "api/commands.py", "dhcp_fast/probe", "dhcp_fast/trace.py", "dhcp_fast/replay")
"""Commands that print names which clients, servers or other people chose."""


def is_clean(shown: str) -> bool:
    return (
        all(each.isprintable() for line in shown.split("\n") for each in line) and "\nipam: all" not in shown
    )


@pytest.fixture
def plan(served: Served) -> Served:
    """A subnet with a pool, and a class: each with a name that speaks to the terminal."""
    ipam(served, "create", "prefix", "10.70.0.0/16")
    with Client(served.url, served.token) as client:
        subnet = {"cidr": "10.70.1.0/24", "name": EVIL, "description": EVIL}
        subnet["prefix_id"] = next(client.items("/prefixes"))["id"]
        made = client.request("POST", "/subnets", subnet)
        pool = {"start_ip": "10.70.1.10", "end_ip": "10.70.1.20", "name": EVIL}
        client.request("POST", f"/subnets/{made['id']}/pools", pool)
    return served


LINES = [
    ("subnets", 0),
    ("subnets --json", 0),
    ("subnets --csv", 0),
    ("show subnet 10.70.1.0/24", 0),
    ("show subnet 10.70.1.0/24 --json", 0),
    ("set subnet 10.70.1.0/24 vlan=9", 0),
    ("set subnet 10.70.1.0/24 description=plain", 0),
    ("set subnet 10.70.1.0/24 vlan=9 --dry-run", 0),
    ("add subnet 10.70.1.0/25", 1),
    ("add pool 10.70.1.15-30", 1),
    ("add reservation 10.70.1.15 02:00:00:00:00:01", 0),
    ("who 10.70.1.16", 0),
    ("map 10.70.1.0/24", 0),
    ("delete subnet 10.70.1.0/24", 1),
    ("delete subnet 10.70.1.0/24 --cascade --dry-run", 0),
    ("delete subnet 10.70.1.0/24 --cascade", 0),
]
"""Commands with their exit status."""


def test_a_stored_name_controls_no_terminal(plan: Served) -> None:
    for line, status in LINES:
        ran = ipam(plan, *line.split(), status=status)
        assert is_clean(ran.output), f"{line}: {ran.output!a}"


def test_what_is_printed_as_data_is_the_same_data(plan: Served) -> None:
    told = json.loads(ipam(plan, "subnets", "--json").stdout)
    assert told["name"] == EVIL
    (row,) = csv.DictReader(
        io.StringIO(ipam(plan, "subnets", "--csv", "--raw").stdout_bytes.decode(), newline="")
    )
    assert row["name"] == EVIL


def test_cells_of_csv_are_no_formulas() -> None:
    assert [csv_cell(each) for each in ("=1+1", "-2", ["@a", "b"], -2, -0.5, None, "a\nb", "\x1b=")] == [
        "'=1+1", "'-2", "'@a,b", -2, -0.5, None, "a\\nb", "\\x1b=",
    ]  # fmt: skip
    assert csv_cell("=\x1b", raw=True) == "=\x1b"


def test_sentences_and_questions_are_one_line() -> None:
    @click.command()
    def command() -> None:
        say(EVIL, bold=True)
        say(EVIL, err=True)
        confirm(f"Delete {EVIL}?")

    ran = CliRunner().invoke(command, input="y\n")
    assert ran.exit_code == 0
    assert is_clean(ran.output), ascii(ran.output)


def test_a_usage_error_repeats_no_control_character() -> None:
    ran = CliRunner().invoke(main, ["who", EVIL])
    assert ran.exit_code == 2
    assert is_clean(ran.output), ascii(ran.output)


def test_everything_is_printed_in_one_place() -> None:
    """Cells of CSV are escaped by `csv_cell`, which tables.py prints itself."""
    paths = [path for place in PRINTERS for path in (ROOT / place).rglob("*.py")]
    paths += [ROOT / place for place in PRINTERS if place.endswith(".py")]
    assert len(paths) > 80
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in paths
        if path.name not in OWN
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and prints(call) and "csv_line" not in ast.unparse(call)
    ]
    assert found == []


@pytest.mark.parametrize("as_json", [True, False])
def test_checks_of_the_host_print_no_control_character(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ipam zones check` and `ipam relays check` print names of tenants."""
    found = ZoneFinding(kind="outside", zone="example.net", tenant=EVIL)
    with pytest.raises(SystemExit):
        report([found], "nothing", as_json=as_json)
    assert is_clean(capsys.readouterr().out)


def test_a_suggested_command_quotes_what_people_chose() -> None:
    """People paste it into a shell."""
    finding = ZoneFinding("outside", "example.org", "a;reboot $(x)")
    assert "ipam update tenants 'a;reboot $(x)' dns_suffixes=" in str(finding)


@pytest.mark.parametrize("as_json", [True, False])
def test_a_probe_prints_no_control_character(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """The server chose the reason of a refusal, and the boot file, which is no markup either."""
    fail(1, as_json, Refused("10.0.0.1", EVIL), "Ask again.")
    ran = capsys.readouterr()
    assert is_clean(ran.out + ran.err)
    assert "Ask again." in ran.out + ran.err
    nowhere = IPv4Address("0.0.0.0")
    reply = message4.Reply(1, nowhere, nowhere, nowhere, b"", b"", b"", {12: b"a\x1b[31m"})
    facts = dict.fromkeys(("lease_time_seconds", "t1_seconds", "t2_seconds", "next_server"))
    facts |= {"address": "10.0.0.1", "mac": "02", "server_id": "1", "offer_ms": 1.0, "ack_ms": 1.0}
    print_lease(Console(), facts | {"boot_file": EVIL + "[red]x"}, reply, released=False)
    shown = capsys.readouterr().out
    assert is_clean(shown)
    assert "[red]x" in "".join(shown.split())


def prints(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in PRINTING and ast.unparse(call.func.value) == "click"
    return isinstance(call.func, ast.Name) and call.func.id == "print"
