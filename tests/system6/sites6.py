"""A DHCPv6 server of ours and a client's namespace, on one wire or with Debian's dhcrelay between them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import Any

import asyncpg
from engine6.site6 import Site6
from system import peers
from system.namespaces import Namespace, Network
from system.server import DhcpServer

from ipam_core.db.connect import connect

WAIT_SECONDS = 25.0
LINK = IPv6Network("2001:db8:1::/64")
UPSTREAM = IPv6Network("2001:db8:ffff::/64")
DELEGATED = IPv6Network("2001:db8:f00::/48")
RENEW_SECONDS = 3
QUIET = "for f in default all; do echo 0 > /proc/sys/net/ipv6/conf/$f/accept_dad; done"


async def plan(dsn: str, trusted: Iterable[IPv6Network] = (UPSTREAM,), **subnet: Any) -> None:
    """2001:db8:1::/64 with a pool of addresses and one of prefixes; each renewal is a write, and comes soon."""
    connection: asyncpg.Connection = await connect(dsn)
    try:
        site = await Site6.create(connection)
        told = {"cidr": LINK, "renew_time_seconds": RENEW_SECONDS, "rebind_time_seconds": 30}
        made = await site.subnet(1, **told | subnet)
        await made.pool(0x1000, 0x1FFF)
        await made.delegation_pool(str(DELEGATED), 56)
        await made.option(23, {"addresses": ["2001:db8::53"]})
        for network in trusted:
            await connection.execute(
                "insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1)", network
            )
    finally:
        await connection.close()


@dataclass
class Wire:
    """A running server, and a client's namespace with the interface c0."""

    database: str
    server: DhcpServer
    client: Namespace
    folder: Path
    relayed: bool

    def await_rows(
        self, holds: Callable[[dict[int, dict[str, Any]]], bool], what: str
    ) -> dict[int, dict[str, Any]]:
        """The leases by their kind of association (3, 25), as soon as `holds` is true of them."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds(rows := asyncio.run(read_leases(self.database))):
            brief = {
                kind: f"{row['state']} {row['version']} {row['renewed_at']:%T}" for kind, row in rows.items()
            }
            assert time.monotonic() < deadline, f"never {what}; state, version and renewal: {brief}"
            time.sleep(0.1)
        return rows


async def read_leases(dsn: str) -> dict[int, dict[str, Any]]:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        rows = await connection.fetch("select *, host(relay) as relay_text from lease order by renewed_at")
        return {row["ia_type"]: dict(row) for row in rows}
    finally:
        await connection.close()


def namespace(network: Network, name: str) -> Namespace:
    """Addresses are usable as soon as they are there."""
    made = network.namespace(name)
    made.run("sh", "-c", QUIET)
    return made


def await_link_local(namespace: Namespace, interface: str) -> None:
    """The kernel makes the address a while after both ends are up, and most programs look for it only once."""
    deadline = time.monotonic() + WAIT_SECONDS
    while "fe80:" not in namespace.ip(
        "-6", "address", "show", "dev", interface, "scope", "link", "-tentative"
    ):
        assert time.monotonic() < deadline, f"{interface} never got a link-local address"
        time.sleep(0.05)


def direct(network: Network, database: str, folder: Path) -> Wire:
    server, client = namespace(network, "server"), namespace(network, "client")
    network.join(server, "s0", client, "c0")
    server.ip("address", "add", f"{LINK[1]}/64", "dev", "s0", "nodad")
    await_link_local(server, "s0")
    await_link_local(client, "c0")
    ours = DhcpServer(server, database, folder, family="6", dhcp6_interfaces="s0")
    return Wire(database, ours, client, folder, relayed=False)


def behind_relay(network: Network, database: str, folder: Path) -> Wire:
    server, router, client = (namespace(network, name) for name in ("server", "router", "client"))
    network.join(server, "s0", router, "up0")
    network.join(router, "down0", client, "c0")
    server.ip("address", "add", f"{UPSTREAM[1]}/64", "dev", "s0", "nodad")
    router.ip("address", "add", f"{UPSTREAM[2]}/64", "dev", "up0", "nodad")
    router.ip("address", "add", f"{LINK[1]}/64", "dev", "down0", "nodad")
    await_link_local(router, "down0")
    await_link_local(client, "c0")
    relay = [peers.program("dhcrelay"), "-6", "-d", "-l", "down0", "-u", f"{UPSTREAM[1]}%up0"]
    router.start(*relay, log=folder / "dhcrelay.log")
    ours = DhcpServer(server, database, folder, family="6", dhcp6_listen=f"[{UPSTREAM[1]}]:547")
    return Wire(database, ours, client, folder, relayed=True)


def relay_address(row: dict[str, Any]) -> IPv6Address | None:
    return IPv6Address(row["relay_text"]) if row["relay_text"] else None
