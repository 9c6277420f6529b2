"""`ipam up`: the whole service on one machine, in one terminal.

    database   the one that is named, or an embedded PostgreSQL, kept running
    schema     migrated
    plan       with --demo, a small one in an empty database
    parts      the API, the DHCP and DNS servers and a worker as child processes, and one health address for all

It ends in the opposite order on Ctrl-C, SIGTERM or a closed terminal. Killed, it leaves the embedded server
running, which the next start takes over.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator

import asyncpg
import msgspec

from ipam_core import settings
from ipam_core.db.connect import connect
from ipam_core.db.embedded.log_segments import AHEAD
from ipam_core.db.embedded.programs import SHARED
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import advance
from ipam_core.errors import PostgresStartError
from ipam_core.processes import demo_relay, welcome
from ipam_core.processes.supervisor import say, supervised
from ipam_core.services import demo, tokens
from ipam_core.settings import Settings

ROLES = {"api": ["api"], "dhcp": ["dhcp", "--family", "4"], "dns": ["dns"], "worker": ["worker"]}
ROLE6 = {"dhcp6": ["dhcp", "--family", "6"]}
WATCH_SECONDS = 0.1
RETRY_SECONDS = 1.0


async def up(chosen: Settings, with_demo: bool) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    serving = asyncio.create_task(serve(chosen, with_demo))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set():
        serving.cancel()
    stopping.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def serve(chosen: Settings, with_demo: bool) -> None:
    began = time.monotonic()
    async with database(chosen) as dsn:
        outcome = await asyncio.to_thread(advance, dsn)
        if outcome.left:
            say(f"{', '.join(outcome.left)} postponed: other versions run on {', '.join(outcome.others)}")
        if with_demo:
            await fill(dsn)
        inside = msgspec.structs.replace(chosen, database_url=dsn)
        async with supervised(inside, ROLES | (ROLE6 if settings.serves6(inside) else {})) as supervisor:
            await supervisor.start()
            found = await find(dsn, with_demo)
            welcome.announce(chosen, time.monotonic() - began, found)
            if found.demo:
                demo_relay.send(inside)
            await supervisor.keep()


@contextlib.asynccontextmanager
async def database(chosen: Settings) -> AsyncIterator[str]:
    """Provide the DSN of the database that is named or of our own."""
    if chosen.database_url:
        yield chosen.database_url
        return
    if os.geteuid() == 0 and chosen.postgres_user == SHARED:
        say(f"postgres_user is {SHARED}: other programs of that account can read and change the database")
    server = EmbeddedPostgres(chosen.data_dir, chosen.postgres_user, ahead=AHEAD)
    keeper = None
    try:
        dsn = await asyncio.to_thread(server.start)
        keeper = asyncio.create_task(keep_running(server))
        yield dsn
    finally:
        if keeper:
            keeper.cancel()
        await asyncio.to_thread(server.stop)


async def keep_running(server: EmbeddedPostgres) -> None:
    """Recover the embedded server when something ends it; the parts find it again by themselves."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        if server.gone():
            say("PostgreSQL exited; recovering it")
            try:
                await asyncio.to_thread(server.recover)
                say("PostgreSQL is running again")
            except PostgresStartError as error:
                say(str(error))
                await asyncio.sleep(RETRY_SECONDS)


async def fill(dsn: str) -> None:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        await demo.fill(connection)
    finally:
        await connection.close()


async def find(dsn: str, with_demo: bool) -> welcome.Found:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        return welcome.Found(
            has_token=await tokens.any_exists(connection),
            has_subnet=await demo.has_subnet(connection),
            demo=with_demo and await demo.is_there(connection),
        )
    finally:
        await connection.close()
