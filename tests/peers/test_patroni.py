"""PostgreSQL under Patroni as deploy/patroni has it: its primary dies or freezes, and all of ours goes on by itself."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import IPv4Address
from typing import Any, NamedTuple

import httpx
import pytest
from cluster.addresses import CLIENTS, FIRST, URL, four
from cluster.lab import Lab
from conftest import reachable_folder
from outage.databases import fetch
from outage.storms import Background, judge, storm
from system.conftest import refuse
from system.namespaces import entered
from system.peers import PeerMissingError

from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template import Features
from dhcp_fast.probe.client import Client

pytestmark = [pytest.mark.peers, pytest.mark.peer("etcd"), pytest.mark.peer("patroni")]

SERVERS = [(four(FIRST["dhcp"] + number), 67) for number in range(2)]
API = f"http://{four(FIRST['api'])}:8080/api/v1"
# The primary's lock expires after 20 seconds; a standby looks for it every two.
PROMOTION_SECONDS = 40.0
# From then until another standby follows: one that was ahead of it, by what nobody was told of, is rewound first.
FOLLOWING_SECONDS = 60.0
# From then to the first ACK: a session with the new primary, and that has to have a synchronous standby.
GRANT_SECONDS = 10.0
# Until the former primary follows, rewound, and each node has its role again.
WHOLE_SECONDS = 120.0
FOLLOWED = (
    "select exists (select from pg_stat_replication where state = 'streaming' and sync_state <> 'async')"
)
STEADY_LOOKS = 5
PREFIXES = (f"172.16.{number}.0/24" for number in range(256))


class Failover(NamedTuple):
    """In seconds: until a standby is promoted, from then until another one follows it, without which nothing is
    committed, from then to the first ACK, and from the former primary's return until it follows too."""

    what: str
    promotion: float
    following: float
    grant: float
    whole: float

    def __str__(self) -> str:
        return (
            f"{self.what}: promoted after {self.promotion:.1f} s, followed {self.following:.2f} s later,"
            f" the first ACK {self.grant:.2f} s after that; whole again in {self.whole:.0f} s"
        )


@pytest.fixture
def lab() -> Iterator[Lab]:
    with reachable_folder() as folder, ExitStack() as ending:
        try:
            made = ending.enter_context(Lab(folder))
        except PeerMissingError as error:
            refuse(error)
        with entered(made.wire):
            yield made
        for log in sorted(folder.rglob("*.log")):
            print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-6000:]}")


def behind_the_relay(server: tuple[str, int], **run: Any) -> Storm:
    features = Features(giaddr=IPv4Address(CLIENTS))
    return Storm(
        server,
        local=(CLIENTS, 0),
        features=features,
        **run | {"patience": PROMOTION_SECONDS + FOLLOWING_SECONDS},
    )


def test_primaries_that_die_and_freeze_are_replaced(lab: Lab, request: pytest.FixtureRequest) -> None:
    """Nothing that was acknowledged is lost: not what a killed primary had just committed, and not what its successor
    committed while the frozen one slept, which Patroni 3.0.2 rewound when that one woke."""
    count = request.config.getoption("--failovers")
    lab.start(dhcp=2, api=1)
    assert fetch(URL, "show max_wal_size") == "4GB", "without deploy/postgresql-leases.conf"
    run = {"window": 16, "rate": 40.0, "seconds": 60.0 + 120.0 * count}
    with storm(SERVERS[0], kind=behind_the_relay, **run) as running:
        for number in range(count):
            print(f"\n{number + 1}. {fail_over(lab, running, freezing=number % 2 == 1)}", end="", flush=True)
        running.goes_on(100)
        result = running.result()
    print(f"\n{judge(URL, result)}")
    serve_on(lab)
    assert not [each.name for each in lab.services if "Traceback" in each.log.read_text()]


def fail_over(lab: Lab, running: Background, *, freezing: bool) -> Failover:
    """From one whole cluster to the next. A frozen primary wakes when its successor has committed on."""
    running.goes_on(100)
    primary = lab.leader()
    assert primary is not None
    (primary.freeze if freezing else primary.kill)()
    promotion = lab.wait(lambda: lab.successor(primary), "promoted", PROMOTION_SECONDS)
    before = running.completed
    leader = lab.successor(primary)
    assert leader is not None
    following = lab.wait(lambda: fetch(leader.url, FOLLOWED), "followed", FOLLOWING_SECONDS)
    grant = lab.wait(lambda: running.completed > before, "granting again", GRANT_SECONDS)
    running.goes_on(100)
    (primary.thaw if freezing else primary.start_patroni)()
    whole = lab.wait(lambda: is_whole(lab), "whole again", WHOLE_SECONDS)
    assert lab.successor(primary) is not None, "the former primary took its place back"
    what = f"{primary.name} {'frozen' if freezing else 'killed'}"
    return Failover(what, promotion, following, grant, whole)


def is_whole(lab: Lab) -> bool:
    """And stays so: a node that comes back says for a moment what it was before."""
    for _ in range(STEADY_LOOKS):
        if not lab.is_complete():
            return False
        time.sleep(1.0)
    return True


def serve_on(lab: Lab) -> None:
    """Each server its clients, and the API a change."""
    for number, server in enumerate(SERVERS):
        with Client(server, mac=bytes((2, 0xFE, 0, 0, 0, number))) as client:
            client.select(client.discover().reply)
    told = {"Authorization": f"Bearer {lab.token}"}
    answer = httpx.post(f"{API}/prefixes", json={"cidr": next(PREFIXES)}, headers=told, timeout=10)
    assert answer.status_code == 201, answer.text
