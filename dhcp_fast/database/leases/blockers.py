"""Report of the sessions that block a commit of leases: other transactions that hold its rows, or
the synchronous standby.

A row locked by another transaction delays the clients of the whole batch. PostgreSQL is asked once
a second while a commit takes long, never for a packet.
"""

from collections.abc import Iterator
from typing import NamedTuple

import asyncpg
from prometheus_client.core import GaugeMetricFamily

from ipam_core.db import queries

SQL = queries.load("dhcp_session")
STANDBY = "SyncRep"


class Blocker(NamedTuple):
    """A session of the database; pid 0: the wait is for something else."""

    pid: int
    application: str
    seconds: float  # since its transaction began
    event: str  # the wait event of our own session


async def read_blockers(connection: asyncpg.Connection, pids: list[int]) -> list[Blocker]:
    """Read the blockers of these sessions of ours."""
    return [Blocker(**row) async for row in SQL.read_blockers(connection, pids=pids)]


def in_words(blockers: list[Blocker]) -> str:
    """Return words for the end of a sentence; empty when nothing is known."""
    told = [
        f"process {one.pid} ({one.application or 'without a name'}), with a transaction of {one.seconds:.0f} s"
        for one in blockers
        if one.pid
    ]
    if told:
        return ", for " + " and ".join(told)
    return ", for the synchronous standby" if any(one.event == STANDBY for one in blockers) else ""


def family(blockers: list[Blocker]) -> Iterator[GaugeMetricFamily]:
    found = GaugeMetricFamily(
        "ipam_dhcp4_writes_blocked_by_seconds",
        "Age of the transaction of another session for which a commit of leases waits.",
        labels=["pid", "application"],
    )
    for one in blockers:
        if one.pid:
            found.add_metric([str(one.pid), one.application], one.seconds)
    yield found
