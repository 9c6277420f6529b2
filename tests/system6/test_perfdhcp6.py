"""Kea's perfdhcp as DHCPv6 clients behind a relay: addresses, prefixes or both, renewed and released.

It must see every exchange answered, and history must tell of each lease that it was given, renewed and gave back. How
fast this goes is benchmarks/perfdhcp.py's to say.
"""

import asyncio
from pathlib import Path

import pytest
from system import peers
from system.namespaces import Namespace, Network
from system.server import DhcpServer

from benchmarks import perfdhcp
from benchmarks.perfdhcp import MIXES6, Mix, Report
from dhcp_fast.bench.servers import bench_plan6

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("perfdhcp")]
SERVER = (str(bench_plan6.SUBNET[1]), 6547)
RELAY = perfdhcp.FAMILIES[6].relay
RATE = 300
SECONDS = 2
GROUP = 1


@pytest.mark.parametrize("mix", MIXES6, ids=lambda mix: mix.name)
def test_every_exchange_is_answered_and_kept(
    network: Network, database: str, tmp_path: Path, mix: Mix
) -> None:
    asyncio.run(bench_plan6.insert(database, cache_threshold=0.0))
    lab = network.namespace("lab")
    for address in (SERVER[0], RELAY):
        lab.ip("address", "add", f"{address}/64", "dev", "lo", "nodad")
    listen = "[{}]:{}".format(*SERVER)
    server = DhcpServer(
        lab, database, tmp_path, family="6", dhcp6_listen=listen, trusted_relays=f"{RELAY}/128"
    )
    server.start()

    report = drive(lab, mix)

    assert report.acks.sent > 0.9 * RATE * SECONDS
    assert report.drops == 0, (report, server.counts())
    assert bool(report.renewals.received) == bool(mix.renew)
    assert bool(report.releases.received) == bool(mix.release)
    assert asyncio.run(perfdhcp.kept(database, GROUP, report, mix.leases))
    server.stop()


def drive(lab: Namespace, mix: Mix) -> Report:
    words = perfdhcp.command(SERVER, RELAY, mix, RATE, SECONDS, GROUP, family=6)
    return perfdhcp.read_report(lab.run(*words, env=peers.environment()), family=6)
