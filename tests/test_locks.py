"""The lock files: a server installs nothing that only builds, tests and lint need, and all name the same versions."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def pinned(name: str) -> dict[str, set[str]]:
    """Package -> its versions; several where Pythons need different ones."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / name).read_text(), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


def declared(requirements: list[str]) -> set[str]:
    names = (re.match(r"[A-Za-z0-9-]+", requirement) for requirement in requirements)
    return {name.group().lower() for name in names if name}


def test_what_running_needs_is_locked_without_what_work_needs() -> None:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, built_with = described["project"], declared(described["dependency-groups"]["build"])
    extras = project["optional-dependencies"]
    running = pinned("requirements.lock").keys()
    assert declared([*project["dependencies"], *extras["embedded"]]) <= running
    assert not (declared([*extras["dev"], *extras["plots"]]) | built_with) & running
    assert built_with == pinned("requirements-build.lock").keys()
    assert not declared(extras["embedded"]) & declared(project["dependencies"])


LEFT_OUT = """
import sys
sys.modules |= dict.fromkeys(["Cython", "faker", "polyfactory", "setuptools", "pkg_resources", "uv"])
import api.app, api.server, api.commands, api.cli, dhcp_fast.commands, dhcp_fast.run, ipam_core.commands
api.app.create_routes()
"""


def test_a_server_runs_without_what_packages_leave_out() -> None:
    """Of the Debian package, and so of the container. A wheel has nothing but ours."""
    subprocess.run([sys.executable, "-c", LEFT_OUT], cwd=ROOT, check=True)
    text = (ROOT / ".ci/deb").read_text()
    assert not [name for name in ("aker", "polyfactory") if name not in text]


def test_the_locks_name_the_same_versions() -> None:
    running, working = pinned("requirements.lock"), pinned("requirements-dev.lock")
    running |= pinned("requirements-build.lock")
    assert {package: working.get(package) for package in running} == running
