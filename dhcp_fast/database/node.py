"""This server's row among the nodes: claimed at the start, kept alive, and who else is there.

The row's number marks the events that this server wrote itself, so no two live processes may have the same one: a name
is taken only from a process that stopped or has been silent for thirty seconds, else the next name is tried.
"""

import socket
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import metadata
from ipaddress import IPv4Address

from asyncpg import Connection

from ipam_core.db import queries
from ipam_core.model.ids import new_id
from ipam_core.settings import Settings

NAMES = 64


class Node:
    """A claimed row."""

    def __init__(self, no: int, name: str, started_at: datetime) -> None:
        self.no = no
        self.name = name
        self.started_at = started_at

    async def beat(self, connection: Connection, state: str, detail: str = "") -> bool:
        """Say that we live. False: another process has the row now."""
        kept = await queries.load("dhcp_node").beat_node(
            connection, no=self.no, started_at=self.started_at, state=state, detail=detail
        )
        return kept is not None

    async def note_interfaces(
        self, connection: Connection, interfaces: Mapping[str, Sequence[IPv4Address]]
    ) -> None:
        """Say on which wires we hear clients."""
        told = {name: [str(address) for address in found] for name, found in interfaces.items()}
        await queries.load("dhcp_node").note_interfaces(connection, no=self.no, interfaces=told)


async def claim(connection: Connection, settings: Settings) -> Node:
    version = metadata.version("ipam")
    for place in range(NAMES):
        name = node_name(settings) + (f"#{place + 1}" if place else "")
        row = await queries.load("dhcp_node").claim_node(connection, id=new_id(), name=name, version=version)
        if row is not None:
            return Node(row["no"], name, row["started_at"])
    raise RuntimeError(f"{NAMES} servers named {node_name(settings)} are alive")


def node_name(settings: Settings) -> str:
    """Host and where it listens."""
    places = [*settings.dhcp4_interfaces, *(str(endpoint) for endpoint in settings.dhcp4_listen)]
    return f"{socket.gethostname()}/{places[0] if places else 'dhcp'}"


async def others(connection: Connection, mine: int) -> list[int]:
    rows = queries.load("dhcp_node").read_live_nodes(connection)
    return [row["no"] async for row in rows if row["no"] != mine]
