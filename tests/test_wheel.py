"""What `make wheel` builds is whole: in an environment of its own, away from the checkout, it migrates and serves."""

import asyncio
import os
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pytest
from system.test_up import Up, running

ROOT = Path(__file__).parents[1]
SERVED_SECONDS = 30.0


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The files that git knows."""
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout
    return {name for name in names.decode().split("\0") if name}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([ROOT / ".ci/wheel", sys.executable, folder], check=True)
    (found,) = folder.glob("ipam-*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel; the packages it depends on are lent by this one, less ours."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    lent = Path(sysconfig.get_path("purelib"))
    for item in lent.iterdir():
        if not item.name.startswith(("__editable__", "ipam")):
            (packages / item.name).symlink_to(item)
    target = ["--target", str(packages), "--no-deps", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *target, str(wheel)], check=True)
    return folder


def test_the_wheel_holds_what_runs_and_nothing_else(known: set[str], wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = ("api", "dhcp_fast", "ipam_core")
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(packages)
    wanted = {name for name in known if name.startswith(packages) and name.endswith(".py")}
    wanted = {name for name in wanted if not name.startswith("api/ansible/")}  # a package of Ansible's
    wanted |= {name for name in known if name.startswith("ipam_core/db/sql/")}
    wanted |= {f"ipam_core/{name}" for name in known if name.startswith("migrations/")}
    assert wanted - names == set()
    extensions = {name.removesuffix(".pyx") for name in known if name.endswith(".pyx")}
    assert extensions - {name.split(".")[0] for name in names if name.endswith(".so")} == set()


def test_the_wheel_says_which_c_library_it_needs(wheel: Path) -> None:
    assert "-manylinux" in wheel.name


def test_the_engine_and_the_api_load_from_another_folder(environment: Path, tmp_path: Path) -> None:
    load = "import api.app, dhcp_fast.run; print(dhcp_fast.run.__file__)"
    command = [str(environment / "bin/python"), "-P", "-c", load]
    shown = subprocess.run(
        command, cwd=tmp_path, env={"PATH": ""}, check=True, capture_output=True, text=True
    )
    assert Path(shown.stdout.strip()).is_relative_to(environment)


async def test_it_migrates_from_another_folder(
    environment: Path, empty_database: str, tmp_path: Path
) -> None:
    process = await asyncio.create_subprocess_exec(
        *(str(environment / "bin/python"), "-P", "-m", "api.cli", "migrate"),
        cwd=tmp_path,
        env={"PATH": os.defpath, "IPAM_DATABASE_URL": empty_database},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    assert output.decode().startswith("applied 0001.plan, 0002.leases, 0003.operations")


async def test_it_serves_a_lease_where_nothing_can_be_compiled(
    environment: Path, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demonstration network, without a single program on the path, within the half minute that is promised."""
    monkeypatch.chdir(tmp_path)
    up = Up(data_dir, command=(str(environment / "bin/python"), "-P", "-m", "api.cli"))
    up.environment["PATH"] = ""
    began = time.monotonic()
    async with running(up):
        lease = await up.probe()
        assert time.monotonic() - began < SERVED_SECONDS
    assert str(lease["address"]).startswith("10.64.")
