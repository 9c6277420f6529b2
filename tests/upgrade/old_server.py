"""The last release's own DHCP server on this version's schema, beside this version's: `make upgrade`.

Its sources are taken out of the repository's history and compiled, which takes minutes, so no test of every change
looks for this file; what its statements ask of the schema is held by test_last_release.py.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import made
from outage.processes import Role
from outage.storms import judge, renew, storm

from dhcp_fast.load.servers import bench_plan
from ipam_core.db.migrate import advance

ROOT = Path(__file__).parents[2]
RELEASE = "a72d51a316ee"
"""The commit that is 0.1.0, whose statements were recorded (record.py)."""
EXCHANGES = 3000


@pytest.fixture(scope="session")
def release() -> Path:
    """A folder with its sources and extensions."""
    folder = ROOT / "build" / "upgrade" / RELEASE
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        sources = subprocess.run(
            ["git", "archive", RELEASE], cwd=ROOT, capture_output=True, check=True
        ).stdout
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", "-", "-C", folder], input=sources, check=True)
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"]
        subprocess.run(command, cwd=folder, check=True)
        (folder / "built").touch()
    return folder


@pytest.fixture
def upgraded(postgres_dsn: str, clerk: psycopg.Connection[Any]) -> Iterator[str]:
    """A database after `ipam migrate --pre`, with a plan."""
    with made(clerk, postgres_dsn) as dsn:
        advance(dsn, "pre")
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
    """As while hosts are upgraded one by one: at once on one pool, each renewing what the other gave; then the new one
    alone, after the steps of `ipam migrate --post`."""
    with Role(tmp_path, "dhcp", database_url=upgraded) as new:
        new.ready()
        with old_server(release, upgraded, tmp_path) as old:
            old.ready()
            with (
                storm(old.address, exchanges=EXCHANGES) as before,
                storm(new.address, exchanges=EXCHANGES, first_client=1 << 20) as after,
            ):
                before.thread.join()
                after.thread.join()
                results = [before.result(), after.result()]
            results += [renew(new.address, results[0]), renew(old.address, results[1])]
            assert old.end(signal.SIGTERM) == 0
        advance(upgraded, "post")
        results += [renew(new.address, results[0]), renew(new.address, results[1])]
        judge(upgraded, *results)
    assert [result.acks for result in results] == [EXCHANGES] * len(results)
