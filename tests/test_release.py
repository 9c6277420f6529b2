"""The files of a release: the same octets for the same commit, notes of the right version, checksums that hold."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest
import wheels

ROOT = Path(__file__).parents[1]
EPOCH = "1795811400"
CHANGES = """# Changes

## Unreleased

### Added

- A new thing.

## 0.1.0 - 2026-11-25

- The first.
"""


def ci(name: str) -> ModuleType:
    """A module of .ci, which is no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / ".ci"))
        spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / f".ci/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


release, archive = ci("release"), ci("archive")


@pytest.fixture(autouse=True)
def epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)


def packed(folder: Path, names: list[str], seconds: int) -> Path:
    """An archive of two files as setuptools would make it: of this order and time, owned by somebody."""
    for name in names:
        (folder / name).write_text(f"of {name}")
        (folder / name).chmod(0o755 if name == "run" else 0o640)
        os.utime(folder / name, (seconds, seconds))
    target = folder / "made.tar.gz"
    with tarfile.open(target, "w:gz") as made:
        for name in names:
            made.add(folder / name, name)
    archive.normalize(target)
    return target


def test_archives_do_not_depend_on_time_order_or_owner(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = packed(tmp_path / "one", ["text", "run"], 1)
    two = packed(tmp_path / "two", ["run", "text"], 2)
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as found:
        told = [(item.name, item.mtime, item.mode, item.uid, item.uname) for item in found]
    assert told == [("run", int(EPOCH), 0o755, 0, ""), ("text", int(EPOCH), 0o644, 0, "")]


def test_the_chart_is_the_same_each_time_and_bears_the_version(tmp_path: Path) -> None:
    one, two = (release.chart(tmp_path / each) for each in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    full = release.version.full()
    assert one.name == f"ipam-{release.semantic(full)}.tgz"
    with tarfile.open(one) as found:
        names = {name.removeprefix("ipam/") for name in found.getnames()}
        chart = found.extractfile("ipam/Chart.yaml")
        assert chart is not None
        assert f"\nappVersion: {full}\n" in chart.read().decode()
    there = ROOT / "deploy/helm/ipam"
    assert names == {path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("ours", "semantic"),
    [
        ("0.2.0", "0.2.0"),
        ("0.2.0rc1", "0.2.0-rc.1"),
        ("0.2.0a10", "0.2.0-a.10"),
        ("0.2.0.dev0+202611272030.g1a2b3c4d", "0.2.0-0.dev.0+202611272030.g1a2b3c4d"),
    ],
)
def test_versions_of_charts_are_semantic(ours: str, semantic: str) -> None:
    assert release.semantic(ours) == semantic


def test_the_notes_are_the_section_of_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    for number, section in (("0.2.0.dev0", "### Added\n\n- A new thing."), ("0.1.0", "- The first.")):
        monkeypatch.setattr(release.version, "number", lambda number=number: number)
        monkeypatch.setattr(release.version, "full", lambda number=number: number)
        assert release.notes() == f"# ipam {number}\n\n{section}\n"
    monkeypatch.setattr(release.version, "number", lambda: "0.2.0")
    with pytest.raises(release.ReleaseError, match=r"has no section 0\.2\.0"):
        release.notes()


def test_the_checksums_hold(tmp_path: Path) -> None:
    (tmp_path / "sbom").mkdir()
    for name in ("b.deb", "a.whl", "sbom/c.json"):
        (tmp_path / name).write_text(name)
    (tmp_path / release.SUMS).write_text(release.sums(tmp_path))
    check = ["sha256sum", "--check", "--strict", release.SUMS]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    (tmp_path / "a.whl").write_text("other")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_a_changed_checkout_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release.refuse_changes()
    (tmp_path / "new.py").write_text("")
    with pytest.raises(release.ReleaseError, match=r"files differ from the commit: new\.py"):
        release.refuse_changes()


def test_without_a_builder_no_image_is_built_and_that_is_said(tmp_path: Path) -> None:
    """Unless one is needed."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("dirname", "basename", "mkdir", "sh"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    for needed, status in (("0", 0), ("1", 1)):
        environment = {"PATH": str(tools), "NEED_IMAGE": needed}
        command = [ROOT / ".ci/image", sys.executable, tmp_path]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, "The container image was not built" in done.stderr) == (status, True)


@pytest.mark.long
def test_wheel_sdist_and_package_have_the_same_octets_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those that other tests use, which were made of the same commit."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        subprocess.run([sys.executable, ROOT / ".ci/build_backend.py", folder], cwd=ROOT, check=True)
    subprocess.run([ROOT / ".ci/wheel", sys.executable, two], check=True)
    shutil.copy(wheels.wheel(), one)
    if wheels.fits_debian():
        chosen = os.environ | {"COMPRESSION": "1", "WHEEL": str(next(two.glob("*.whl")))}
        subprocess.run([ROOT / ".ci/deb", sys.executable, two], env=chosen, check=True)
        shutil.copy(wheels.package(), one)
    assert release.sums(one) == release.sums(two)
    assert len(release.sums(two).splitlines()) >= 2
