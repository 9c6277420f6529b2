"""The setting dhcp_scheduling: who is scheduled in real time, and what a server says that may not be.

A machine may refuse it to everybody (a container without CAP_SYS_NICE); there a server has to say so.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from outage.databases import execute, fetch
from outage.processes import Role, await_true
from outage.storms import judge, storm

from dhcp_fast.bench.servers.processes import family
from dhcp_fast.scheduling import POLICY, is_child, listener

OURS = "application_name = 'ipam lease writer' and datname = current_database()"
WRITERS = f"select array_agg(pid) from pg_stat_activity where {OURS}"
OTHERS = """select array_agg(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
and application_name <> 'ipam lease writer'"""
END = f"select pg_terminate_backend(pid) from pg_stat_activity where {OURS}"
WITHOUT = ("setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice")
TRY = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"


@pytest.fixture(params=[1, 2])
def count(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


def started(dsn: str, folder: Path, count: int, scheduling: str, before: tuple[str, ...] = ()) -> Role:
    told = {"dhcp_workers": str(count), "dhcp_scheduling": scheduling}
    return Role(folder, "dhcp", before=before, database_url=dsn, **told)


def servers(role: Role) -> set[int]:
    """The processes that serve: workers, without their supervisor, or the only one."""
    return family(role.pid) - {role.pid} or {role.pid}


def policies(pids: set[int]) -> set[int]:
    """Of those that are still there: a pool lets sessions go."""
    found = set()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            found.add(os.sched_getscheduler(pid))
    return found


def threads(pids: set[int]) -> Iterator[int]:
    """All but the first of each process."""
    for pid in pids:
        yield from {int(thread.name) for thread in Path(f"/proc/{pid}/task").iterdir()} - {pid}


def assert_refused(role: Role) -> None:
    role.start()
    assert role.ended() != 0
    (line,) = [line for line in role.said().splitlines() if "dhcp_scheduling" in line]
    assert "CAP_SYS_NICE" in line
    assert "Traceback" not in role.said()


def test_server_and_writers_are_scheduled_in_real_time(
    plan_database: str, tmp_path: Path, count: int
) -> None:
    role = started(plan_database, tmp_path, count, "realtime")
    if subprocess.run([sys.executable, "-c", TRY], stderr=subprocess.DEVNULL, check=False).returncode:
        assert_refused(role)
        return
    with role:
        role.ready()
        await_true(lambda: len(fetch(plan_database, WRITERS) or ()) == 2 * count, "two sessions each")
        await_true(lambda: policies(set(fetch(plan_database, WRITERS))) == {POLICY}, "raised sessions")
        assert policies(servers(role)) == {POLICY}
        assert policies({*threads(servers(role)), *fetch(plan_database, OTHERS)}) <= {os.SCHED_OTHER}
        assert count == 1 or policies({role.pid}) == {os.SCHED_OTHER}
        with storm(role.address, exchanges=200, window=16, segments=False) as running:
            running.thread.join()
        judge(plan_database, running.result())
        before = set(fetch(plan_database, WRITERS))
        execute(plan_database, END)
        await_true(
            lambda: len(set(fetch(plan_database, WRITERS) or ()) - before) == 2 * count, "sessions anew"
        )
        await_true(lambda: policies(set(fetch(plan_database, WRITERS))) == {POLICY}, "raised again")


def test_they_are_scheduled_fairly_by_default(plan_database: str, tmp_path: Path) -> None:
    with Role(tmp_path, "dhcp", database_url=plan_database) as role:
        role.ready()
        await_true(lambda: len(fetch(plan_database, WRITERS) or ()) == 2, "two sessions")
        assert policies({role.pid, *fetch(plan_database, WRITERS)}) == {os.SCHED_OTHER}


def test_a_server_that_may_not_says_what_is_missing(plan_database: str, tmp_path: Path, count: int) -> None:
    before = WITHOUT if os.geteuid() == 0 else ()
    assert_refused(started(plan_database, tmp_path, count, "realtime", before))


def test_only_a_child_of_who_listens_is_taken_for_the_session() -> None:
    near, far = socket.socketpair(socket.AF_UNIX)
    with near, far, socket.create_server(("127.0.0.1", 0)) as server:
        assert listener(near) == os.getpid()
        with socket.create_connection(server.getsockname()) as distant:
            assert listener(distant) == 0
    child = subprocess.Popen(["sleep", "60"])
    try:
        assert is_child(child.pid, os.getpid())
        assert not is_child(child.pid, 0)
        assert not is_child(os.getppid(), os.getpid())
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert not is_child(child.pid, os.getpid())
