"""What people see on a terminal: tables as wide as it, and progress with counts when work takes over a second."""

import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from cli.serving import IPAM, serving
from rich.console import Console

from api.cli import progress, tables
from api.cli.progress import Counting
from ipam_core.model.families import FAMILIES

SITE = """
name: hq
prefixes:
  - cidr: 10.1.0.0/16
    subnets:
      - cidr: 10.1.2.0/24
        reservations:
"""


def test_the_bar_comes_after_a_second_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with Counting("Comparing", 4, console) as counting:
        counting.advance()
        assert screen.getvalue() == ""
        now[0] = 1.5
        counting.advance()
        counting.bar.refresh()
        assert "Comparing" in screen.getvalue()
        assert "2/4" in screen.getvalue()


def test_a_pipe_sees_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    pipe = io.StringIO()
    with Counting("Reading", None, Console(file=pipe)) as counting:
        counting.advance()
    assert pipe.getvalue() == ""


def on_terminal(environment: dict[str, str], *arguments: str, columns: int = 60, status: int = 0) -> str:
    """Everything that a terminal shows of a command."""
    ours, theirs = pty.openpty()
    environment = environment | {"COLUMNS": str(columns), "TERM": "xterm"}
    process = subprocess.Popen(
        [*IPAM, *arguments], env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(ours)
    assert process.wait(20) == status, shown
    return shown.decode()


def test_addresses_are_never_broken_over_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns, where the id alone takes 36."""
    screen = io.StringIO()
    narrow = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr(tables, "console", lambda: narrow)
    row = {
        "id": "0190b0a2-7d5e-7cc3-98c4-dc0c0c07398f",
        "cidr": "100.100.100.128/25",
        "name": "guests of the second floor",
        "gateway": "100.100.100.129",
        "dhcp_enabled": True,
        "utilisation": 0.998,
    }
    tables.Listing(tables.Style(), FAMILIES["subnets"].columns).show([row])
    assert "100.100.100.128/25 " in screen.getvalue()
    assert "100.100.100.129 " in screen.getvalue()


def test_tables_and_applying(database: str, tmp_path: Path) -> None:
    site = tmp_path / "site.yaml"
    rows = (f'          - {{mac: "02:00:00:00:00:{n:02x}", hostname: host-{n}}}\n' for n in range(60))
    site.write_text(SITE + "".join(rows))
    with serving(database, tmp_path) as served:
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
        assert "62 created" in on_terminal(environment, "apply", "-f", str(site))
        assert "nothing changed" in on_terminal(environment, "apply", "-f", str(site))
        shown = on_terminal(environment, "reservations", "list")
        assert "\x1b[1m" in shown, "the head of a table is bold"
        assert "host-59" in shown
        assert max(len(line) for line in shown.replace("\x1b", "\n").splitlines()) <= 66
        assert "\x1b[1m" in on_terminal(environment, "status", columns=40, status=1), "headings are bold"
        assert "\x1b[" not in on_terminal(environment, "status", "--no-color", status=1)
        assert "\x1b[" not in on_terminal(environment | {"NO_COLOR": "1"}, "status", status=1)
        narrow = on_terminal(environment, "subnets", "show", "10.1.2.0/24", columns=40)
        assert "decline_quarantine_seconds: 86400" in narrow
        assert "\u2026" not in narrow


def test_a_name_that_is_folded_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside columns that may not be broken, which take most of the line."""
    screen = io.StringIO()
    monkeypatch.setattr(
        tables, "console", lambda: Console(file=screen, force_terminal=True, width=80, color_system=None)
    )
    name = "abcdefghijklmnopqrstuvwxyz-0123456789"
    row = {"mac": "02:00:00:00:00:01", "hostname": name, "from": "2026-11-25T09:45:00.000Z"}
    tables.Listing(tables.Style(), ("mac", "hostname", "from", "until")).show([row | {"until": row["from"]}])
    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "".join(line[18:].split()[0] for line in lines[1:]) == name
    assert len(re.findall(r"2026-11-25 \d\d:45 \S+", lines[1])) == 2


def test_an_object_on_a_narrow_terminal_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names and values that do not fit beside one another."""
    narrow = Console(force_terminal=True, width=40, color_system=None)
    monkeypatch.setattr(tables, "console", lambda: narrow)
    address = "2001:db8:1111:2222:3333:4444:5555:6660"
    tables.print_rows({"decline_quarantine_seconds": "86400", "ip": address})
    assert capsys.readouterr().out == f"decline_quarantine_seconds: 86400\nip: {address}\n"
    tables.print_rows({"ip": "10.0.0.1", "name": "guests of the second floor at the end"})
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40
