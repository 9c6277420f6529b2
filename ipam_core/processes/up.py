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
import sys
import time
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path

import asyncpg
import click
import msgspec

from ipam_core import bootstrap_code, settings
from ipam_core.db.connect import connect
from ipam_core.db.embedded.log_segments import AHEAD
from ipam_core.db.embedded.programs import SHARED
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import advance
from ipam_core.errors import PostgresStartError
from ipam_core.processes.supervisor import say, supervised
from ipam_core.services import demo, tokens
from ipam_core.setting_values import Endpoint
from ipam_core.settings import BASE_PATH, Settings

ROLES = {"api": ["api"], "dhcp": ["dhcp", "--family", "4"], "dns": ["dns"], "worker": ["worker"]}
ROLE6 = {"dhcp6": ["dhcp", "--family", "6"]}
PROBED = Endpoint("127.0.0.1", 6767)  # what `ipam probe` asks unless told
PROBED6 = Endpoint("::1", 5547)  # the same of `ipam probe -6`
WATCH_SECONDS = 0.1
RETRY_SECONDS = 1.0


async def up(chosen: Settings, with_demo: bool) -> None:
    """Serve until somebody says stop."""
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
            say(
                f"{', '.join(outcome.left)} left for later: other versions run on {', '.join(outcome.others)}"
            )
        if with_demo:
            await fill(dsn)
        inside = msgspec.structs.replace(chosen, database_url=dsn)
        async with supervised(inside, ROLES | (ROLE6 if settings.serves6(inside) else {})) as supervisor:
            await supervisor.start()
            first = first_token(chosen) if not await has_token(dsn) else ""
            announce(chosen, time.monotonic() - began, first)
            await supervisor.keep()


@contextlib.asynccontextmanager
async def database(chosen: Settings) -> AsyncIterator[str]:
    """The DSN of the database that is named or of our own."""
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
            say("PostgreSQL ended; recovering it")
            try:
                await asyncio.to_thread(server.recover)
                say("PostgreSQL is back")
            except PostgresStartError as error:
                say(str(error))
                await asyncio.sleep(RETRY_SECONDS)


async def fill(dsn: str) -> None:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        await demo.fill(connection)
    finally:
        await connection.close()


async def has_token(dsn: str) -> bool:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        return await tokens.any_exists(connection)
    finally:
        await connection.close()


def announce(chosen: Settings, seconds: float, first: str) -> None:
    """Print what listens where, and what to type next; `first`: how the first token is made."""
    database = f"embedded, data in {chosen.data_dir}" if not chosen.database_url else "as set"
    dhcp = ", ".join(map(str, chosen.dhcp4_listen)) + " (relayed and unicast)"
    if chosen.dhcp4_interfaces:
        dhcp += f"; directly on {', '.join(chosen.dhcp4_interfaces)}"
    probe = f"{ipam_command()} probe{server_option(chosen)}"
    probe6 = f"{ipam_command()} probe -6{server_option6(chosen)}"
    scheme = "https" if chosen.api_tls_certificate else "http"
    click.echo(
        f"""ipam is ready ({seconds:.1f} s)

  PostgreSQL  {database}
  API         {scheme}://{chosen.api_listen}{BASE_PATH}   documentation: {scheme}://{chosen.api_listen}/docs
  DHCPv4      {dhcp}
  DHCPv6      {where6(chosen)}
  DNS         {", ".join(map(str, chosen.dns_listen))}
  health      http://{chosen.health_listen}/readyz, /healthz, /metrics

Next, in another terminal:
  {probe}                  get a lease through the server, see each option
  {probe} --count 1000     rate and latency
{next6(probe6) if chosen.dhcp6_listen else ""}{first}
Ctrl-C stops everything."""
    )


def where6(chosen: Settings) -> str:
    listening = ", ".join(map(str, chosen.dhcp6_listen)) + " (relayed)" if chosen.dhcp6_listen else ""
    direct = f"directly on {', '.join(chosen.dhcp6_interfaces)}" if chosen.dhcp6_interfaces else ""
    return "; ".join(filter(None, (listening, direct))) or "not served (dhcp6_listen, dhcp6_interfaces)"


def first_token(chosen: Settings) -> str:
    """How the first token is made: by a browser's link, which only a terminal is shown, or a command."""
    scheme = "https" if chosen.api_tls_certificate else "http"
    url = f"{scheme}://{chosen.api_listen}{BASE_PATH}/tokens"
    return f"""\
{console_link(chosen, scheme)}  curl -X POST {url} -H 'Content-Type: application/json' \\
       -d '{{"name": "admin", "role": "admin"}}'     the first token, as root or this account; from then on every
       request needs one
"""


def console_link(chosen: Settings, scheme: str) -> str:
    """The link with its one-time code, which is taken over loopback alone; empty where nobody would see it, or the
    API does not listen there."""
    host = loopback_of(chosen.api_listen.host, scheme)
    if host is None or not sys.stdout.isatty():
        return ""
    try:
        code = bootstrap_code.issue(chosen.data_dir)
    except OSError as error:
        say(f"no one-time code for the console: {error}")
        return ""
    place = Endpoint(host, chosen.api_listen.port)
    return f"""\
  {scheme}://{place}/console/#code={code}
       the console, where this link makes the first token: on this machine, once, within an hour
"""


def loopback_of(host: str, scheme: str) -> str | None:
    """The name of this machine's loopback at which an API that listens on `host` answers."""
    address = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)  # noqa: S104 - compared
    if not ip_address(address).is_loopback:
        return None
    return "localhost" if scheme == "https" else address


def server_option(chosen: Settings) -> str:
    """What `ipam probe` must be told to reach our DHCP server; nothing where that is its default."""
    listening = chosen.dhcp4_listen[0] if chosen.dhcp4_listen else PROBED
    host = "127.0.0.1" if listening.host == "0.0.0.0" else listening.host  # noqa: S104 - compared, not bound
    return (
        "" if (host, listening.port) == (PROBED.host, PROBED.port) else f" --server {host}:{listening.port}"
    )


def next6(probe: str) -> str:
    return f"  {probe} --pd             an IPv6 address and a delegated prefix\n"


def server_option6(chosen: Settings) -> str:
    """The same of DHCPv6; the probe is a relay, so only what listens for relays is asked."""
    heard = chosen.dhcp6_listen[0] if chosen.dhcp6_listen else PROBED6
    told = Endpoint("::1", heard.port) if heard.host == "::" else heard
    return "" if told == PROBED6 else f" --server {told}"


def ipam_command() -> str:
    """The command as it was typed, or by its name when a child or a test started it otherwise."""
    typed = Path(sys.argv[0])
    return str(typed) if typed.name == "ipam" else "ipam"
