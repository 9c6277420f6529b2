"""Several servers give out of one sequential pool: which of them offers which address?"""

import pytest
from chaos.judge import REFUSED, judge_by
from chaos.plots import SEQUENTIAL
from chaos.rig import Rig

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
BINDINGS = 600
REFUSED_SHARE = 0.05


def test_servers_of_one_sequential_pool_do_not_offer_the_same(three: Rig) -> None:
    """Each keeps to addresses of its own, so that few clients are refused because another one was faster."""
    with three.crowd(SEQUENTIAL, count=200, rate=150.0).running() as crowd:
        crowd.goes_on(BINDINGS, within=60.0)
    assert crowd.counted[REFUSED] <= REFUSED_SHARE * crowd.counted["bound"], crowd.counted
    verdict = judge_by(three.database.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
