"""Row of this server among the nodes, with the other live nodes: claimed at the start and kept
alive by a heartbeat.

The number of the row marks the events that this server wrote, so no two live processes may share
one. A name is taken only from a process that stopped or was silent for thirty seconds, else the
next name is tried.

The heartbeat is sent every few seconds, and at once when the server's state changes. It is a small
commit of its own, so it also shows, without traffic, whether the database takes writes: it first
notices a standby, a full disk and a missing synchronous standby.
"""

import socket
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import metadata
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import asyncpg
from asyncpg import Connection

from dhcp_fast.database.leases.commit_stats import Waiting
from dhcp_fast.database.work_rates import Rates, Work, WorkRates
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.net.links import Links
from dhcp_fast.net.listen import interfaces_of
from ipam_core.db import queries
from ipam_core.model.ids import new_id
from ipam_core.model.values import Address
from ipam_core.services.addresses_in_use import note_server
from ipam_core.settings import Settings

NAMES = 64
Interfaces = Mapping[str, Sequence[IPv4Address | IPv6Address]]

ROLES = {4: "dhcp", 6: "dhcp6"}
BEAT_MICROSECONDS = 5_000_000
DEGRADED = "degraded: "
NOTED_MICROSECONDS = 60_000_000  # between two notes of the same addresses
KEPT_MICROSECONDS = 60_000_000  # that an address is still noted which the machine has lost: it may come back


class Node:
    """A claimed row: `no` marks our events, `started_at` distinguishes our claim from a later one."""

    def __init__(self, no: int, name: str, started_at: datetime) -> None:
        self.no = no
        self.name = name
        self.started_at = started_at

    async def beat(
        self,
        connection: Connection,
        state: str,
        detail: str = "",
        rates: Rates | None = None,
        *,
        commits: bool = False,
    ) -> bool | None:
        """Update the state, and return whether the server is to drain.

        None: another process has the row now, or the row is already `stopped`.
        """
        done = (rates or Rates())._asdict()
        drain: bool | None = await queries.load("dhcp_node").beat_server(
            connection,
            no=self.no,
            started_at=self.started_at,
            state=state,
            commits=commits,
            detail=detail,
            **done,
        )
        return drain

    async def beat_drained(self, connection: Connection, detail: str) -> bool | None:
        """Update the row once the server is drained: its state is `stopped`, and the process still runs."""
        drain: bool | None = await queries.load("dhcp_node").beat_drained(
            connection, no=self.no, started_at=self.started_at, detail=detail
        )
        return drain

    async def note_interfaces(self, connection: Connection, interfaces: Interfaces) -> None:
        """Record the interfaces that serve directly attached clients."""
        told = {name: [str(address) for address in found] for name, found in interfaces.items()}
        await queries.load("dhcp_node").note_interfaces(connection, no=self.no, interfaces=told)


async def claim(connection: Connection, settings: Settings, family: int = 4) -> Node:
    """Return a row that is ours from now on. Raises RuntimeError where all names are in use."""
    version = metadata.version("ipam")
    for taken in range(NAMES):
        name = node_name(settings, family) + (f"#{taken + 1}" if taken else "")
        row = await queries.load("dhcp_node").claim_node(
            connection, id=new_id(), name=name, role=ROLES[family], version=version
        )
        if row is not None:
            return Node(row["no"], name, row["started_at"])
    raise RuntimeError(f"{NAMES} running servers have the name {node_name(settings, family)}")


def node_name(settings: Settings, family: int = 4) -> str:
    """Return the host's name with the listening address."""
    interfaces, listened = (
        (settings.dhcp4_interfaces, settings.dhcp4_listen)
        if family == 4
        else (settings.dhcp6_interfaces, settings.dhcp6_listen)
    )
    endpoints = [*interfaces, *map(str, listened)]
    return f"{socket.gethostname()}/{endpoints[0] if endpoints else ROLES[family]}"


async def others(connection: Connection, mine: int, family: int = 4) -> list[Mapping[str, Any]]:
    """Return the other live servers of the family: no, commits, interfaces."""
    rows = queries.load("dhcp_node").read_live_nodes(connection, role=ROLES[family])
    return [row async for row in rows if row["no"] != mine]


def detail(reason: str, warnings: Sequence[str]) -> str:
    """Return the details of a node's state for operators."""
    return reason or "; ".join(warnings)


def is_degraded(reason: str, warnings: Sequence[str]) -> bool:
    """Return whether something is not served, be it one interface of several."""
    return bool(reason) or any(warning.startswith(DEGRADED) for warning in warnings)


