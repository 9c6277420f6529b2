"""dhclient's lease as names of our own zones, which `ipam dns` answers, and over IPv6 in BIND too; its release takes
them away."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from outage.processes import Role
from peers.servers import Peer, bind
from peers.test_dhclient_names import FORWARD, REVERSE, SECONDS, Named
from peers.test_leases_to_servers import server_of
from ports import free_port
from system import plan, sites
from system.conftest import running
from system.namespaces import Network
from system.sites import Site
from system6 import sites6
from system6.clients6 import Dhclient

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("dhclient")]

REVERSE6 = "8.b.d.0.1.0.0.2.ip6.arpa"
IA_NA = 3
Names = dict[tuple[str, str], set[str]]  # data by name and type


class Named6(Dhclient):
    """It says its name by option 39, asks for an address alone, and that the server shall update DNS."""

    def prepare(self) -> None:
        super().prepare()
        with (self.folder / "conf").open("a") as config:
            config.write('send fqdn.fqdn "laptop";\nsend fqdn.server-update on;\nalso request dhcp6.fqdn;\n')

    def command(self) -> list[str | Path]:
        return [self.path, "-6", "-N", "-d", "-v", *self.files(), "c0"]

    def ask_to_release(self) -> None:
        self.namespace.run(self.path, "-6", "-N", "-r", *self.files(), "c0")


@contextlib.asynccontextmanager
async def own(folder: Path, dsn: str) -> AsyncIterator[Peer]:
    """`ipam dns` on the database."""
    port = free_port()
    with Role(folder, "dns", database_url=dsn, dns_listen=f"127.0.0.1:{port}") as server:
        server.ready()
        yield Peer("own", port)


async def serve_zones(make: Any, peer: Peer, *zones: str) -> None:
    """By us, or where the peer is another's server by that one."""
    if peer.kind == "own":
        fields = {"dns_enabled": True}
    else:
        fields = {"dns_server_id": (await make("/dns-servers", **server_of(peer)))["id"]}
    for zone in zones:
        await make("/dns-zones", name=zone, **fields)


async def shows(peer: Peer, wanted: Names) -> None:
    """Until it answers so; no data: the name is gone."""
    async with asyncio.timeout(SECONDS):
        while True:
            if {asked: await peer.ask(*asked) for asked in wanted} == wanted:
                return
            await asyncio.sleep(0.1)


def show_logs(folder: Path) -> None:
    """pytest shows them when the test failed."""
    for log in sorted(folder.rglob("*.log")):
        print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-6000:]}")


def gone(names: Names) -> Names:
    return {asked: set() for asked in names}


@pytest.fixture
def wire(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    plan.write(database, ddns_enabled=True, ddns_domain=FORWARD)
    folder = tmp_path / "dhcp"
    folder.mkdir()
    yield from running(sites.direct(network, database, folder))


async def test_an_ipv4_clients_name_in_our_own_zones(
    wire: Site, make: Any, database: str, tmp_path: Path
) -> None:
    async with own(tmp_path, database) as peer:
        await serve_zones(make, peer, FORWARD, REVERSE)
        with Role(tmp_path, "worker", database_url=database) as worker:
            worker.ready()
            client = Named(wire.client, "c0", tmp_path / "client")
            address = str((await asyncio.to_thread(client.obtain)).address.ip)
            pointer = f"{address.rpartition('.')[2]}.{REVERSE}"
            names: Names = {
                (f"laptop.{FORWARD}", "A"): {address},
                (pointer, "PTR"): {f"laptop.{FORWARD}."},
            }
            await shows(peer, names)
            await asyncio.to_thread(client.release)
            await shows(peer, gone(names))


@pytest.mark.parametrize("kind", ["own", "bind"])
async def test_an_ipv6_clients_name(
    network: Network, make: Any, database: str, tmp_path: Path, kind: str
) -> None:
    """AAAA and the pointer under ip6.arpa; in BIND the mark of its DUID beside it."""
    await sites6.plan(database, ddns_enabled=True, ddns_domain=FORWARD)
    for name in ("dns", "dhcp"):
        (tmp_path / name).mkdir()
    made = sites6.direct(network, database, tmp_path / "dhcp")
    async with own(tmp_path, database) if kind == "own" else bind(tmp_path / "dns") as peer:
        await serve_zones(make, peer, FORWARD, REVERSE6)
        await asyncio.to_thread(made.server.start)
        try:
            with Role(tmp_path, "worker", database_url=database) as worker:
                worker.ready()
                client = Named6(made.client, tmp_path / "client")
                client.start()
                rows = await asyncio.to_thread(made.await_rows, lambda rows: IA_NA in rows, "leased")
                address = rows[IA_NA]["address"]
                names: Names = {
                    (f"laptop.{FORWARD}", "AAAA"): {str(address)},
                    (address.reverse_pointer, "PTR"): {f"laptop.{FORWARD}."},
                }
                await shows(peer, names)
                assert bool(await peer.ask(f"laptop.{FORWARD}", "DHCID")) == (kind == "bind")
                await asyncio.to_thread(client.release)
                await shows(peer, gone(names | {(f"laptop.{FORWARD}", "DHCID"): set()}))
        finally:
            made.server.stop()
            show_logs(tmp_path)
