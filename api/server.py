"""The API as a process: uvicorn on the listening address, health beside it, a clean end on SIGTERM.

The database may be away when it starts: then requests are answered with 503 until it is there. uvicorn must not read
forwarding headers, because api/http/auth.py decides which peers may send them.
"""

import asyncio
import contextlib
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import asyncpg
import structlog
import uvicorn

from api import tls
from api.app import Explain, create_app, prepare
from api.http.gate import Gate
from api.http.rate_sharing import keep_sharing
from api.protocol import Listener, Protocol
from ipam_core.db import schema
from ipam_core.db.connect import create_pool
from ipam_core.db.hosts import CONNECT_SECONDS
from ipam_core.db.outage import FAILED, reason
from ipam_core.db.pulse import pulse
from ipam_core.errors import NewerSchema, OlderSchema, SecretKeyError, unserved_at
from ipam_core.faults import outlive
from ipam_core.outbound import opening
from ipam_core.processes import health, notify
from ipam_core.processes.connections import raise_file_limit
from ipam_core.secrets import Keyring
from ipam_core.services import retention, usage, usage_history
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings
from ipam_core.workers.node import Node, reported

POOL_SIZE = 16
STATEMENTS = 500
READY_SECONDS = 2.0
SHUTDOWN_SECONDS = 8
CHECK_SECONDS = 1.0
NOT_LISTENING = "it is not listening yet"

log = structlog.get_logger("api")


