"""A worker's row among the nodes, as DHCP servers have theirs: claimed, kept alive by a heartbeat, stopped in order.

Who was asked to drain does no more work until it is started again; others have it.
"""

import socket
from datetime import datetime
from importlib import metadata
from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.model.ids import new_id
from ipam_core.services.entity.entity import Connection

SQL = queries.load("dhcp_node")

NAMES = 64


class Claim(NamedTuple):
    """`started_at` tells our claim of the row from a later one."""

    no: int
    started_at: datetime


class Node:
    """Of one process; `role` is what it is, and the end of its name."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.claimed: Claim | None = None
        self.drained = False

    async def beat(self, connection: Connection, fault: str) -> None:
        """Say that we live, and what is wrong. Raises RuntimeError where all names are in use."""
        claim = self.claimed or await self.claim(connection)
        state = "degraded" if fault else "ready"
        kept = await SQL.beat_node(connection, **claim._asdict(), state=state, detail=fault)
        # A longer silence has cost us the row: the next beat claims another one.
        self.claimed = claim if kept is not None else None
        self.drained = kept is not None and await SQL.is_to_drain(connection, no=claim.no)

    async def claim(self, connection: Connection) -> Claim:
        name = f"{socket.gethostname()}/{self.role}"
        for taken in range(NAMES):
            row = await SQL.claim_node(
                connection,
                id=new_id(),
                name=name + (f"#{taken + 1}" if taken else ""),
                role=self.role,
                version=metadata.version("ipam"),
            )
            if row is not None:
                return Claim(row["no"], row["started_at"])
        raise RuntimeError(f"{NAMES} running processes have the name {name}")

    async def stop(self, connection: Connection) -> None:
        """Say that we end, where we ever had a row."""
        if self.claimed is not None:
            await SQL.beat_node(connection, **self.claimed._asdict(), state="stopped", detail="")
