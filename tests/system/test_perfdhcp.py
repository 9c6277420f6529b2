"""Kea's perfdhcp, a generator that is not ours, mixes new clients, renewals and releases at a modest rate.

It must see every exchange answered and no reply that it did not ask for, and PostgreSQL must hold a lease for each
acknowledgement, each renewal's write and each release. How fast this goes is benchmarks/perfdhcp.py's to say.
"""

import asyncio
from pathlib import Path

import pytest
from system import peers
from system.namespaces import Namespace, Network
from system.server import DhcpServer

from benchmarks import perfdhcp
from benchmarks.perfdhcp import MIXES, Mix, Report
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.audit import audit

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("perfdhcp")]
SERVER = ("127.0.0.1", 6767)
RATE = 300
SECONDS = 2
GROUP = 1


@pytest.mark.parametrize("mix", MIXES, ids=lambda mix: mix.name)
def test_every_exchange_is_answered_and_kept(
    network: Network, database: str, tmp_path: Path, mix: Mix
) -> None:
    asyncio.run(bench_plan.insert(database, cache_threshold=0.0))
    lab = network.namespace("lab")
    server = DhcpServer(lab, database, tmp_path, dhcp4_listen="{}:{}".format(*SERVER))
    server.start()

    report = drive(lab, mix)

    assert report.acks.sent > 0.9 * RATE * SECONDS
    assert report.drops == 0, (report, server.counts())
    assert report.strays == 0
    assert bool(report.renewals.received) == bool(mix.renew)
    assert bool(report.releases.sent) == bool(mix.release)
    assert asyncio.run(perfdhcp.kept(database, GROUP, report))
    found = asyncio.run(audit(database, b"", seed=0))
    assert found.clean, str(found)
    server.stop()


def drive(lab: Namespace, mix: Mix) -> Report:
    """perfdhcp ends with 3 where it releases: it counts each RELEASE, which nothing answers, as dropped."""
    words = perfdhcp.command(SERVER, "127.0.0.1", mix, RATE, SECONDS, GROUP)
    said = lab.run("sh", "-c", '"$@" || test $? = 3', "perfdhcp", *words, env=peers.environment())
    return perfdhcp.read_report(said)
