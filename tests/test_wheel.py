"""The wheel is whole: in an environment of its own, from a folder that is not the checkout, it migrates."""

import asyncio
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git knows, so that nothing lies there by accident."""
    folder = tmp_path_factory.mktemp("source")
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."]
    subprocess.run([*build, "--wheel-dir", "dist"], cwd=source, check=True)
    (found,) = (source / "dist").glob("ipam-*.whl")
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


def test_the_wheel_holds_what_runs_and_nothing_else(source: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = ("api", "dhcp_fast", "ipam_core")
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(packages)
    wanted = {str(path.relative_to(source)) for top in packages for path in (source / top).rglob("*.py")}
    wanted |= {f"ipam_core/db/sql/{path.name}" for path in (source / "ipam_core/db/sql").glob("*.sql")}
    wanted |= {f"ipam_core/migrations/{path.name}" for path in (source / "migrations").glob("*.sql")}
    assert wanted - names == set()
    extensions = {str(path.relative_to(source).with_suffix("")) for path in source.glob("dhcp_fast/**/*.pyx")}
    assert extensions - {name.split(".")[0] for name in names if name.endswith(".so")} == set()


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