class Heartbeat:
    """Heartbeat of one server; `node` is its row once `claim` has found one."""

    def __init__(self, settings: Settings, family: int = 4) -> None:
        self.settings = settings
        self.family = family
        self.interfaces: Interfaces = {}  # that are served, with their addresses
        self.present: Mapping[str, int] = {}  # numbers of all interfaces
        self.noted: Interfaces | None = None  # as the row has them
        self.node: Node | None = None
        self.waiting = Waiting()
        self.rates = WorkRates()
        self.draining = False  # an operator asked for it
        self.drained = False  # and it is done
        self.stopped = False
        self.hung_before = False  # the last one took too long
        self.refusal = ""
        self.told = ""
        self.last = 0
        self.own: frozenset[Address] = frozenset()  # this machine's addresses
        self.had: dict[Address, int] = {}  # the addresses of late, and when it had each last
        self.noted_own: frozenset[Address] | None = None  # as the database has them
        self.noted_at = 0

    def follow(self, links: Links) -> None:
        """Follow the served interfaces and the machine's addresses; a change makes the next beat due at once."""
        self.own = frozenset(each.address for link in links.all for each in link.addresses)
        self.interfaces = links.served(interfaces_of(self.settings, self.family), self.family)
        self.present = links.indexes()

    async def claim(self, connection: Connection) -> Node:
        """Return our row; a new one where we have none. Raises RuntimeError where all names are in use."""
        if self.node is None:
            claimed = await claim(connection, self.settings, self.family)
            self.node, self.noted, self.noted_own = claimed, None, None
        if self.noted != self.interfaces:
            told = self.interfaces
            await self.node.note_interfaces(connection, told)
            self.noted = told
        await self.note_addresses(connection, self.node)
        return self.node

    async def others(self, connection: Connection, mine: int) -> list[Mapping[str, Any]]:
        return await others(connection, mine, self.family)

    def is_due(self, reason: str, warnings: Sequence[str] = ()) -> bool:
        """Return whether a beat is due.

        `reason`: why the server is not ready now; a new reason or other warnings are reported at
        once. A stopped node is never due.
        """
        if self.stopped:
            return False
        changed = self.noted != self.interfaces or not self.own <= (self.noted_own or frozenset())
        return (
            detail(reason, warnings) != self.told or changed or boot_clock() - self.last >= BEAT_MICROSECONDS
        )

    async def beat(
        self, connection: Connection, reason: str, work: Work, warnings: Sequence[str] = ()
    ) -> Node:
        """Write the heartbeat, with the work of the host since its start.

        Return our row, which is a new one if a longer silence has cost us the first. Raises the
        database's errors, and stores a refusal for `not_ready`.
        """
        now = boot_clock()
        self.waiting.begin()
        try:
            state = "degraded" if is_degraded(reason, warnings) else "ready"
            told, rates = detail(reason, warnings), self.rates.note(work, now / 1e6)
            node = await self.write(connection, state, told, rates, commits=not reason)
            self.refusal, self.told, self.last = "", told, now
            return node
        except asyncpg.PostgresError as error:
            self.refusal = str(error)
            raise
        finally:
            self.hung_before = self.waiting.hung() > 0
            self.waiting.end()

    async def write(
        self, connection: Connection, state: str, told: str, rates: Rates, *, commits: bool
    ) -> Node:
        node = await self.claim(connection)
        if self.drained:
            drain = await node.beat_drained(connection, told)
        else:
            drain = await node.beat(connection, state, told, rates, commits=commits)
        if drain is None and not self.stopped:
            node, drain = await self.claim_again(connection), self.draining
        self.draining = bool(drain)
        self.drained &= self.draining
        return node

    async def note_addresses(self, connection: Connection, node: Node) -> None:
        """Note this machine's addresses, which no pool gives then. Others forget them after an hour."""
        now = boot_clock()
        self.had |= dict.fromkeys(self.own, now)
        self.had = {address: last for address, last in self.had.items() if now - last <= KEPT_MICROSECONDS}
        told = frozenset(self.had)
        if told != self.noted_own or now - self.noted_at >= NOTED_MICROSECONDS:
            await note_server(connection, node.no, told, self.settings.trusted_relays)
            self.noted_own, self.noted_at = told, now

    async def claim_again(self, connection: Connection) -> Node:
        """Return a new row, because a longer silence has cost us the first; its request to drain still holds."""
        self.node = None
        node = await self.claim(connection)
        if self.draining:
            await queries.load("dhcp_node").go_on_draining(connection, no=node.no)
        return node

    async def deregister(self, pool: asyncpg.Pool) -> None:
        """Mark the row as stopped, if there is one."""
        self.stopped = True
        if self.node is not None:
            async with pool.acquire() as connection:
                await self.node.beat(connection, "stopped")

    def not_ready(self) -> str:
        """Return why the database takes no writes, by what became of the last one; empty when it does."""
        if hung := self.waiting.hung():
            return f"the database has not committed this server's heartbeat for {hung:.0f} s"
        return f"the database is read-only: {self.refusal}" if self.refusal else ""
