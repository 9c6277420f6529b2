"""The bills of materials list what the lock files pin, and the wheel carries them."""

import base64
import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import wheels

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)


@pytest.fixture(scope="module")
def bills(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return write(tmp_path_factory.mktemp("sbom"))


def write(folder: Path) -> dict[str, bytes]:
    """Of the version that the wheel has: the one of this run may be of an earlier commit."""
    program = [sys.executable, ROOT / ".ci/sbom.py", "write", folder, wheels.version()]
    subprocess.run(program, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def components(bill: bytes) -> dict[str, dict[str, Any]]:
    return {component["name"]: component for component in json.loads(bill)["components"]}


def test_every_locked_package_is_listed_with_its_hashes(bills: dict[str, bytes]) -> None:
    pinned = dict(PINNED.findall((ROOT / "requirements.lock").read_text()))
    listed = components(bills["ipam-python.cdx.json"])
    assert {name: component["version"] for name, component in listed.items()} == pinned
    assert all(
        component["purl"] == f"pkg:pypi/{name}@{component['version']}" for name, component in listed.items()
    )
    assert all(component["externalReferences"][0]["hashes"] for component in listed.values())


def test_packages_of_the_console_are_those_that_it_is_compiled_of(bills: dict[str, bytes]) -> None:
    """npm's lock file marks the others as `dev`."""
    lock = json.loads((ROOT / "api/console/package-lock.json").read_text())["packages"]
    wanted = {
        path.rpartition("node_modules/")[2]: package["version"]
        for path, package in lock.items()
        if path and not package.get("dev") and not package.get("optional") and not package.get("devOptional")
    }
    listed = components(bills["ipam-console.cdx.json"])
    assert wanted.items() <= {name: component["version"] for name, component in listed.items()}.items()
    assert not {"vite", "typescript", "@biomejs/biome", "axe-core"} & listed.keys()


def test_both_name_the_version_with_its_commit(bills: dict[str, bytes]) -> None:
    python, console = (
        json.loads(bill)["metadata"]["component"]["version"]
        for _, bill in sorted(bills.items(), reverse=True)
    )
    assert python == wheels.version()
    assert console == python.replace(".dev", "-0.dev.")


def test_the_same_lock_files_give_the_same_bills(bills: dict[str, bytes], tmp_path: Path) -> None:
    assert write(tmp_path) == bills


def test_the_wheel_carries_both(bills: dict[str, bytes]) -> None:
    """Below .dist-info/sboms (PEP 770), with the lines in RECORD by which installers check them."""
    with zipfile.ZipFile(wheels.wheel()) as archive:
        names = archive.namelist()
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        folder = f"{record.removesuffix('RECORD')}sboms/"
        assert {name: archive.read(folder + name) for name in bills} == bills
        rows = {row[0]: row[1] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        for name in bills:
            digest = hashlib.sha256(archive.read(folder + name)).digest()
            assert rows[folder + name] == "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
