"""A primary falls silent, and its synchronous standby is promoted."""

import signal

import pytest
from chaos.judge import judge_by
from chaos.plots import WIDE_OPEN
from chaos.rig import Placed, Rig
from outage.processes import await_true

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
FOLLOWED_SECONDS = 30.0


@pytest.mark.parametrize("how", ["cut off", "frozen"])
def test_a_silent_first_host_is_left_for_the_promoted_one(pair: Rig, how: str) -> None:
    """Neither a reset nor ICMP says that it is gone: packets to it vanish, or its kernel takes connections that nobody
    serves. DHCP servers and API find the second host of the URL."""
    primary, standby = pair.databases
    api = pair.start_api()
    with pair.crowd(WIDE_OPEN, count=200, rate=100.0).running() as crowd:
        crowd.goes_on(50)
        api.ready()
        assert writes(api, 1)
        if how == "cut off":
            pair.cut(1)
        else:
            primary.signal(signal.SIGSTOP)
        standby.promote()
        crowd.goes_on(100, within=FOLLOWED_SECONDS)
        await_true(lambda: writes(api, 2), "a prefix", seconds=FOLLOWED_SECONDS)
        pair.whole()
    verdict = judge_by(standby.dsn, crowd.records)
    assert not verdict.faults, str(verdict)


def writes(api: Placed, number: int) -> bool:
    """The API makes a prefix; what it made without being able to say so counts."""
    status, _ = api.call(api.api, "POST", "/api/v1/prefixes", {"cidr": f"172.{15 + number}.0.0/16"})
    return status in (201, 409)
