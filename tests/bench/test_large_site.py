"""The engine on a large site, as a benchmark: every packet is answered or written, and each kind has its line."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIZES = [
    "--leases",
    "70000",
    "--subnets",
    "100",
    "--reservations",
    "1000",
    "--packets",
    "300",
    "--rounds",
    "1",
]


@pytest.mark.long
def test_each_kind_of_packet_has_its_figures() -> None:
    """The command itself refuses drops and rows that were lost. So many leases make the engine look ahead."""
    command = [sys.executable, "-m", "benchmarks.large_site", *SIZES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[0] for row in rows] == ["DISCOVER", "REQUEST", "renewal", "both of an exchange"]
    assert all(float(figure) > 0 for row in rows for figure in row[1:4])
