"""The DHCP process: event loop, logs, signals around one server, or around a supervisor of several workers."""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable
from typing import Protocol

import msgspec
import structlog
import uvloop

from dhcp_fast import scheduling
from dhcp_fast.server.server import Server
from ipam_core.db.embedded.server import running_dsn
from ipam_core.errors import SettingsError
from ipam_core.processes.supervisor import die_with
from ipam_core.settings import Settings


class Runs(Protocol):
    """A server, a worker or their supervisor."""

    async def run(self) -> None: ...


def run(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT. What is loaded lives as long as the process: no collection looks at it."""
    begin_log(settings)
    dsn = database(settings)
    realtime = settings.dhcp_scheduling == scheduling.REALTIME
    if settings.dhcp_workers > 1:
        from dhcp_fast.workers.supervisor import Supervisor

        if realtime:
            scheduling.require()
        # The workers are told where the database is, also where it is an embedded one.
        told = msgspec.structs.replace(settings, database_url=dsn)
        uvloop.run(serve(lambda: Supervisor(told, dsn, gc.freeze)))
    else:
        if realtime:
            scheduling.begin()
        uvloop.run(serve(lambda: Server(settings, dsn, loaded=gc.freeze)))


def run_worker(settings: Settings, descriptor: int) -> None:
    """Be the worker that the supervisor at the other end of this descriptor says."""
    from dhcp_fast.workers.channel import receive
    from dhcp_fast.workers.sockets import Part
    from dhcp_fast.workers.worker import WorkerServer

    channel = socket.socket(fileno=descriptor)
    part = msgspec.json.decode(receive(channel), type=Part)
    die_with(part.supervisor)()
    begin_log(settings, worker=part.index)
    if settings.dhcp_scheduling == scheduling.REALTIME:
        scheduling.begin()
    uvloop.run(serve(lambda: WorkerServer(settings, database(settings), part, channel, gc.freeze)))


def begin_log(settings: Settings, **facts: int) -> None:
    """JSON lines on stderr, each with these facts."""
    structlog.contextvars.bind_contextvars(**facts)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level.upper()]
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def database(settings: Settings) -> str:
    dsn = settings.database_url or running_dsn(settings.data_dir)
    if dsn is None:
        raise SettingsError(
            "database_url", "is not set, and no embedded PostgreSQL runs; set it or use `ipam up`"
        )
    return dsn


async def serve(make: Callable[[], Runs]) -> None:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    server = make()
    refused: list[Exception] = []
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await server.run()
    except* SettingsError as group:
        refused = leaves(group)
    if refused:
        raise refused[0]


def leaves(group: ExceptionGroup[SettingsError]) -> list[Exception]:
    """The errors themselves, however deep the task groups that they passed through."""
    found: list[Exception] = []
    for error in group.exceptions:
        found += leaves(error) if isinstance(error, ExceptionGroup) else [error]
    return found
