"""A real client, our DHCP server, `ipam worker` and a real DNS server: dhclient's lease puts A, PTR and DHCID there, a
worker that is killed beforehand notwithstanding, and its release takes them away."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from outage.processes import Role, await_true
from peers.servers import Peer, bind, powerdns
from peers.test_leases_to_servers import server_of
from system import plan, sites
from system.clients import Dhclient
from system.conftest import running
from system.namespaces import Network
from system.sites import Site

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("dhclient")]

FORWARD, REVERSE = "lab.example", "2.0.192.in-addr.arpa"
SERVERS = {"bind": bind, "powerdns": powerdns}
SECONDS = 60.0
NAMED = 'send fqdn.fqdn "laptop";\nsend fqdn.encoded on;\nsend fqdn.server-update on;\n'


class Named(Dhclient):
    """It says its name by option 81, and that the server shall update DNS."""

    def _forget(self) -> None:
        super()._forget()
        with (self.folder / "dhclient.conf").open("a") as config:
            config.write(NAMED)


@pytest.fixture(params=SERVERS)
async def peer(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Peer]:
    folder = tmp_path / "dns"
    folder.mkdir()
    async with SERVERS[request.param](folder) as found:
        yield found


@pytest.fixture
def wire(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """Server and client on one wire, in a subnet whose names are followed."""
    plan.write(database, ddns_enabled=True, ddns_domain=FORWARD)
    folder = tmp_path / "dhcp"
    folder.mkdir()
    yield from running(sites.direct(network, database, folder))


async def shows(peer: Peer, pointer: str, address: str, *, there: bool) -> None:
    """Until the server has all three records, or none."""
    async with asyncio.timeout(SECONDS):
        while True:
            told = [
                await peer.ask(f"laptop.{FORWARD}", "A") == {address},
                await peer.ask(pointer, "PTR") == {f"laptop.{FORWARD}."},
                bool(await peer.ask(f"laptop.{FORWARD}", "DHCID")),
            ]
            if told == [there] * 3:
                return
            await asyncio.sleep(0.1)


async def test_a_real_clients_name_comes_and_goes(
    wire: Site, peer: Peer, make: Any, database: str, tmp_path: Path
) -> None:
    server = await make("/dns-servers", **server_of(peer))
    for zone in (FORWARD, REVERSE):
        await make("/dns-zones", name=zone, dns_server_id=server["id"])
    killed = Role(tmp_path, "worker", database_url=database)
    killed.start()
    killed.ready()
    killed.end(signal.SIGKILL)
    with Role(tmp_path, "worker", database_url=database) as worker:
        worker.ready()
        client = Named(wire.client, "c0", tmp_path / "client")
        lease = await asyncio.to_thread(client.obtain)
        address = str(lease.address.ip)
        pointer = f"{address.rpartition('.')[2]}.{REVERSE}"
        await shows(peer, pointer, address, there=True)
        await asyncio.to_thread(client.release)
        await shows(peer, pointer, address, there=False)
        # What the server has is noted after it: of the plan's reservation there is one.
        counted = partial(worker.metric, "ipam_ddns_updates_total")
        await asyncio.to_thread(await_true, lambda: counted() == 3, "counted")
