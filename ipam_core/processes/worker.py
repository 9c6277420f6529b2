"""`ipam worker` as a process: its pool, its health address, a clean end on SIGTERM."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from http import HTTPStatus

import asyncpg
import msgspec

from ipam_core.db.connect import create_pool, short_statements
from ipam_core.db.pulse import pulse
from ipam_core.errors import unserved
from ipam_core.outbound import opening
from ipam_core.processes import health, notify
from ipam_core.processes.connections import raise_file_limit
from ipam_core.processes.health import Answer
from ipam_core.secrets import Keyring
from ipam_core.setting_values import Endpoint
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
        async with await listen(settings.health_listen, worker):
            notify.ready()
            try:
                await run_until(stop, worker)
            finally:
                await worker.close()


async def run_until(stop: asyncio.Event, worker: Worker) -> None:
    """Raise what ends the worker before it is told to end."""
    running, stopping = asyncio.create_task(worker.run()), asyncio.create_task(stop.wait())
    await asyncio.wait([running, stopping], return_when=asyncio.FIRST_COMPLETED)
    for task in (running, stopping):
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def listen(endpoint: Endpoint, worker: Worker) -> asyncio.Server:
    """Return the worker's pages. Raises SettingsError where the address cannot be had."""
    try:
        return await health.serve(endpoint, pages(worker))
    except OSError as error:
        reason = (error.strerror or "").rpartition(": ")[2]  # asyncio names the address again before it
        raise unserved("health_listen", f"{endpoint} cannot be served: {reason}", error) from None


def pages(worker: Worker) -> health.Pages:
    async def readyz() -> Answer:
        reason = worker.fault()
        told = {"ready": not reason, "reason": reason, "warnings": worker.publisher.warnings}
        status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
        return Answer(status, msgspec.json.encode(told).decode())

    async def healthz() -> Answer:
        return Answer(HTTPStatus.OK, '{"alive":true}')

    async def numbers() -> Answer:
        return Answer(HTTPStatus.OK, await metrics.page(worker), "text/plain; version=0.0.4; charset=utf-8")

    return {"/readyz": readyz, "/healthz": healthz, "/metrics": numbers}


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
