"""DHCPv6 clients on a wire of the server, which several workers serve (engine rule 21): a question, an answer.

Every message goes to a group, and so to the sockets of all workers; that of its client answers.
"""

import asyncio
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine6.site6 import Site6
from system.namespaces import Network
from system.server import FETCH, HEALTH
from system6 import sites6
from system6.clients6 import Client6 as Client
from system6.clients6 import Dhclient, Dhcpcd
from system6.sites6 import Wire

from ipam_core.db.connect import connect

pytestmark = pytest.mark.peer("namespaces")

CROWD = Path(__file__).with_name("crowd6.py")
STATIONS = 64


async def write_plan(dsn: str) -> None:
    """All of a /64: no two workers offer the same address, which is a hash of the client's identity."""
    connection = await connect(dsn)
    try:
        site = await Site6.create(connection)
        subnet = await site.subnet(1, cidr=sites6.LINK)
        await subnet.whole_pool()
    finally:
        await connection.close()


@pytest.fixture(params=[1, 2, 4])
def count(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def crowded(network: Network, database: str, tmp_path: Path, count: int) -> Iterator[Wire]:
    asyncio.run(write_plan(database))
    made = sites6.direct(network, database, tmp_path)
    made.server.environment["IPAM_DHCP_WORKERS"] = str(count)
    made.server.start()
    yield made
    made.server.stop()


def test_each_station_gets_one_advertise_and_one_reply(crowded: Wire, count: int) -> None:
    told = crowded.client.run(sys.executable, str(CROWD), "c0", str(STATIONS), within=90)
    stations = [line.split() for line in told.splitlines()]
    assert len(stations) == STATIONS
    assert [line for line in stations if line[1:] != ["1", "1"]] == []
    assert len({line[0] for line in stations}) == asyncio.run(leases(crowded.database)) == STATIONS
    served = by_worker(crowded)
    assert len(served) == (count if count > 1 else 0)
    assert all(packets >= STATIONS / 5 for packets in served.values()), served
    assert sum(served.values()) in (0, 2 * STATIONS)


async def leases(dsn: str) -> int:
    connection: Any = await connect(dsn)
    try:
        return int(await connection.fetchval("select count(*) from lease where state = 'a'"))
    finally:
        await connection.close()


def by_worker(site: Wire) -> dict[str, float]:
    text = site.server.namespace.run(sys.executable, "-c", FETCH, f"http://{HEALTH}/metrics")
    found = re.findall(r'^ipam_dhcp_worker_packets_total{worker="(\d+)"} (\S+)$', text, re.MULTILINE)
    return {worker: float(packets) for worker, packets in found}


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in (Dhclient, Dhcpcd)
])  # fmt: skip
def test_a_real_client_is_served_by_its_worker(
    network: Network, database: str, tmp_path: Path, kind: type[Client]
) -> None:
    """An address and a prefix, renewed and given back, all by multicast."""
    asyncio.run(sites6.plan(database))
    made = sites6.direct(network, database, tmp_path)
    made.server.environment["IPAM_DHCP_WORKERS"] = "2"
    made.server.start()
    try:
        client = kind(made.client, tmp_path / "client")
        client.start()
        rows = made.await_rows(lambda rows: states(rows) == {3: "a", 25: "a"}, "leased")
        made.await_rows(
            lambda now: all(now[ia]["renewed_at"] > rows[ia]["renewed_at"] for ia in rows), "renewed"
        )
        client.release()
        made.await_rows(lambda rows: states(rows) == {3: "r", 25: "r"}, "released")
    finally:
        made.server.stop()


def states(rows: dict[int, dict[str, Any]]) -> dict[int, Any]:
    return {kind: row["state"] for kind, row in rows.items()}
