"""A peer that could not be had: skipped with one closing line that says why, a failure where CI=true."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
NEEDY = """
import pytest

@pytest.mark.peer("dhclient")
def test_one(): ...

@pytest.mark.peer("dhclient")
def test_two(): ...
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout whose .peers says that dhclient could not be had."""
    (tmp_path / ".peers").mkdir()
    shutil.copytree(TESTS / "system", tmp_path / "tests/system", ignore=shutil.ignore_patterns("test_*.py"))
    shutil.copytree(TESTS / "harness", tmp_path / "tests/harness")
    for path in TESTS.glob("*.py"):
        if not path.name.startswith("test_"):
            shutil.copy(path, tmp_path / "tests")
    (tmp_path / "pyproject.toml").write_text((TESTS.parent / "pyproject.toml").read_text())
    (tmp_path / "tests/system/test_needy.py").write_text(NEEDY)
    (tmp_path / ".peers/missing").write_text("dhclient\tno libfoo.so\n")
    return tmp_path


def run(checkout: Path, ci: str, *more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "CI": ci}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *more]
    return subprocess.run(
        command, cwd=checkout, env=env, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_a_missing_peer_is_skipped_and_named_once(checkout: Path, workers: tuple[str, ...]) -> None:
    done = run(checkout, "", *workers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 skipped" in done.stdout
    closing = "skipped for want of a peer: dhclient (no libfoo.so)"
    assert done.stdout.splitlines().count(closing) == 1


def test_a_missing_peer_fails_where_ci_is_true(checkout: Path) -> None:
    done = run(checkout, "true")
    assert done.returncode == 1
    assert "missing peer: dhclient (no libfoo.so)" in done.stdout
