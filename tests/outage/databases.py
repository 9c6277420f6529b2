"""PostgreSQL servers that a test may kill, stop and start again, and what goes into them."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
from outage.processes import signal_all

from dhcp_fast.bench.servers import bench_plan
from ipam_core.db.connect import connect
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres


class Database:
    """An embedded server of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.server = EmbeddedPostgres(folder, OWN_ACCOUNT)
        self.dsn = self.server.start()

    def signal(self, how: signal.Signals) -> None:
        """To the postmaster and every other process of its data folder at once."""
        signal_all(self.server.processes(), how)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        while self.server.processes():
            if self.server.child is not None:
                self.server.child.poll()

    def start(self) -> None:
        self.server.recover()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Every process stopped in the midst of what it does: the machine that hangs, and comes back."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)


@contextmanager
def planned(prepared_dir: Path) -> Iterator[Database]:
    """A server on a folder with the schema, and the benchmark's plan, whose renewals are all written."""
    database = Database(prepared_dir)
    try:
        asyncio.run(bench_plan.insert(database.dsn, cache_threshold=0))
        yield database
    finally:
        database.signal(signal.SIGCONT)
        database.server.stop()


@contextmanager
def held_transaction(dsn: str) -> Iterator[None]:
    """A transaction with an id of its own that runs as long as the block."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(dsn))
        transaction = connection.transaction()
        runner.run(transaction.start())
        runner.run(connection.fetchval("select pg_current_xact_id()"))
        try:
            yield
        finally:
            runner.run(transaction.rollback())
            runner.run(connection.close())


def fetch(dsn: str, query: str, *arguments: Any) -> Any:
    """One value."""
    return connected(dsn, lambda connection: connection.fetchval(query, *arguments))


def execute(dsn: str, query: str, *arguments: Any) -> None:
    connected(dsn, lambda connection: connection.execute(query, *arguments))


def connected(dsn: str, work: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        connection = await connect(dsn)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())
