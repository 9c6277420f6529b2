"""A short campaign with a fixed seed; `make chaos` has longer ones."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from chaos import nemesis
from chaos.campaign import Plan, carry_out, keep, report
from chaos.site import Site
from conftest import reachable_folder
from system.conftest import refuse
from system.peers import PeerMissingError

pytestmark = [pytest.mark.peers, pytest.mark.peer("etcd"), pytest.mark.peer("patroni")]
FAULTS = (nemesis.kill_server, nemesis.switch_over, nemesis.cut_server, nemesis.kill_postgres)
KEPT = Path("build/chaos")


@pytest.fixture
def site() -> Iterator[Site]:
    with reachable_folder() as folder, ExitStack() as ending:
        try:
            made = ending.enter_context(Site(folder))
        except PeerMissingError as error:
            refuse(error)
        yield made
        for log in sorted(folder.rglob("*.log")):
            print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-3000:]}")


def test_no_lease_is_lost_doubled_or_refused_and_everybody_is_served_again(site: Site) -> None:
    """Both families, from a server's end to the loss of the primary."""
    plan = Plan(seconds=120, seed=1, count=150, rate=60.0, faults=FAULTS, in_order=True)
    history, verdict = carry_out(site, plan)
    print(report(history, verdict))
    assert [fault.name for fault in history.faults] == [fault.__name__ for fault in FAULTS]
    if verdict.faults:
        KEPT.mkdir(parents=True, exist_ok=True)
        pytest.fail(f"{verdict}\nkept as {keep(KEPT, history, verdict)}")
    assert verdict.acks > 1000
