"""The database's clock is put forward, as by an operator or a time server, while clients count by their own."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from chaos.conftest import made
from chaos.judge import TAKEN, judge_holds
from chaos.plots import RANDOM
from chaos.rig import Rig
from system.namespaces import Network

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres"), pytest.mark.peer("faketime")]
STEP_SECONDS = 60  # more than leases and their margin: by the database's word every address is free


@pytest.fixture
def stepping(chaos_folder: Path, template: Path) -> Iterator[Rig]:
    folder = made(chaos_folder / "stepping")
    with Network() as network, Rig(network, folder, template, servers=2, own_clock=True) as rig:
        yield rig
        rig.say()


def test_a_clock_that_is_put_forward_doubles_no_address(stepping: Rig, chaos_seconds: float) -> None:
    """A pool of which most is leased, by clients that renew slowly: whatever seems free is another's soon."""
    database = stepping.database
    with stepping.crowd(RANDOM, count=200, rate=40.0).running() as crowd:
        crowd.goes_on(150)
        with crowd.at_rest():  # what one server has just acknowledged, the other one does not know
            database.step_clock(STEP_SECONDS)
        stepped = time.time()
        time.sleep(chaos_seconds / 2)
        stepping.whole()
    assert len(crowd.since(stepped, TAKEN)) > 20
    verdict = judge_holds(crowd.records)
    assert not verdict.faults, str(verdict)
