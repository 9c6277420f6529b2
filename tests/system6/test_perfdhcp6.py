"""Kea's perfdhcp as DHCPv6 clients behind a relay: addresses, prefixes or both, renewed and released.

It must see every exchange answered, and history must tell of each lease that it was given, renewed and gave back.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from system import peers
from system.namespaces import Namespace, Network
from system.server import DhcpServer

from benchmarks import perfdhcp
from benchmarks.perfdhcp import Report
from dhcp_fast.load.servers import bench_plan6
from ipam_core.db.connect import connect

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("perfdhcp")]
SERVER = (str(bench_plan6.SUBNET[1]), 6547)
RELAY = str(bench_plan6.SUBNET[2])
CLIENTS = 1_000_000_000
RATE = 300
SECONDS = 2
WRITTEN_SECONDS = 10.0
HISTORY = """
select count(*) filter (where kind = 'g'), count(*) filter (where kind = 'n'), count(*) filter (where kind = 'r')
from lease_event"""


class Mix(NamedTuple):
    """`kind`: perfdhcp's -e; `leases` of one exchange; RENEWs and RELEASEs a second."""

    kind: str
    leases: int
    renew: int = 0
    release: int = 0


MIXES = (
    Mix("address-only", 1),
    Mix("address-only", 1, renew=150),
    Mix("address-only", 1, release=100),
    Mix("prefix-only", 1),
    Mix("address-and-prefix", 2),
    Mix("address-and-prefix", 2, renew=100, release=50),
)


@pytest.mark.parametrize("mix", MIXES, ids=str)
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
    heard = (report.acks.received, report.renewals.received, report.releases.received)
    assert asyncio.run(history(database, heard, mix.leases)) == [count * mix.leases for count in heard]
    server.stop()


def drive(lab: Namespace, mix: Mix) -> Report:
    """-A1: as a relay whose link-address is the address it sends from."""
    words: list[object] = [
        "-6",
        "-A1",
        "-l",
        RELAY,
        "-N",
        SERVER[1],
        "-e",
        mix.kind,
        "-R",
        CLIENTS,
        "-r",
        RATE,
    ]
    words += ["-p", SECONDS, "-W", perfdhcp.LATE_MICROSECONDS]
    words += ["-f", mix.renew] * bool(mix.renew) + ["-F", mix.release] * bool(mix.release)
    said = lab.run(perfdhcp.program(), *map(str, words), SERVER[0], env=peers.environment())
    return perfdhcp.read_report(said, family=6)


async def history(dsn: str, heard: Sequence[int], leases: int) -> list[int]:
    """Grants, renewals and releases, as soon as they are what was heard; at the latest after a while."""
    deadline = time.monotonic() + WRITTEN_SECONDS
    connection = await connect(dsn)
    try:
        while True:
            written = list(await connection.fetchrow(HISTORY))
            if written == [count * leases for count in heard] or time.monotonic() > deadline:
                return written
            await asyncio.sleep(0.1)
    finally:
        await connection.close()
