"""Who had an address when: the history of leases that run out while they are asked for, through a failover."""

import time

import pytest
from chaos.crowd import Habits
from chaos.judge import judge_by
from chaos.plots import HASTY
from chaos.rig import Rig
from outage.databases import fetch

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
# Expiries that a grant or renewal follows soon: two servers write to one row at nearly the same time.
CLOSE = """
select count(*) from (
  select kind, at, lead(kind) over w as next, lead(at) over w as next_at
  from lease_event where address << $1::cidr window w as (partition by address order by version)) as event
where kind = 'x' and next in ('g', 'n') and next_at < at + interval '1 s'"""
AWAY_SECONDS = 2.0
TIMES = 4


def test_no_history_runs_against_its_versions(pair: Rig) -> None:
    """Clients renew at about the end of their leases, or leave without a word. What is written waits for a database
    that is away, and then for a lock: transactions that began together write one after the other, in any order."""
    primary, standby = pair.databases
    with pair.crowd(HASTY, count=250, rate=50.0, habits=Habits(rebind=0.7, leave=0.2)).running() as crowd:
        crowd.goes_on(120)
        primary.kill()
        time.sleep(AWAY_SECONDS)
        standby.promote()
        crowd.goes_on(20)
        for _ in range(TIMES):
            with standby.still():
                pass
        crowd.goes_on(20)
    assert fetch(standby.dsn, CLOSE, HASTY.cidr) >= 10
    verdict = judge_by(standby.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
