"""A standby that was behind takes the place of its primary, and what was acknowledged last is lost in the database."""

import time
from collections import Counter
from ipaddress import IPv4Address

import pytest
from chaos.crowd import Crowd
from chaos.judge import REFUSED, TAKEN, held, judge_by, judge_holds, read_active
from chaos.plots import FLAPPING
from chaos.rig import Rig
from outage.databases import connected
from outage.processes import await_true

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
Holders = set[tuple[bytes, IPv4Address]]
SERVED_SECONDS = 3.0  # half a second on an idle machine
REFUSED_SHARE = 0.1  # of those whose address nobody else has in the database
HEARD_SECONDS = 15.0  # all clients have said something by then


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_promotion_lost_stays_with_its_clients(pair: Rig) -> None:
    """The servers know what they acknowledged: nobody else gets it, also where it is next in turn, and it is written
    again when its client asks, also when it asked before the servers had noticed. Service goes on soon."""
    primary, standby = pair.databases
    primary.wait_for_nobody()
    with pair.crowd(FLAPPING, count=200, rate=100.0).running() as crowd:
        crowd.goes_on(150)
        standby.leave_primary()
        crowd.goes_on(100)
        with primary.still():  # what one server has just acknowledged, the other one does not know
            standing = connected(standby.dsn, read_active)
            standby.promote()
            killed = time.time()
            primary.kill()
        owners = holding(crowd, killed)
        await_true(lambda: crowd.since(killed, TAKEN), "served again")
        await_true(lambda: {mac for mac, _ in owners} <= heard(crowd, killed), "heard", HEARD_SECONDS)
    assert owners - standing, "nothing was lost"
    verdict = judge_holds(crowd.records)
    assert not verdict.faults, str(verdict)
    verdict = judge_by(standby.dsn, [record for record in crowd.records if record.at >= killed])
    assert not verdict.faults, str(verdict)
    taken, refused = crowd.since(killed, TAKEN), crowd.since(killed, REFUSED)
    assert not {(record.mac, record.address) for record in refused} & undisputed(owners, standing)
    formerly = disputed(owners, standing)
    there = Counter(record.address for record in refused if record.address in formerly)
    assert max(there.values(), default=0) <= len(pair.servers)  # each learns of it by one refusal
    assert len(refused) - there.total() <= REFUSED_SHARE * len(taken)
    assert taken[0].at - killed < SERVED_SECONDS


def holding(crowd: Crowd, moment: float) -> Holders:
    """Hardware address and address of all who hold one then."""
    return {(hold.mac, hold.address) for hold in held(sorted(crowd.records)) if hold.end > moment}


def heard(crowd: Crowd, moment: float) -> set[bytes]:
    """Those of whom something was noted since."""
    return {record.mac for record in list(crowd.records) if record.at >= moment}


def disputed(owners: Holders, standing: Holders) -> set[IPv4Address]:
    """What is still a former client's in the database: its release was lost too, and the database arbitrates."""
    return {address for _, address in standing - owners}


def undisputed(owners: Holders, standing: Holders) -> Holders:
    formerly = disputed(owners, standing)
    return {(mac, address) for mac, address in owners if address not in formerly}
