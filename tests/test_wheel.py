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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what git knows, so that nothing lies there by accident."""
    source = tmp_path_factory.mktemp("source")
    names = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
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


def test_the_wheel_holds_what_runs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"api", "dhcp_fast", "ipam_core", tops.difference({"api", "dhcp_fast", "ipam_core"}).pop()}
    for step in (ROOT / "migrations").glob("*.sql"):
        assert f"ipam_core/migrations/{step.name}" in names
    for queries in (ROOT / "ipam_core/db/sql").glob("*.sql"):
        assert f"ipam_core/db/sql/{queries.name}" in names
    for module in [
        *ROOT.glob("api/**/*.py"),
        *ROOT.glob("ipam_core/**/*.py"),
        *ROOT.glob("dhcp_fast/**/*.py"),
    ]:
        assert str(module.relative_to(ROOT)) in names
    for extension in ROOT.glob("dhcp_fast/**/*.pyx"):
        compiled = str(extension.relative_to(ROOT).with_suffix("."))
        assert any(name.startswith(compiled) and name.endswith(".so") for name in names), compiled


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
