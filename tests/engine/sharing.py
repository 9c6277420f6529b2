"""Two workers of one host inside the test's event loop, each with a socket of its own in place of a group.

The test sends each client's packets to the worker that the kernel would choose. What the supervisor of real workers
does stands in tests/outage/test_workers.py; here each reads the feed by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from engine.serving import Relay, mac_of, octets, read_feed, running
from engine.site import Subnet

from dhcp_fast.database.leases.initial_load import load_in_turn
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.engine.configure import RELAY_RATE_OCTETS, join_host, set_nodes, share_messages
from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.reuseport import WorkerHash
from dhcp_fast.server.duties import OwnHost, Reading
from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.settings import Settings

WORKER_HASH = WorkerHash(0x5EED, 2)
WORKER_HASH6 = WorkerHash(0x5EED, 2, 6)
NOW = "select pg_snapshot_xmax(pg_current_snapshot())::text"


class Sharing(OwnHost):
    """What worker `index` of two does for its host; `memory` is what the two have in common."""

    def __init__(self, settings: Settings, index: int, memory: bytearray, family: int = 4) -> None:
        super().__init__(settings, family)
        self.index = index
        self.memory = memory

    def join(self, engine: Engine) -> None:
        join_host(engine, WORKER_HASH.seed, self.index, WORKER_HASH.count, self.memory)

    async def load(self, leases: Reading, plan: Reading, engine: Engine) -> None:
        await load_in_turn(leases, plan, engine)

    async def beat(self, serving: Serving) -> None:
        """To the engine a host is one node, as its supervisor tells it; here each worker has a number of its own, for
        the feed."""
        await super().beat(serving)
        set_nodes(serving.engine, serving.feed.node_no, [])
        if serving.engine.family == 6:
            share_messages(serving.engine, serving.feed.node_no, [], {})

    async def count_in(self, feed: LeaseFeed, connection: Any, fresh: list[int]) -> None:
        await feed.read_subnets(connection, fresh)


class Pair:
    """Both workers, and where a client's packets go."""

    def __init__(self, workers: tuple[Serving, Serving], subnet: Subnet) -> None:
        self.workers = workers
        self.relays = Relay.of(workers[0], subnet), Relay(workers[1], subnet.relay)

    def close(self) -> None:
        for relay in self.relays:
            relay.close()

    def relay(self, mac: str) -> Relay:
        return self.relays[WORKER_HASH.worker(octets(mac))]

    async def read_feeds(self) -> None:
        """Each has read what the other has written; a transaction of anybody's holds the feed up."""
        async with self.workers[0].connections.plan.acquire() as connection:
            until = int(await connection.fetchval(NOW))
        for worker in self.workers:
            while int(worker.feed.cursor) < until:
                await read_feed(worker)


@asynccontextmanager
async def pair(dsn: str, subnet: Subnet, **fields: Any) -> AsyncIterator[Pair]:
    memory = bytearray(RELAY_RATE_OCTETS)
    async with (
        running(lambda told: Server(told, dsn, Sharing(told, 0, memory)), **fields) as first,
        running(lambda told: Server(told, dsn, Sharing(told, 1, memory)), **fields) as second,
    ):
        made = Pair((first, second), subnet)
        try:
            yield made
        finally:
            made.close()


def macs_of(worker: int, count: int) -> list[str]:
    """Clients that this worker serves."""
    found = (mac_of(number) for number in range(1, 10_000))
    mine = [mac for mac in found if WORKER_HASH.worker(octets(mac)) == worker]
    return mine[:count]
