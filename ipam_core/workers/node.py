"""The row among the nodes of a worker, an API server or a DNS server, as DHCP servers have theirs: claimed, kept alive
by a heartbeat, stopped in order.

A worker that was asked to drain does no more work until it is started again; others have it.
"""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from importlib import metadata
from typing import NamedTuple

import asyncpg

from ipam_core.db import queries
from ipam_core.db.outage import FAILED
from ipam_core.faults import outlive
from ipam_core.model.ids import new_id
from ipam_core.services.entity.entity import Connection

SQL = queries.load("dhcp_node")

NAMES = 64
BEAT_SECONDS = 5.0
START_SECONDS = 10.0
"""Time that a process has to become ready before its row says that it is not."""
AGAIN_SECONDS = 0.2
END_SECONDS = 2.0


class Claim(NamedTuple):
    """`started_at` tells our claim of the row from a later one."""

    no: int
    started_at: datetime


class Node:
    """Node of one process; `role` is what it is. Its name is the host's with `place`: the address that it serves, else
    the role."""

    def __init__(self, role: str, place: str = "") -> None:
        self.role = role
        self.name = f"{socket.gethostname()}/{place or role}"
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
        for taken in range(NAMES):
            row = await SQL.claim_node(
                connection,
                id=new_id(),
                name=self.name + (f"#{taken + 1}" if taken else ""),
                role=self.role,
                version=metadata.version("ipam"),
            )
            if row is not None:
                return Claim(row["no"], row["started_at"])
        raise RuntimeError(f"{NAMES} running processes have the name {self.name}")

    async def stop(self, connection: Connection) -> None:
        """Say that we end, where we ever had a row."""
        if self.claimed is not None:
            await SQL.beat_node(connection, **self.claimed._asdict(), state="stopped", detail="")


@contextlib.asynccontextmanager
async def reported(node: Node, pool: asyncpg.Pool, fault: Callable[[], str]) -> AsyncIterator[None]:
    """Report a process among the nodes while the block runs, and then its end. `fault`: why it does not serve now;
    empty where it does."""
    reporting = asyncio.create_task(outlive(f"{node.role} node", lambda: report(node, pool, fault)))
    try:
        yield
    finally:
        reporting.cancel()
        await asyncio.gather(reporting, return_exceptions=True)
        if node.claimed is not None:
            with contextlib.suppress(*FAILED):
                async with asyncio.timeout(END_SECONDS), pool.acquire() as connection:
                    await node.stop(connection)


async def report(node: Node, pool: asyncpg.Pool, fault: Callable[[], str]) -> None:
    """Beat for ever, from when it serves on."""
    until = time.monotonic() + START_SECONDS
    while fault() and time.monotonic() < until:  # noqa: ASYNC110 - at the start only
        await asyncio.sleep(AGAIN_SECONDS)
    while True:
        with contextlib.suppress(*FAILED):
            async with asyncio.timeout(BEAT_SECONDS), pool.acquire() as connection:
                await node.beat(connection, fault())
        await asyncio.sleep(BEAT_SECONDS)
