"""Five DHCPv6 clients on links that change under a server of two workers: the interface exists late, is made anew, has
IPv6 switched off and on or its MTU too small for it, moves into a bridge, becomes a VLAN and a macvlan. After each
change each client gets an address and a prefix anew.

The server hears them by ff02::1:2, which a new interface, or one whose IPv6 was off, must join again.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from system.lab import NAMES, Lab
from system.namespaces import Network, stop
from system.readiness import await_readiness
from system.server import DhcpServer
from system6 import sites6
from system6.clients6 import CLIENTS, Client6
from system6.sites6 import LINK, QUIET, await_link_local

from dhcp_fast.server.wires import DUPLICATE
from ipam_core.db.connect import connect

pytestmark = [pytest.mark.peer("namespaces"), *(pytest.mark.peer(kind.program) for kind in CLIENTS)]

WAIT_SECONDS = 30.0
OF_CARD = "fe80::ff:fe00:c01"  # made of its hardware address
GRANTED = """
select ia_type, count(distinct duid) from lease where state = 'a' and greatest(granted_at, renewed_at) > $1
group by ia_type"""
NOW = "select clock_timestamp()"
ALL = {3: len(CLIENTS), 25: len(CLIENTS)}


def late(lab: Lab) -> str:
    lab.plug()
    return "s0"


def made_anew(lab: Lab) -> str:
    lab.unplug()
    lab.plug()
    return "s0"


def off_and_on(lab: Lab) -> str:
    lab.toggle_ipv6()
    return "s0"


def too_small_for_ipv6(lab: Lab) -> str:
    """Below 1280 octets the kernel takes IPv6 from the interface, and forgets who joined which group."""
    for octets in ("1000", "1500"):
        lab.host.ip("link", "set", "s0", "mtu", octets)
    lab.give("s0", lab.addresses)
    return "s0"


def bridged(lab: Lab) -> str:
    lab.bridge()
    return "br0"


def of_a_vlan(lab: Lab) -> str:
    lab.unbridge()
    lab.tag()
    return "s0.5"


def of_a_macvlan(lab: Lab) -> str:
    lab.untag()
    lab.macvlan()
    return "mv0"


CHANGES: tuple[Callable[[Lab], str], ...] = (
    late, made_anew, off_and_on, too_small_for_ipv6, bridged, of_a_vlan, of_a_macvlan,
)  # fmt: skip


@contextmanager
def serving(lab: Lab, database: str, folder: Path) -> Iterator[DhcpServer]:
    told = {"dhcp6_interfaces": ",".join(NAMES), "dhcp_workers": "2"}
    server = DhcpServer(lab.host, database, folder, family="6", dhcp6_listen="[::1]:547", **told)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        for log in sorted(folder.rglob("*.log")):
            print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-6000:]}")


def test_five_clients_on_links_that_change(network: Network, database: str, tmp_path: Path) -> None:
    asyncio.run(sites6.plan(database))
    lab = Lab(network, tmp_path, len(CLIENTS), (f"{LINK[1]}/64",))
    for space in (lab.host, *lab.clients):
        space.run("sh", "-c", QUIET)
    for space in lab.clients:
        await_link_local(space, "c0")
    clients = [kind(space, tmp_path / kind.program) for kind, space in zip(CLIENTS, lab.clients, strict=True)]
    with serving(lab, database, tmp_path) as server:
        for change in CHANGES:
            lab.await_served(server, change(lab))
            lease_anew(clients, database, change.__name__)


def lease_anew(clients: list[Client6], database: str, change: str) -> None:
    """Each client ends, and begins again."""
    since: datetime = read(database, NOW)[0][0]
    for client in clients:
        if client.process is not None:
            stop(client.process)
        client.start()
    deadline = time.monotonic() + WAIT_SECONDS
    while (found := {row[0]: row[1] for row in read(database, GRANTED, since)}) != ALL:
        assert time.monotonic() < deadline, f"{change}: clients by kind of lease: {found}"
        time.sleep(0.1)


def read(database: str, statement: str, *arguments: object) -> list[Any]:
    async def fetch() -> list[Any]:
        connection = await connect(database)
        try:
            rows: list[Any] = await connection.fetch(statement, *arguments)
            return rows
        finally:
            await connection.close()

    return asyncio.run(fetch())


def test_an_address_of_another_machine_is_not_used_and_is_reported(
    network: Network, database: str, tmp_path: Path
) -> None:
    """Duplicate address detection fails (RFC 4862 section 5.4.5). Clients are answered from another address, as long as
    there is one."""
    asyncio.run(sites6.plan(database))
    lab = Lab(network, tmp_path, 2, (f"{LINK[1]}/64",))
    space, other = lab.clients
    for each in lab.clients:
        each.run("sh", "-c", QUIET)
    await_link_local(space, "c0")
    other.ip("address", "add", f"{OF_CARD}/64", "dev", "c0", "nodad")
    lab.plug()
    server = DhcpServer(lab.host, database, tmp_path, family="6", dhcp6_interfaces="s0")
    server.start()
    try:
        await_readiness(server, warnings=[DUPLICATE.format("s0", OF_CARD)])
        client = CLIENTS[0](space, tmp_path / CLIENTS[0].program)
        client.start()
        sites6.Wire(database, server, space, tmp_path, relayed=False).await_rows(
            lambda rows: 3 in rows, "leased"
        )
        lab.host.ip("address", "delete", f"{LINK[1]}/64", "dev", "s0")
        fault = f"has no IPv6 address: another machine on the link has {OF_CARD}"
        await_readiness(server, warnings=[f"degraded: interface s0 {fault}"])
    finally:
        server.stop()
