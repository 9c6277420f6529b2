"""The last release's own DHCP server on the next schema, beside this version's: `make upgrade`.

Its sources are taken out of the repository's history and compiled, which takes minutes, so no test of every change
looks for this file; what its statements ask of the schema is held by test_last_release.py.

The first release that others upgrade from is 0.2.0. Until it is there, RELEASE is the last commit, and the next schema
has the steps of next_version.py, which it does not know.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import made
from outage.processes import Role
from outage.storms import Background, judge, renew, storm
from upgrade.next_version import STEPS, next_version

from dhcp_fast.bench.generator.result import Result
from dhcp_fast.bench.servers import bench_plan
from ipam_core.db.migrate import advance

ROOT = Path(__file__).parents[2]
RELEASE = "HEAD"
"""The commit that is the last release, whose statements are recorded (record.py)."""
EXCHANGES = 3000
RACES = 12
"""The most clients that may lose their address to another's REQUEST at the other server. Of 3,000 and 3,000 clients,
2.2 pairs hash to one address of four million (engine rule 19); more than twelve do once in a million runs."""


@pytest.fixture(scope="session")
def release() -> Path:
    """A folder with its sources and extensions."""
    command = ["git", "rev-parse", "--short=12", RELEASE]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.strip()
    folder = ROOT / "build" / "upgrade" / commit
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        sources = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", "-", "-C", folder], input=sources, check=True)
        (folder / "ipam_core/migrations").symlink_to("../migrations")  # as it is installed
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"]
        subprocess.run(command, cwd=folder, check=True)
        (folder / "built").touch()
    return folder


@pytest.fixture
def upgraded(postgres_dsn: str, clerk: psycopg.Connection[Any], tmp_path: Path) -> Iterator[str]:
    """A database after `ipam migrate --pre` of the next version, with a plan."""
    (tmp_path / "steps").mkdir()
    with made(clerk, postgres_dsn) as dsn, next_version(tmp_path / "steps"):
        assert advance(dsn, "pre").left == [list(STEPS)[-1]]
        asyncio.run(bench_plan.insert(dsn, cache_threshold=0))
        yield dsn


def old_server(release: Path, dsn: str, folder: Path) -> Role:
    role = Role(folder, "dhcp", database_url=dsn)
    role.environment["PYTHONPATH"] = str(release)
    told = [sys.executable, "-P", "-c", "import dhcp_fast.engine.engine as it; print(it.__file__)"]
    found = subprocess.run(
        told, env=os.environ | role.environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith(str(release)), found.stdout
    return role


def test_both_serve_the_same_clients(release: Path, upgraded: str, tmp_path: Path) -> None:
    """As while hosts are upgraded one by one: at once on one pool, each renewing what the other gave and serving its
    clients when they begin anew; then the new one alone, after the steps of `ipam migrate --post`."""
    with Role(tmp_path, "dhcp", database_url=upgraded) as new:
        new.ready()
        with old_server(release, upgraded, tmp_path) as old:
            old.ready()
            with begin(old, 0) as before, begin(new, 1) as after:
                first = [ended(before), ended(after)]
            lost = races(old) + races(new)
            renewed = [renew(new.address, first[0]), renew(old.address, first[1])]
            with begin(new, 0) as before, begin(old, 1) as after:
                again = [ended(before), ended(after)]
            assert old.end(signal.SIGTERM) == 0
        assert advance(upgraded, "post").applied == [list(STEPS)[-1]]
        renewed += [renew(new.address, held) for held in first]
        judge(upgraded, *first, *renewed, *again)
    assert sum(result.naks for result in first) == lost <= RACES
    assert [result.acks + result.naks for result in first] == [EXCHANGES] * 2
    assert [result.acks for result in renewed] == [result.acks for result in first] * 2
    assert [result.acks for result in again] == [EXCHANGES] * 2


def begin(server: Role, crowd: int) -> AbstractContextManager[Background]:
    """All clients of one of two crowds ask for a lease."""
    return storm(server.address, exchanges=EXCHANGES, first_client=crowd << 20)


def ended(running: Background) -> Result:
    running.thread.join()
    return running.result()


def races(server: Role) -> float:
    """How many clients it has refused because another was faster at the other server."""
    return server.metric('ipam_dhcp4_unusual_total{decision="nak_lost_race"}')