async def serve(settings: Settings, dsn: str, explain: Explain | None = None) -> None:
    """Serve until SIGTERM or SIGINT; requests in hand are answered first."""
    raise_file_limit()
    secured = tls.context(settings)
    prepare()
    async with open_pool(dsn) as pool, pulse(dsn), open_standbys(settings.database_read_url) as standbys:
        keyring = Keyring(settings.secret_key_path)
        guard = opening.guard(settings, dsn)
        app = create_app(settings, pool, explain, sealer=keyring, standby_pool=standbys, guard=guard)
        first = Beginning(app, pool, keyring)
        await first.look()
        listener = Listener(secured, settings.trusted_proxies, settings.connections_per_address)
        config = uvicorn.Config(
            app,
            host=settings.api_listen.host,
            port=settings.api_listen.port,
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_config=None,
            log_level="warning",
            http=Protocol,
            lifespan="off",
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        config.load()
        server = Server(config, app, listener)
        node = Node("api", str(settings.api_listen))
        async with (
            await health.listen(settings.health_listen, pages(app, pool, server)),
            reported(node, pool, partial(why_not_serving, app, server)),
        ):
            beside = [
                asyncio.create_task(outlive(*each)) for each in duties(app, pool, settings, secured).items()
            ]
            beside.append(asyncio.create_task(outlive("API connections", listener.keep)))
            checking = asyncio.create_task(first.await_database(server))
            try:
                await server.serve()
            finally:
                for task in (*beside, checking):
                    task.cancel()
            if checking.done():
                checking.result()


def why_not_serving(app: Gate, server: uvicorn.Server) -> str:
    """Return the reason, for the row among the nodes; empty where requests are served."""
    return str(app.closed or "") if server.started else NOT_LISTENING


def duties(
    app: Gate, pool: asyncpg.Pool, settings: Settings, secured: ssl.SSLContext | None
) -> dict[str, Callable[[], Awaitable[None]]]:
    """Return the tasks beside the requests, by the name of their faults in the log."""
    found: dict[str, Callable[[], Awaitable[None]]] = {
        "API retention": partial(retention.keep, pool, settings.audit_days, settings.stopped_node_days),
        "API lease days": partial(retention.keep_days, pool, settings.lease_event_days),
        "API closed days": partial(retention.keep_closed, pool),
        "API freed leases": partial(retention.keep_freed, pool, settings.freed_lease_days),
        "API usage": partial(usage.keep_fresh, pool, settings.managed_address_limit),
        "API usage history": partial(usage_history.keep, pool),
        "API rate sharing": partial(keep_sharing, pool, app.limits),
        "API failed logins": partial(app.failed_logins.keep, pool),
        "API certificate": partial(tls.keep_fresh, secured, settings),
    }
    return found | ({"API standby": app.standby.keep} if app.standby else {})


class Beginning:
    """Conditions for serving a request: the database's schema is this build's, and its key is ours.

    The database may be away at the start, or not migrated yet. After a success it is not checked again: a server
    continues while a newer version migrates."""

    def __init__(self, app: Gate, pool: asyncpg.Pool, keyring: Keyring) -> None:
        self.app = app
        self.pool = pool
        self.keyring = keyring
        self.done = False
        self.fault = ""

    async def look(self, seconds: float = READY_SECONDS) -> None:
        """Raise what no later look will find right: another key than the database's, a schema from the future."""
        try:
            async with asyncio.timeout(seconds), self.pool.acquire() as connection:
                await schema.check(connection)
                self.app.closed = None
                await self.keyring.adopt(connection)
        except OlderSchema as error:
            if self.app.closed is None:
                log.error("requests cannot be served", reason=str(error))
            self.app.closed = error
        except FAILED as error:
            self.note(reason(error))
        else:
            self.done = True

    def note(self, fault: str) -> None:
        """Log why there is no database, once until the reason is another one."""
        if fault != self.fault:
            log.warning("database not available", error=fault)
        self.fault = fault

    async def await_database(self, server: uvicorn.Server) -> None:
        try:
            while not self.done:
                await asyncio.sleep(CHECK_SECONDS)
                await self.look(
                    CONNECT_SECONDS + CHECK_SECONDS
                )  # a host that does not answer is named after the former
        except (SecretKeyError, NewerSchema):
            server.should_exit = True
            raise


class Server(uvicorn.Server):
    """uvicorn's server, which also ends streams of events, since it would wait for them. A signal is a normal end:
    uvicorn would raise it again afterwards, and it would kill the process before its pool is closed."""

    def __init__(self, config: uvicorn.Config, app: Gate, listener: Listener) -> None:
        super().__init__(config)
        self.gate = app
        self.listener = listener

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.gate.streams is not None:
            self.gate.streams.close()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - uvicorn's
        """Start in place of uvicorn's server, which would have asyncio accept the connections."""
        endpoint = Endpoint(self.config.host, self.config.port)
        try:
            await self.listener.open(endpoint, self.connection)
        except OSError as error:
            raise unserved_at("api_listen", endpoint, error) from None
        self.servers: list[Any] = [self.listener]
        self.started = True
        notify.ready()

    def connection(self) -> Protocol:
        """Return a new one."""
        return Protocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


@contextlib.asynccontextmanager
async def open_standbys(dsn: str | None) -> AsyncIterator[asyncpg.Pool | None]:
    """Open sessions with those of the URL's hosts that are standbys."""
    if dsn is None:
        yield None
        return
    async with open_pool(dsn, target_session_attrs="standby", setting="database_read_url") as pool:
        yield pool


@contextlib.asynccontextmanager
async def open_pool(dsn: str, **options: Any) -> AsyncIterator[asyncpg.Pool]:
    """Open the pool; sessions are made when they are needed. The time limit on closing is for requests that never
    end."""
    pool = await create_pool(
        dsn,
        min_size=0,
        max_size=POOL_SIZE,
        reset=reset,
        statement_cache_size=STATEMENTS,
        max_cached_statement_lifetime=0,
        server_settings={"jit": "off"},
        **options,
    )
    try:
        yield pool
    finally:
        try:
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                await pool.close()
        except TimeoutError:
            pool.terminate()


async def reset(connection: asyncpg.Connection) -> None:
    """Skip asyncpg's reset: our requests change nothing of a session, so the round trip is saved."""
    if connection.is_in_transaction():
        await connection.execute("rollback")


def pages(app: Gate, pool: asyncpg.Pool, server: uvicorn.Server) -> health.Pages:
    readiness = Readiness(pool)

    async def readyz() -> health.Answer:
        reason = str(app.closed or "") or await readiness.why_not()
        return health.readiness(reason if server.started else NOT_LISTENING)

    async def metrics() -> health.Answer:
        return health.numbers(app.metrics.page())

    return health.process_pages(readyz, metrics)


class Readiness:
    """State of the database: whether it answers. A question that hangs is left alone, and stands for those after it;
    meanwhile the reason of the one before counts."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.asking: asyncio.Task[None] | None = None
        self.fault = ""

    async def why_not(self) -> str:
        if self.asking is None or self.asking.done():
            self.asking = asyncio.create_task(self.ask())
        await asyncio.wait([self.asking], timeout=READY_SECONDS)
        return self.fault if self.asking.done() else self.fault or "the database does not answer"

    async def ask(self) -> None:
        try:
            async with self.pool.acquire() as connection:
                await connection.fetchval("select 1")
        except FAILED as error:
            self.fault = f"the database cannot be reached: {reason(error)}"
        else:
            self.fault = ""
