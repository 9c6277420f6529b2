"""SIGKILL of the DHCP process in a storm: what was acknowledged stands, and serving begins again."""

import contextlib
import os
import signal
from pathlib import Path

from outage.databases import fetch
from outage.processes import Role, await_true, signal_all
from outage.storms import judge, renew, storm

from dhcp_fast.bench.servers.processes import family
from ipam_core.db.embedded.server import running_dsn


def test_a_killed_server_loses_no_lease_and_gives_none_twice(plan_database: str, tmp_path: Path) -> None:
    """Thrice in one storm. Then each client renews: the server that is left knows every lease of the killed ones."""
    with Role(tmp_path, "dhcp", database_url=plan_database) as server:
        server.ready()
        with storm(server.address) as running:
            for _ in range(3):
                running.goes_on(1500)
                assert server.end(signal.SIGKILL) == -signal.SIGKILL
                server.start()
            running.goes_on(1500)
            result = running.result()
        assert judge(plan_database, result).clients >= 6000
        renew(server.address, result)


def test_ipam_up_starts_a_killed_server_again(prepared_dir: Path, tmp_path: Path) -> None:
    with Role(tmp_path, "up", "--demo", data_dir=str(prepared_dir)) as up:
        up.ready()
        with storm(up.address) as running:
            running.goes_on(1000)
            os.kill(dhcp_process(up), signal.SIGKILL)
            await_true(lambda: "dhcp exited with status -9" in up.said(), "said to have ended")
            running.goes_on(1000)
            result = running.result()
        dsn = running_dsn(prepared_dir)
        assert dsn is not None
        judge(dsn, result)
        up.ready()


def test_sigkill_of_everything_and_a_second_start_finds_its_leases(
    prepared_dir: Path, tmp_path: Path
) -> None:
    """The power fails: `ipam up`, its parts and PostgreSQL are gone at once."""
    with Role(tmp_path, "up", "--demo", data_dir=str(prepared_dir)) as up:
        up.ready()
        with storm(up.address) as running:
            running.goes_on(1000)
            signal_all(family(up.pid), signal.SIGKILL)
            assert up.ended() == -signal.SIGKILL
            up.start()
            running.goes_on(1000)
            result = running.result()
        dsn = running_dsn(prepared_dir)
        assert dsn is not None
        judge(dsn, result)
        renew(up.address, result)
        assert fetch(dsn, "select count(*) from lease where state = 'a'") >= 2000


def dhcp_process(up: Role) -> int:
    (found,) = [pid for pid in family(up.pid) if command_of(pid).endswith("\0dhcp\0--family\0" + "4\0")]
    return found


def command_of(pid: int) -> str:
    """Empty for a process that has ended since it was listed, as sessions of PostgreSQL do."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""
