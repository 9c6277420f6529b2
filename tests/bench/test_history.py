"""The benchmarks of the past, small: they check their answers, and every line has its figures."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def table(*command: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]


def test_questions_to_a_history_of_days() -> None:
    rows = table("benchmarks.history", "--rows", "24000", "--days", "12", "--questions", "20")
    asked = [row for row in rows if row[0].startswith(("who ", "where "))]
    assert len(asked) == 11
    assert all(0 < float(figure) < 2000 for row in asked for figure in row[2:])
    beside = [row for row in rows if row[0] in ("nothing", "half of the days forgotten")]
    assert all(float(row[5]) < 2000 for row in beside)
    assert len(beside) == 2


def test_samples_and_the_dashboard() -> None:
    rows = table("benchmarks.figures", "--subnets", "100")
    told = {row[0]: row[1:] for row in rows}
    assert {"a sample, 300 rows", "a sample, 30 rows", "a sample, 0 rows", "the dashboard"} <= set(told)
    assert float(told["the dashboard"][0]) < 500
