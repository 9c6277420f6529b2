"""Three DHCP servers on one database, which the tests share; two on a primary with its standby, for one test alone."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from chaos.databases import make_template
from chaos.rig import Rig
from harness import prepared_folder
from harness.memory_folder import memory_folder
from system.conftest import pytest_runtest_setup
from system.namespaces import Network

__all__ = ["pytest_runtest_setup"]  # which skips where a peer is missing


@pytest.fixture(scope="session")
def chaos_folder() -> Iterator[Path]:
    """A short path that every account can pass."""
    folder = Path(tempfile.mkdtemp(prefix="ipam-chaos-", dir=memory_folder() or "/tmp"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def template(run_folder: Path) -> Path:
    return prepared_folder.once(run_folder, "chaos", make_template)


@pytest.fixture
def chaos_seconds(request: pytest.FixtureRequest) -> float:
    return float(request.config.getoption("--chaos-seconds"))


@pytest.fixture(scope="session")
def shared_rig(chaos_folder: Path, template: Path) -> Iterator[Rig]:
    folder = made(chaos_folder / "three")
    with Network() as network, Rig(network, folder, template) as rig:
        yield rig


@pytest.fixture
def three(shared_rig: Rig) -> Iterator[Rig]:
    """One database, three servers; all of them ready before and after."""
    shared_rig.whole()
    yield shared_rig
    try:
        shared_rig.whole()
    finally:
        shared_rig.say()


@pytest.fixture
def workers() -> int:
    """Of each server of a pair; a test that wants more of them names them as its parameter."""
    return 1


@pytest.fixture
def pair(chaos_folder: Path, template: Path, request: pytest.FixtureRequest, workers: int) -> Iterator[Rig]:
    """A primary whose commits wait for its standby, two servers that know both."""
    folder = made(chaos_folder / f"pair{abs(hash(request.node.name)) % 10_000}")
    with (
        Network() as network,
        Rig(network, folder, template, databases=2, servers=2, workers=workers) as rig,
    ):
        yield rig
        rig.say()


def made(folder: Path) -> Path:
    folder.mkdir(mode=0o711)
    return folder
