"""Debian's Kea as a server under load: with its memory file, or on a PostgreSQL of the same kind as ours.

Its start and configuration are in kea.py. It begins with the same plan and the same clients' leases
as ours. Kea 2.2 has one allocator, which tries one address after the other.
"""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from dhcp_fast.bench.servers import bench_plan, kea, kea6, kea_leases
from dhcp_fast.bench.servers.audit import Audit
from dhcp_fast.bench.servers.databases import postgres, recycle_log, scratch
from dhcp_fast.bench.servers.servers import LEASE_SECONDS, SEED, Setup, free_port
from ipam_core.db.embedded.server import EmbeddedPostgres, superuser_dsn

KEAS = {4: kea.Kea, 6: kea6.Kea6}


@dataclass
class KeaServer:
    """Debian's Kea; `database` is None with the memory file."""

    name: str
    address: tuple[str, int]
    held: bytes
    pid: int
    database: EmbeddedPostgres | None
    workers: int = 1
    realtime: bool = False
    setup: Setup = Setup()  # noqa: RUF009 - a frozen value

    def processes(self) -> dict[str, list[int]]:
        return {"server": [self.pid]} | ({"postgresql": [self.database.pid]} if self.database else {})

    def verdict(self, log: bytes, seed: int) -> Audit | None:  # noqa: ARG002 - Kea's leases are not ours to judge
        return None


def require() -> None:
    """Check that Kea is installed, before ours is measured for an hour."""
    for name in ("kea-dhcp4", "kea-dhcp6"):
        kea.kea_program(name)


@contextlib.contextmanager
def kea_in_memory(setup: Setup) -> Iterator[KeaServer]:
    with (
        scratch() as folder,
        KEAS[setup.family](folder, "memfile", port=port(setup), site=site(setup)) as running,
    ):
        name, address = "Kea, memory file", (running.address, running.port)
        yield KeaServer(name, address, running.site.leases.log, running.pid, None, setup=setup)


@contextlib.contextmanager
def kea_on_postgresql(setup: Setup) -> Iterator[KeaServer]:
    with scratch() as folder, postgres(folder, setup.cycle) as (database, _):
        (folder / "kea").mkdir()
        dsn = superuser_dsn(folder / "data")  # Kea's schema needs a database of its own
        if setup.recycled_log and not setup.plain:
            asyncio.run(recycle_log(dsn))
        make = KEAS[setup.family]
        with make(folder / "kea", "postgresql", dsn=dsn, port=port(setup), site=site(setup)) as running:
            name, address = "Kea, PostgreSQL", (running.address, running.port)
            yield KeaServer(name, address, running.site.leases.log, running.pid, database, setup=setup)


def port(setup: Setup) -> int:
    """Return the port; two of them may run side by side."""
    return free_port(socket.SOCK_DGRAM, KEAS[setup.family].address)


def site(setup: Setup) -> kea.Site:
    """Return the setup in Kea's words: a `Site` of kea.py."""
    network = setup.network or bench_plan.SUBNET
    pool = bench_plan.single_pool(network) if setup.network else bench_plan.POOL
    log = kea_leases.spread(pool, setup.leases, LEASE_SECONDS, scattered=setup.scattered)
    return kea.Site(
        network=network,
        pool=pool,
        cache_threshold=setup.cache_threshold if setup.leases else 0.0,
        lease_seconds=LEASE_SECONDS,
        leases=kea_leases.Leases(log, SEED, LEASE_SECONDS, setup.age_seconds),
    )
