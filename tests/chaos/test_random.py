"""Everything at random: servers and their database are cut off, stopped, killed and changed beside each other."""

import random
import signal
import time
from collections.abc import Callable

import pytest
from chaos.judge import judge_by
from chaos.plots import RANDOM
from chaos.rig import Rig, Server
from outage.databases import execute

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
CHANGE = (
    "with changed as (update subnet set fence = fence + 1 returning no)"
    " select pg_notify('ipam_change', no::text) from changed"
)


@pytest.mark.parametrize("times", [1, pytest.param(8, marks=pytest.mark.long)])
def test_no_acknowledged_lease_is_lost_and_no_address_doubled(
    three: Rig, chaos_seconds: float, times: int, request: pytest.FixtureRequest
) -> None:
    """A pool that is nearly full, so that what is free is another's at once."""
    seed = int(request.config.getoption("--campaign-seed"))
    chance = random.Random(seed)
    with three.crowd(RANDOM, count=250, rate=120.0, seed=seed).running() as crowd:
        crowd.goes_on(50)
        end = time.monotonic() + times * chaos_seconds
        done = []
        while time.monotonic() < end:
            fault = chance.choice(FAULTS)
            done.append(fault.__name__)
            fault(three, chance.choice(three.servers), chance.uniform(0.5, 4.5))
            time.sleep(chance.uniform(0.2, 1.0))
        three.whole()
        crowd.goes_on(50)
    verdict = judge_by(three.database.dsn, crowd.records)
    assert not verdict.faults, f"{done}: {verdict}"


def cut_one(rig: Rig, server: Server, seconds: float) -> None:
    with rig.cut_off(server.number):
        time.sleep(seconds)


def cut_all(rig: Rig, _server: Server, seconds: float) -> None:
    with rig.cut_off(1):
        time.sleep(seconds)


def freeze_server(_rig: Rig, server: Server, seconds: float) -> None:
    with server.frozen():
        time.sleep(seconds)


def kill_server(_rig: Rig, server: Server, _seconds: float) -> None:
    server.end(signal.SIGKILL)
    server.start()


def freeze_database(rig: Rig, _server: Server, seconds: float) -> None:
    with rig.database.frozen():
        time.sleep(seconds)


def kill_database(rig: Rig, _server: Server, _seconds: float) -> None:
    rig.database.kill()
    rig.database.start()


def change_subnets(rig: Rig, _server: Server, _seconds: float) -> None:
    execute(rig.database.dsn, CHANGE)


FAULTS: list[Callable[[Rig, Server, float], None]] = [
    cut_one,
    cut_one,
    cut_all,
    freeze_server,
    kill_server,
    freeze_database,
    kill_database,
    change_subnets,
]
