"""Clients on a wire of the server, which several workers serve (engine rule 21): each gets one answer to each question.

Every broadcast reaches the sockets of all workers twice over, on the interface's and on those for all interfaces; the
worker whose client sent it answers, by broadcast or by a frame to the client that has no address yet.
"""

import re
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from system import plan
from system.clients import Client, Dhclient, Udhcpc
from system.conftest import running
from system.namespaces import Network
from system.server import FETCH, HEALTH, DhcpServer
from system.sites import Site, direct

from dhcp_fast.bench.servers.bench_plan import add
from ipam_core.model.ids import new_id

pytestmark = pytest.mark.peer("namespaces")

CROWD = Path(__file__).with_name("crowd.py")
GATEWAY = IPv4Address("10.0.0.1")
STATIONS = 240
COLLISIONS = 3  # two workers that offer the same address at the same moment; the database refuses one of them
ADD_TENANT = """
insert into tenant (id, name, is_default) values ($1, 'default', true)
on conflict (name) do update set is_default = true returning no"""
ACTIVE = "select count(*) from lease where state = 'a'"


async def write_large_plan(connection: asyncpg.Connection) -> None:
    """So many addresses that two workers hardly ever offer the same one to two clients at the same moment."""
    tenant = await connection.fetchval(ADD_TENANT, new_id())
    prefix = await add(connection, "prefix", tenant_no=tenant, cidr=IPv4Network("10.0.0.0/8"))
    cidr = IPv4Network("10.0.0.0/9")
    subnet = await add(
        connection, "subnet", tenant_no=tenant, prefix_no=prefix, cidr=cidr, gateway=GATEWAY,
        lease_time_seconds=600,
    )  # fmt: skip
    await add(connection, "pool", subnet_no=subnet, start_ip=cidr[256], end_ip=cidr[-2])


@pytest.fixture(params=[1, 2, 4])
def count(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def wire(network: Network, database: str, tmp_path: Path, count: int) -> Iterator[Site]:
    """A large subnet on the server's interface; its sockets for all interfaces are open too."""
    plan.connected(database, write_large_plan)
    server, client = network.namespace("server"), network.namespace("client")
    network.join(server, "s0", client, "c0")
    server.address("s0", f"{GATEWAY}/9")
    ours = DhcpServer(server, database, tmp_path, dhcp4_interfaces="s0", dhcp_workers=str(count))
    yield from running(Site(database, ours, (client,), GATEWAY, None, tmp_path))


@pytest.mark.parametrize("way", ["broadcast", "unicast"])
def test_each_station_gets_one_offer_and_one_ack(wire: Site, way: str, count: int) -> None:
    told = wire.client.run(sys.executable, str(CROWD), "c0", "1", str(STATIONS), way, within=90)
    stations = [line.split() for line in told.splitlines()]
    assert len(stations) == STATIONS
    assert [line for line in stations if line[1] != "1" or int(line[2]) + int(line[3]) != 1] == []
    granted = [line for line in stations if line[2] == "1"]
    assert len(granted) >= STATIONS - COLLISIONS
    assert {line[4] for line in granted} == {"2" if way == "broadcast" else "0"}
    assert len({line[0] for line in granted}) == count_of(wire) == len(granted)
    served = by_worker(wire)
    assert len(served) == (count if count > 1 else 0)
    assert all(packets >= STATIONS / 5 for packets in served.values()), served
    assert sum(served.values()) in (0, 2 * STATIONS)


def count_of(site: Site) -> int:
    async def read(connection: Any) -> int:
        return int(await connection.fetchval(ACTIVE))

    found: int = plan.connected(site.database, read)
    return found


def by_worker(site: Site) -> dict[str, float]:
    text = site.server.namespace.run(sys.executable, "-c", FETCH, f"http://{HEALTH}/metrics")
    found = re.findall(r'^ipam_dhcp_worker_packets_total{worker="(\d+)"} (\S+)$', text, re.MULTILINE)
    return {worker: float(packets) for worker, packets in found}


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in (Dhclient, Udhcpc)
])  # fmt: skip
def test_a_real_client_is_served_by_its_worker(
    network: Network, database: str, tmp_path: Path, kind: type[Client]
) -> None:
    """Obtain by broadcast, renew by unicast, release, and the same address again; under two hardware addresses."""
    plan.write(database)
    made = direct(network, database, tmp_path)
    made.server.environment["IPAM_DHCP_WORKERS"] = "2"
    for site in running(made):
        for number in (1, 2):
            site.client.ip("link", "set", "c0", "address", f"02:00:00:00:0a:{number:02x}")
            client = kind(site.client, "c0", site.folder / f"client{number}")
            lease = client.obtain()
            plan.assert_served(lease, site.server_id)
            granted = site.await_state(lease, "a")
            assert client.renew().address == lease.address
            site.await_row(lease, lambda row, at=granted["renewed_at"]: row["renewed_at"] > at, "renewed")
            client.release()
            site.await_state(lease, "r")
            assert client.obtain().address == lease.address
            client.release()
            site.await_state(lease, "r")
