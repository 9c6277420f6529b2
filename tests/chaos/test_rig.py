"""The rig itself: without a fault nothing is found, and a cut is one."""

import pytest
from chaos.judge import REFUSED, TAKEN, UNANSWERED, judge_by
from chaos.plots import WIDE_OPEN
from chaos.rig import Rig
from outage.processes import await_true

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]


def test_nothing_is_found_where_nothing_happens(three: Rig) -> None:
    """All three servers have their share of the clients, which go through the whole life of a lease."""
    with three.crowd(WIDE_OPEN, count=200, rate=120.0).running() as crowd:
        crowd.goes_on(200)
    verdict = judge_by(three.database.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
    assert verdict.holds >= 200
    assert {str(record.server) for record in crowd.since(0, TAKEN)} == {s.dhcp.host for s in three.servers}
    assert not crowd.counted[UNANSWERED]
    assert crowd.counted[REFUSED] < crowd.counted["bound"] / 10


def test_a_cut_is_one_servers_alone_and_heals(three: Rig) -> None:
    cut, *others = three.servers
    with three.cut_off(cut.number):
        await_true(lambda: cut.readiness()[0] == 503, "aware of the cut")
        assert all(server.is_ready() for server in others)
    cut.ready()
