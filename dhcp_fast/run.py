"""The DHCP process: event loop, logs, signals around one server, or around a supervisor of several workers; and the
same around the DNS server."""

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable
from typing import Protocol

import msgspec
import uvloop

from dhcp_fast import scheduling
from ipam_core.db.url import find_url
from ipam_core.errors import SettingsError
from ipam_core.processes import log
from ipam_core.processes.connections import raise_file_limit
from ipam_core.processes.loading import loading
from ipam_core.processes.supervisor import Supervisor as Parts
from ipam_core.processes.supervisor import die_with, supervised
from ipam_core.settings import Settings

FAMILIES = {"dhcp": ["dhcp", "--family", "4"], "dhcp6": ["dhcp", "--family", "6"]}


class Runs(Protocol):
    """A server, a worker or their supervisor."""

    async def run(self) -> None: ...


def run(settings: Settings, family: int = 4) -> None:
    """Serve until SIGTERM or SIGINT.

    Objects that are loaded live as long as the process: the garbage collector skips them.
    """
    log.begin(settings)
    dsn = find_url(settings)
    realtime = settings.dhcp_scheduling == scheduling.REALTIME
    if settings.dhcp_workers > 1:
        with loading():
            from dhcp_fast.workers.supervisor import Supervisor

        if realtime:
            scheduling.require()
        # The workers need the database's address, also of an embedded one.
        told = msgspec.structs.replace(settings, database_url=dsn)
        uvloop.run(serve(lambda: Supervisor(told, dsn, gc.freeze, family)))
    else:
        with loading():
            from dhcp_fast.server.server import Server

        if realtime:
            scheduling.begin()
        uvloop.run(serve(lambda: Server(settings, dsn, loaded=gc.freeze, family=family)))


def run_dns(settings: Settings) -> None:
    """Answer DNS queries until SIGTERM or SIGINT."""
    with loading():
        from dhcp_fast.dns_server.server import DnsServer

    log.begin(settings)
    dsn = find_url(settings)
    uvloop.run(serve(lambda: DnsServer(settings, dsn)))


def run_both(settings: Settings) -> None:
    """Run a process a family, each by this same command, and one address for the health of both."""
    log.begin(settings)
    asyncio.run(supervise(settings))


async def supervise(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    told = msgspec.structs.replace(settings, database_url=find_url(settings))
    async with supervised(told, FAMILIES) as supervisor:
        keeping = asyncio.create_task(keep(supervisor))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([keeping, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if stop.is_set():
            keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping


async def keep(supervisor: Parts) -> None:
    await supervisor.start()
    await supervisor.keep()


def run_worker(settings: Settings, descriptor: int) -> None:
    """Run as the worker of the supervisor at the other end of this descriptor."""
    with loading():
        from dhcp_fast.workers.channel import receive
        from dhcp_fast.workers.sockets import Part
        from dhcp_fast.workers.worker import WorkerServer

    channel = socket.socket(fileno=descriptor)
    part = msgspec.json.decode(receive(channel), type=Part)
    die_with(part.supervisor)()
    log.begin(settings, worker=part.index)
    if settings.dhcp_scheduling == scheduling.REALTIME:
        scheduling.begin()
    uvloop.run(serve(lambda: WorkerServer(settings, find_url(settings), part, channel, gc.freeze)))


async def serve(make: Callable[[], Runs]) -> None:
    raise_file_limit()
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
    """Return the errors themselves, however deep the task groups that they passed through."""
    found: list[Exception] = []
    for error in group.exceptions:
        found += leaves(error) if isinstance(error, ExceptionGroup) else [error]
    return found
