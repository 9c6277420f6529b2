"""The synchronous standby is away, and an operator cancels the waits for it, before all fails over to that standby."""

import time

import pytest
from chaos.crowd import Habits
from chaos.judge import judge_by
from chaos.plots import EARLY
from chaos.rig import Rig

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
AGE_SECONDS = 4.0  # of leases, so that what a renewal adds is more than the judge overlooks
CANCEL_SECONDS = 0.3
FOLLOWED_SECONDS = 30.0


def test_no_lease_time_is_told_that_the_standby_does_not_know(pair: Rig, chaos_seconds: float) -> None:
    """Renewals that the primary alone has committed stand in its tables for every server to read. Clients that renew
    early meanwhile, which costs no write, are not told of them: after the failover they would count on more than there
    is."""
    primary, standby = pair.databases
    cancelled = 0
    with pair.crowd(EARLY, count=200, rate=100.0, habits=Habits(rebind=0.9)).running() as crowd:
        crowd.goes_on(150)
        time.sleep(AGE_SECONDS)
        early = [server.metric("ipam_dhcp4_early_renewals_total") for server in pair.servers]
        standby.leave_primary()
        end = time.monotonic() + chaos_seconds
        while time.monotonic() < end:
            time.sleep(CANCEL_SECONDS)
            cancelled += primary.cancel_waits()
        primary.kill()
        standby.promote()
        crowd.goes_on(20, within=FOLLOWED_SECONDS)
        pair.whole()
    assert all(early)
    assert cancelled
    verdict = judge_by(standby.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
