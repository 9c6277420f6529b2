"""`ipam bench --realtime`, and the log that a storm's PostgreSQL begins with."""

import asyncio
import os
import threading
import time
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner
from rich.console import Console

from api.cli import main
from dhcp_fast import scheduling
from dhcp_fast.bench.scenarios.session import session
from dhcp_fast.bench.servers import databases, servers
from dhcp_fast.bench.servers.databases import LONG_CYCLE, migrated_postgres, pack_fully, recycle_log, scratch
from dhcp_fast.commands import bench
from ipam_core.errors import SettingsError

AHEAD = "select count(*) from pg_ls_waldir() where name > pg_walfile_name(pg_current_wal_lsn())"


def own_policies() -> set[int]:
    return {os.sched_getscheduler(int(thread.name)) for thread in Path("/proc/self/task").iterdir()}


def test_the_generator_is_scheduled_as_its_server_is(console: Console) -> None:
    with servers.stub() as server:
        server.realtime = True
        try:
            scheduling.require()
        except SettingsError:  # a machine that refuses it, which `ipam bench` says before it starts anything
            assert CliRunner().invoke(bench, ["--realtime"]).exit_code != 0
            return
        seen: set[int] = set()
        with session(server, console) as run:
            load = threading.Thread(target=run.step, args=("a",), kwargs={"seconds": 0.5, "window": 16})
            load.start()
            while load.is_alive():
                seen |= own_policies()
                time.sleep(0.05)
    assert scheduling.POLICY in seen
    assert own_policies() == {os.SCHED_OTHER}


def test_a_peer_is_not_compared_with_a_server_in_real_time() -> None:
    found = CliRunner().invoke(bench, ["--realtime", "--peer", "kea"])
    assert found.exit_code == 2
    assert "--realtime and --peer" in found.output


def test_a_peer_that_is_not_here_is_said_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dhcp_fast.bench.servers.kea.PEERS", tmp_path)
    monkeypatch.setattr("sys.argv", ["ipam", "bench", "--scenario", "dora", "--peer", "kea"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert capsys.readouterr() == (
        "",
        "ipam: Kea cannot be driven: kea-dhcp4 is not under .peers (tests/system/fetch_peers.sh fetches it)\n",
    )


def test_a_recycled_log_lies_ahead() -> None:
    async def count(dsn: str) -> int:
        connection = await asyncpg.connect(dsn)
        try:
            return int(await connection.fetchval(AHEAD))
        finally:
            await connection.close()

    with scratch() as folder, migrated_postgres(folder) as (_, dsn):
        before = asyncio.run(count(dsn))
        asyncio.run(recycle_log(dsn))
        assert asyncio.run(count(dsn)) - before == pytest.approx(databases.RECYCLED_SEGMENTS, abs=4)


def test_a_long_cycle_and_a_table_that_is_packed() -> None:
    async def read(dsn: str) -> list[str]:
        connection = await asyncpg.connect(dsn)
        try:
            settings = [str(await connection.fetchval(f"show {name}")) for name in LONG_CYCLE]
            return [
                *settings,
                *await connection.fetchval("select reloptions from pg_class where relname = 'lease'"),
            ]
        finally:
            await connection.close()

    with scratch() as folder, migrated_postgres(folder, LONG_CYCLE) as (_, dsn):
        asyncio.run(pack_fully(dsn))
        assert asyncio.run(read(dsn)) == ["32GB", "1d", "fillfactor=90"]
