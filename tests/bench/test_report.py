"""What comes out of a run: the help that explains the scenarios, the report, and pictures made from it."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from dhcp_fast import commands
from dhcp_fast.bench.report import plots
from dhcp_fast.bench.report.figures import Figures, Step, ratios
from dhcp_fast.bench.scenarios import SCENARIOS
from dhcp_fast.bench.servers.watching import growth

PNG = b"\x89PNG\r\n\x1a\n"


def step(label: str, rate: float, *, in_flight: int = 64, offered: int = 0, **facts: float | str) -> Step:
    """A step with figures that hang together."""
    return Step(
        label=label,
        in_flight=in_flight,
        offered_per_second=offered,
        per_second=rate,
        exchanges=1000,
        drops=0,
        naks=0,
        retransmits=0,
        lost_at_server=0,
        lost_in_generator=0,
        latency_ms={"p50": 1.0, "p90": 2.0, "p99": 3.0, "max": 4.0},
        cpu_us={"server": 1.0},
        facts=facts,  # type: ignore[arg-type]  # dicts are invariant
    )


def test_help_explains_every_scenario() -> None:
    shown = CliRunner().invoke(commands.bench, ["--help"], terminal_width=1000).output
    words = " ".join(shown.split())
    for name, scenario in SCENARIOS.items():
        assert f"{name} {scenario.summary}" in words
    assert "all All of them with short settings" in words


@pytest.mark.parametrize(
    "arguments",
    [
        ["--scenario", "doar"],
        ["--scenario", "dora,all"],
        ["--pool", "/7"],
        ["--fill", "100"],
        ["--in-flight", "0"],
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str]) -> None:
    assert CliRunner().invoke(commands.bench, arguments).exit_code == 2


def test_a_stub_run_writes_a_report_and_draws_it(tmp_path: Path) -> None:
    report, folder = tmp_path / "report.json", tmp_path / "pictures"
    told = [
        "--plain",
        "--stub",
        "--scenario",
        "dora,churn",
        "--exchanges",
        "500",
        "--in-flight",
        "8,32",
        "--leases",
        "100",
    ]
    done = CliRunner().invoke(commands.bench, [*told, "--json", str(report), "--plots", str(folder)])
    assert done.exit_code == 0, done.output
    found = json.loads(report.read_text())
    assert [result["scenario"] for result in found["results"]] == ["dora", "churn"]
    assert [entry["exchanges"] for entry in found["results"][0]["steps"]] == [500] * 3
    assert all(0 <= entry["stolen_percent"] <= 100 for entry in found["results"][0]["steps"])
    assert sorted(path.name for path in folder.iterdir()) == [
        "churn-rate-latency.png",
        "dora-rate-latency.png",
    ]
    again = [sys.executable, "-m", "dhcp_fast.bench.report.plots", str(report), str(tmp_path / "again")]
    subprocess.run(again, check=True, capture_output=True)
    assert all(is_picture(path) for where in ("pictures", "again") for path in (tmp_path / where).iterdir())
    assert len(list((tmp_path / "again").iterdir())) == 2


def test_fills_are_drawn_for_each_kind_of_pool(tmp_path: Path) -> None:
    steps = [
        step(f"{pool} {fill}", 1000.0 - fill, pool=pool, fill=fill, of_empty=1 - fill / 1000)
        for pool in ("/18 hashed", "/16 hashed", "/18 sequential")
        for fill in (0, 50, 99.9)
    ]
    measured = [Figures("fill", server, steps, None, clean=True) for server in ("ipam", "Kea, memory file")]
    report = {
        "machine": {"cpu": "A processor", "cores": "2"},
        "measured_at": "2026-01-01T00:00:00",
        "results": json.loads(plots_input(measured)),
    }
    drawn = plots.draw(report, tmp_path)
    assert [path.name for path in drawn] == ["fill-hashed.png", "fill-sequential.png"]
    assert all(is_picture(path) for path in drawn)


def plots_input(measured: list[Figures]) -> bytes:
    return msgspec.json.encode(measured)


def is_picture(path: Path) -> bool:
    """A PNG of a size that one can read."""
    data = path.read_bytes()
    width, height = struct.unpack_from(">II", data, 16)
    return data.startswith(PNG) and width > 800 and height > 500


def test_ratios_are_of_loads_that_both_had() -> None:
    own = Figures(
        "dora", "ipam", [step("a", 300.0), step("b", 10.0), step("c", 5.0, offered=5)], None, clean=True
    )
    other = Figures("dora", "Kea", [step("a", 100.0), step("c", 5.0, offered=5)], None, clean=True)
    apart = Figures("renew", "ipam", [step("a", 1.0)], None, clean=True)
    assert ratios([own, other, apart]) == {"dora": {"Kea": {"a": 3.0}}}


def test_each_server_has_a_load_at_which_it_is_best() -> None:
    """Which is not the one of its rival; an open loop is nobody's best."""
    own = Figures("dora", "ipam", [step("a", 100.0), step("b", 300.0)], None, clean=True)
    theirs = [step("a", 50.0), step("b", 10.0), step("c", 900.0, offered=900)]
    other = Figures("dora", "Kea", theirs, None, clean=True)
    assert ratios([own, other])["dora"]["Kea"] == {"a": 2.0, "b": 30.0, "each at its best load": 6.0}


def test_growth_is_of_the_last_third() -> None:
    """What came in the first third filled caches."""
    values = [1.0, 50.0, 100.0, 100.0, 100.0, 102.0, 103.0, 104.0, 105.0]
    assert growth([{"x": value} for value in values], "x") == round(104 - 302 / 3, 2)
    assert growth([{"x": 5.0}], "x") == 0.0
