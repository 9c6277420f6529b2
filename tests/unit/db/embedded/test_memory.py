"""Memory for PostgreSQL's buffers: a container's limit counts, not its host's memory."""

from pathlib import Path

import pytest

from ipam_core.db.embedded.memory import available

MIB = 1 << 20


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    made = tmp_path / "cgroup"
    (made / "system.slice" / "ipam.service").mkdir(parents=True)
    return made


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own"
    path.write_text("0::/system.slice/ipam.service\n")
    return path


@pytest.mark.parametrize("folder", [".", "system.slice", "system.slice/ipam.service"])
def test_the_limit_of_a_group_or_of_one_above_it_counts(groups: Path, own: Path, folder: str) -> None:
    (groups / "system.slice" / "ipam.service" / "memory.max").write_text("max\n")
    (groups / folder / "memory.max").write_text(f"{64 * MIB}\n")
    assert available(groups, own) == 64 * MIB


def test_without_a_limit_it_is_the_machines(groups: Path, own: Path, tmp_path: Path) -> None:
    (groups / "system.slice" / "memory.max").write_text("max\n")
    machine = available(tmp_path / "none", tmp_path / "none")
    assert machine > 64 * MIB
    assert available(groups, own) == machine


def test_a_limit_above_the_machines_memory_is_none(groups: Path, own: Path, tmp_path: Path) -> None:
    (groups / "memory.max").write_text(f"{1 << 60}\n")
    assert available(groups, own) == available(tmp_path / "none", tmp_path / "none")
