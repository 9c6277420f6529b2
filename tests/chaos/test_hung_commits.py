"""A synchronous standby hangs, and with it every commit."""

import time

import pytest
from chaos.judge import judge_by
from chaos.plots import WIDE_OPEN
from chaos.rig import Rig

from dhcp_fast.database.connections import FEED_SESSIONS, PLAN_SESSIONS
from dhcp_fast.database.leases.lease_writers import SESSIONS as WRITERS

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
# How many a server has, however long commits hang: the last one hears changes.
SESSIONS_A_SERVER = WRITERS + PLAN_SESSIONS + FEED_SESSIONS + 1
BACK_SECONDS = 30.0


def test_commits_that_hang_leak_no_sessions(pair: Rig, chaos_seconds: float) -> None:
    """A hung commit is given up, but its backend waits on for the standby: its successor must not be one more. The
    operator needs a session too, and all goes on by itself when the standby is back."""
    primary, standby = pair.databases
    counted: list[int] = []
    with pair.crowd(WIDE_OPEN, count=200, rate=100.0).running() as crowd:
        crowd.goes_on(50)
        with standby.frozen():
            end = time.monotonic() + 2 * chaos_seconds
            while time.monotonic() < end:
                counted.append(primary.sessions())
                time.sleep(0.2)
        crowd.goes_on(100, within=BACK_SECONDS)
        pair.whole()
    assert max(counted) <= SESSIONS_A_SERVER * len(pair.servers)
    verdict = judge_by(primary.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
