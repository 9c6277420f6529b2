"""The DHCP process: event loop, logs, signals around one Server."""

import asyncio
import contextlib
import gc
import logging
import signal
import sys

import structlog
import uvloop

from dhcp_fast.server import Server
from ipam_core.db.embedded import running_dsn
from ipam_core.errors import SettingsError
from ipam_core.settings import Settings


def run(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    structlog.configure(
        processors=[
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
    dsn = settings.database_url or running_dsn(settings.data_dir)
    if dsn is None:
        raise SettingsError(
            "database_url", "is not set, and no embedded PostgreSQL runs; set it or use `ipam up`"
        )
    uvloop.run(serve(settings, dsn))


async def serve(settings: Settings, dsn: str) -> None:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    server = Server(settings, dsn)
    server.loaded = gc.freeze  # what lives as long as the process is not looked at by each collection
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
