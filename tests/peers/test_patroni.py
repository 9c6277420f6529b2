"""PostgreSQL under Patroni as deploy/patroni has it: its primary dies, and everything of ours goes on by itself."""

from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import IPv4Address
from typing import Any

import httpx
import pytest
from cluster.addresses import CLIENTS, FIRST, URL, four
from cluster.lab import Lab
from conftest import reachable_folder
from outage.databases import fetch
from outage.storms import judge, storm
from system.conftest import refuse
from system.namespaces import entered
from system.peers import PeerMissingError

from dhcp_fast.load.client import Client
from dhcp_fast.load.generator.storm import Storm
from dhcp_fast.load.generator.template import Features

pytestmark = [pytest.mark.peers, pytest.mark.peer("etcd"), pytest.mark.peer("patroni")]

SERVERS = [(four(FIRST["dhcp"] + number), 67) for number in range(2)]
API = f"http://{four(FIRST['api'])}:8080/api/v1"
# The primary's lock expires after 20 seconds; a standby looks for it every two.
PROMOTION_SECONDS = 40.0
# From then to the first ACK: a session with the new primary, and that has to have a synchronous standby.
GRANT_SECONDS = 10.0


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
    return Storm(server, local=(CLIENTS, 0), features=features, **run | {"patience": PROMOTION_SECONDS})


def test_a_primary_that_dies_is_replaced(lab: Lab) -> None:
    lab.start(dhcp=2, api=1)
    assert fetch(URL, "show max_wal_size") == "4GB", "without deploy/postgresql-leases.conf"
    with storm(SERVERS[0], kind=behind_the_relay, window=16, rate=100.0, seconds=100.0) as running:
        running.goes_on(300)
        primary = lab.leader()
        assert primary is not None
        primary.kill()
        promotion = lab.wait(lambda: lab.leader() not in (None, primary), "promoted", PROMOTION_SECONDS)
        before = running.completed
        grant = lab.wait(lambda: running.completed > before, "granting again", GRANT_SECONDS)
        running.goes_on(300)
        result = running.result()
    print(f"promoted {promotion:.1f} s after the kill, the first ACK {grant:.1f} s later")
    print(judge(URL, result))
    for number, server in enumerate(SERVERS):
        with Client(server, mac=bytes((2, 0xFE, 0, 0, 0, number))) as client:
            client.select(client.discover().reply)
    told = {"Authorization": f"Bearer {lab.token}"}
    answer = httpx.post(f"{API}/prefixes", json={"cidr": "172.16.0.0/16"}, headers=told, timeout=10)
    assert answer.status_code == 201, answer.text
    assert not [each.name for each in lab.services if "Traceback" in each.log.read_text()]
