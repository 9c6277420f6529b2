"""The version of a build: a number from pyproject.toml and the commit from git, also where git is not."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "ipam"
version = "{version}"
[tool.setuptools]
packages = []
"""
SETUP = """\
import sys
sys.path.insert(0, ".ci")
import version
from setuptools import setup
setup(options={"egg_info": {"tag_build": version.tag()}})
"""
ONE, TWO = "2026-11-27T20:30:00+00:00", "2026-11-27T20:45:00+00:00"


def git(folder: Path, *words: str, at: str = ONE) -> str:
    who = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    apart = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, env=apart | who | dates, check=True, capture_output=True, text=True).stdout


def version(folder: Path, *words: str) -> str:
    command = [sys.executable, str(folder / ".ci/version.py"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def package(folder: Path, number: str) -> Path:
    """A package with our version program and nothing else."""
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/version.py", folder / ".ci")
    (folder / "pyproject.toml").write_text(PACKAGE.format(version=number))
    (folder / "setup.py").write_text(SETUP)
    (folder / "MANIFEST.in").write_text("graft .ci\nglobal-exclude *.pyc\n")
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Two commits of a development version."""
    folder = package(tmp_path / "checkout", "0.2.0.dev0")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "commit", "-q", "--allow-empty", "-m", "two", at=TWO)
    return folder


def test_a_checkout_and_a_shallow_clone_name_the_same_commit(checkout: Path, tmp_path: Path) -> None:
    commit = git(checkout, "rev-parse", "HEAD")[:8]
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{checkout}", "shallow")
    for folder in (checkout, tmp_path / "shallow"):
        assert version(folder, "full") == f"0.2.0.dev0+202611272045.g{commit}"


def test_sdist_and_wheel_carry_the_commit_and_a_wheel_of_the_sdist_too(
    checkout: Path, tmp_path: Path
) -> None:
    told = version(checkout, "full")
    subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d", tmp_path], cwd=checkout, check=True)
    subprocess.run(["tar", "-xf", tmp_path / f"ipam-{told}.tar.gz", "-C", tmp_path], check=True)
    unpacked = tmp_path / f"ipam-{told}"
    assert version(unpacked, "full") == told
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_wheel", "-d", tmp_path], cwd=unpacked, check=True
    )
    assert (tmp_path / f"ipam-{told}-py3-none-any.whl").exists()


def test_a_release_is_its_number_alone(tmp_path: Path) -> None:
    folder = package(tmp_path / "released", "0.2.0")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    assert version(folder, "full") == "0.2.0"


def test_uncommitted_changes_are_in_the_version(checkout: Path) -> None:
    """The same ones give the same version; files that git does not know are in no package."""
    clean = version(checkout, "full")
    (checkout / "notes").write_text("x")
    assert version(checkout, "full") == clean
    for change in ("setup.py", "MANIFEST.in"):
        (checkout / change).write_text((checkout / change).read_text() + "\n")
        assert version(checkout, "full") == f"{clean}.dirty"
    git(checkout, "add", "setup.py", "MANIFEST.in")
    assert version(checkout, "full") == f"{clean}.dirty"
    assert version(checkout, "time") == "1795812300"
    git(checkout, "checkout", "-q", "-f", "HEAD")
    assert version(checkout, "full") == clean
    number = (checkout / "pyproject.toml").read_text().replace(".dev0", "")
    (checkout / "pyproject.toml").write_text(number)
    assert version(checkout, "full") == clean.replace(".dev0", "") + ".dirty"


def test_a_folder_without_git_has_no_time(tmp_path: Path) -> None:
    folder = package(tmp_path / "copy", "0.2.0.dev0")
    assert refusal(folder) == (
        f"version time: {folder} is not a git checkout. Set SOURCE_DATE_EPOCH to the time of its sources in "
        "seconds since 1970\n"
    )
    git(folder, "init", "-q")
    assert refusal(folder).startswith(f"version time: git cannot read {folder}: fatal: ")
    assert refusal(folder, PATH=str(tmp_path)) == (
        f"version time: {folder} is a git checkout, and git is missing. Install git\n"
    )


def refusal(folder: Path, **environment: str) -> str:
    """What the program prints instead of a time."""
    command = [sys.executable, str(folder / ".ci/version.py"), "time"]
    done = subprocess.run(command, env=os.environ | environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_folder_without_git_inside_of_another_checkout_has_no_commit(checkout: Path) -> None:
    assert version(package(checkout / "vendored", "0.2.0.dev0"), "full") == "0.2.0.dev0"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("0.1.0", "0.2.0.dev0+202611272030.gffffffff"),
        ("0.2.0.dev0+202611272030.gffffffff", "0.2.0.dev0+202611272031.g00000000"),
        ("0.2.0.dev0+202611272030.gffffffff", "0.2.0.dev0+202611272030.gffffffff.dirty"),
        ("0.1.9", "0.2.0.dev0"),
        ("0.2.0.dev0+202611272030.gffffffff.dirty", "0.2.0a1"),
        ("0.2.0.dev9", "0.2.0a0"),
        ("0.2.0a1.dev0", "0.2.0a1"),
        ("0.2.0a2", "0.2.0b1"),
        ("0.2.0b1", "0.2.0rc1"),
        ("0.2.0rc9", "0.2.0rc10"),
        ("0.2.0rc10", "0.2.0"),
        ("0.2.0", "0.2.1.dev0+202611272030.gffffffff"),
    ],
)
@pytest.mark.skipif(not shutil.which("dpkg"), reason="only Debian's own program knows how Debian sorts")
def test_debian_sorts_builds_as_they_were_made(older: str, newer: str) -> None:
    pair = [version(ROOT, "debian", each) for each in (older, newer)]
    assert all(re.fullmatch(r"[0-9][A-Za-z0-9.+~]*", each) for each in pair)
    subprocess.run(["dpkg", "--compare-versions", pair[0], "lt", pair[1]], check=True)
