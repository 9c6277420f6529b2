"""What `make wheel` and `make sdist` build is whole: in an environment of its own, away from the checkout and without
Node, it migrates and serves, the console too."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import httpx
import pytest
import wheels
from cli.serving import serving
from console import built
from system.test_up import Up, running

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
SERVED_SECONDS = 30.0
BUILT = "api/console/built"
COMPILED = f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
WITHOUT_PROGRAMS = ("/usr/bin/env", "PATH=")
SCRIPT = re.compile(r'src="(/(?:console/assets|docs)/[^"]+\.js)"')


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The files that git knows."""
    return set(wheels.known_files())


@pytest.fixture(scope="module")
def wheel() -> Path:
    return wheels.wheel()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel; the packages it depends on are lent by this one, less ours."""
    folder = tmp_path_factory.mktemp("environment")
    target = ["--target", str(lend_packages(folder)), "--no-deps", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *target, str(wheel)], check=True)
    return folder


def lend_packages(folder: Path) -> Path:
    """A new environment with those of this one, less ours and Node; where they stand in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for item in Path(sysconfig.get_path("purelib")).iterdir():
        if not item.name.startswith(("__editable__", "ipam", "nodejs")):
            (packages / item.name).symlink_to(item)
    return packages


@pytest.fixture(scope="module")
def sdist(known: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a copy of the checkout with the console built, as `make sdist` makes it of the checkout itself."""
    built.require()
    copy, folder = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("sdist")
    for name in known:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    shutil.copytree(ROOT / BUILT, copy / BUILT)
    subprocess.run([sys.executable, copy / ".ci/build_backend.py", folder], cwd=copy, check=True)
    (found,) = folder.glob("ipam-*.tar.gz")
    return found


def test_the_wheel_holds_what_runs_and_nothing_else(known: set[str], wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = ("api", "dhcp_fast", "ipam_core")
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(packages)
    built = ("api/console/built/", "api/guide/built/")
    others = {name for name in names if name.startswith("api/") and not name.startswith(built)}
    assert {name for name in others if not name.endswith((".py", "/"))} == set()
    wanted = {name for name in known if name.startswith(packages) and name.endswith(".py")}
    wanted = {name for name in wanted if not name.startswith("api/ansible/")}  # a package of Ansible's
    wanted |= {name for name in known if name.startswith(("ipam_core/db/sql/", "ipam_core/db/schema/"))}
    wanted.add("api/client/attributes.py")  # generated
    wanted |= {f"ipam_core/{name}" for name in known if name.startswith("migrations/")}
    assert wanted - names == set()
    engine = {name for name in known if name.startswith("dhcp_fast/") and name.endswith(".pyx")}
    assert {name.removesuffix(".pyx") for name in engine} - {
        name.split(".")[0] for name in names if name.endswith(".so")
    } == set()
    reference = {"swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "LICENSE", "NOTICE"}
    assert {f"{BUILT}/reference/{name}" for name in reference} - names == set()
    guide = {"index.html", "search.json", "how-to/install.html", "console/overview-1280-light.png"}
    assert {f"api/guide/built/{name}" for name in guide} - names == set()


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
    assert output.decode().startswith("applied 0071.baseline, functions/addresses_in_use")


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


def test_the_wheel_serves_the_console_without_node(environment: Path, database: str, tmp_path: Path) -> None:
    assert served_console(environment, database, tmp_path) == 200


def test_an_sdist_installs_and_serves_the_console_without_node(
    sdist: Path, database: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """Its build is this environment's interpreter without Node, and no program is on the path: the extensions are lent,
    because a compiler has to be there for these in any case."""
    environment, sources = tmp_path_factory.mktemp("environment"), unpacked(sdist, tmp_path)
    packages = lend_packages(environment)
    lend_compiled(sources)
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
    target = ("--target", str(packages), str(sources))
    subprocess.run([str(environment / "bin/python"), *install, *target], env={"PATH": ""}, check=True)
    assert served_console(environment, database, tmp_path) == 200
    shutil.rmtree(packages / BUILT)
    assert served_console(environment, database, tmp_path) == 404


def unpacked(sdist: Path, folder: Path) -> Path:
    subprocess.run(["tar", "-xf", sdist, "-C", folder], check=True)
    (found,) = folder.glob("ipam-*")
    return found


def lend_compiled(sources: Path) -> None:
    """As .ci/wheel does: where build_ext would put the extensions itself, with their times."""
    for path in (ROOT / "dhcp_fast").rglob("*"):
        if path.suffix in (".so", ".c"):
            base = sources / COMPILED if path.suffix == ".so" else sources
            target = base / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def served_console(environment: Path, dsn: str, folder: Path) -> int:
    """Return the status of /console/ and /docs at this environment's `ipam api`, whose scripts are there too, or the
    pages say why not. The guides are there in any case."""
    command = (*WITHOUT_PROGRAMS, str(environment / "bin/python"), "-P", "-m", "api.cli")
    with serving(dsn, folder, first_token=False, command=command) as served:
        root = served.url.removesuffix("/api/v1")
        assert "Tutorials" in httpx.get(f"{root}/docs/guide/").raise_for_status().text
        pages = [httpx.get(f"{root}{path}") for path in ("/console/", "/docs")]
        for page in pages:
            scripts = SCRIPT.findall(page.text)
            assert scripts or "make console" in page.text
            assert {httpx.get(root + script).status_code for script in scripts} <= {200}
        (status,) = {page.status_code for page in pages}
        return status
