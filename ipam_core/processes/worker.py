"""`ipam worker` as a process: its pool, its health address, a clean end on SIGTERM."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

import asyncpg

from ipam_core.db.connect import create_pool, short_statements
from ipam_core.db.pulse import pulse
from ipam_core.outbound import opening
from ipam_core.processes import health, notify
from ipam_core.processes.connections import raise_file_limit
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings
from ipam_core.workers import metrics
from ipam_core.workers.worker import Worker

POOL_SIZE = 12
SHUTDOWN_SECONDS = 5.0
STATEMENT_SECONDS = 30  # but for readings of much (ddns_events.py)


async def serve(settings: Settings, dsn: str) -> None:
    """Serve until SIGTERM or SIGINT; updates and messages in transit arrive first."""
    raise_file_limit()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with open_pool(dsn) as pool, pulse(dsn):
        keyring, guard = Keyring(settings.secret_key_path), opening.guard(settings, dsn)
        worker = Worker(pool, dsn, keyring, guard, blocked_names=settings.ddns_blocked_names)
        async with await health.listen(settings.health_listen, pages(worker)):
            notify.ready()
            try:
                await run_until(stop, worker)
            finally:
                await worker.close()


async def run_until(stop: asyncio.Event, worker: Worker) -> None:
    """Raise the error that ends the worker before `stop` is set."""
    running, stopping = asyncio.create_task(worker.run()), asyncio.create_task(stop.wait())
    await asyncio.wait([running, stopping], return_when=asyncio.FIRST_COMPLETED)
    for task in (running, stopping):
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


def pages(worker: Worker) -> health.Pages:
    async def readyz() -> health.Answer:
        return health.readiness(worker.fault(), worker.publisher.warnings)

    async def numbers() -> health.Answer:
        return health.numbers(await metrics.page(worker))

    return health.process_pages(readyz, numbers)


@contextlib.asynccontextmanager
async def open_pool(dsn: str) -> AsyncIterator[asyncpg.Pool]:
    """Open the pool; sessions are made when they are needed."""
    settings = {"jit": "off", **short_statements(STATEMENT_SECONDS)}
    pool = await create_pool(dsn, min_size=0, max_size=POOL_SIZE, reset=reset, server_settings=settings)
    try:
        yield pool
    finally:
        try:
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                await pool.close()
        except TimeoutError:
            pool.terminate()


async def reset(connection: asyncpg.Connection) -> None:
    """Skip asyncpg's reset: workers change nothing of a session, so a round trip for each step is saved."""
    if connection.is_in_transaction():
        await connection.execute("rollback")
