"""A worker: the loops that follow a change, what wakes them, and how they fare.

The reader of events looks at the logs four times a second, because the DHCP servers tell nobody of a lease: a commit
that notifies waits for all others that do. Everything else is woken by notifications, and looks by itself in case one
was missed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress

import asyncpg
import structlog

from ipam_core.db import queries, schema
from ipam_core.db.connect import connect
from ipam_core.db.hosts import CONNECT_SECONDS
from ipam_core.db.outage import FAILED, reason
from ipam_core.errors import OlderSchema
from ipam_core.host_labels import BLOCKED_NAMES
from ipam_core.outbound.guard import Guard
from ipam_core.secrets import Keyring
from ipam_core.services.entity.entity import Connection
from ipam_core.workers.ddns_events import DdnsEvents
from ipam_core.workers.ddns_sender import DdnsSender
from ipam_core.workers.loops import Loop, Step
from ipam_core.workers.node import Node
from ipam_core.workers.notification_sender import NotificationSender
from ipam_core.workers.publisher import Publisher
from ipam_core.workers.search_follower import SearchFollower
from ipam_core.workers.webhook_events import WebhookEvents
from ipam_core.workers.webhook_sender import Timing, WebhookSender

SQL = queries.load("ddns")
WEBHOOKS = queries.load("webhook_worker")
FROZEN = queries.load("frozen_session")

EVENTS_SECONDS = 0.25
SENDER_SECONDS = 1.0
BEAT_SECONDS = 5.0
FROZEN_SECONDS = 20.0
"""Time after which a session whose process stands still in a statement is ended."""
TIDY_SECONDS = 600.0
KEPT_DAYS = 30  # of an update that is done, and of a delivery that was given up
DELIVERED_DAYS = 7
FORGOTTEN_AT_ONCE = 10_000
ASK_SECONDS = CONNECT_SECONDS + 1.0  # a host that does not answer is named
AGAIN_SECONDS = 1.0
END_SECONDS = 5.0

log = structlog.get_logger("worker")


class Worker:
    """`run` until it is cancelled, then `close`."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        dsn: str,
        keyring: Keyring,
        guard: Guard | None = None,
        timing: Timing | None = None,
        blocked_names: Collection[str] = BLOCKED_NAMES,
    ) -> None:
        self.pool = pool
        self.dsn = dsn
        self.keyring = keyring
        self.events = DdnsEvents(pool, blocked_names)
        guard = guard or Guard()
        self.sender = DdnsSender(pool, keyring.open, guard)
        self.webhook_events = WebhookEvents(pool)
        self.webhook_sender = WebhookSender(pool, keyring.open, guard, timing)
        self.notification_sender = NotificationSender(pool, guard, timing)
        self.notification_sender.rates = self.webhook_sender.rates  # one limit of a tenant for both
        self.search_follower = SearchFollower(pool)
        self.publisher = Publisher(dsn)
        self.node = Node("worker")
        self.events_loop = Loop("events", self.working(self.events.step), EVENTS_SECONDS)
        self.sender_loop = Loop("sender", self.working(self.sender.step), SENDER_SECONDS)
        self.webhook_events_loop = Loop(
            "webhook events", self.working(self.webhook_events.step), EVENTS_SECONDS
        )
        self.webhook_sender_loop = Loop("webhook sender", self.send_webhooks, SENDER_SECONDS)
        self.notification_sender_loop = Loop("notification sender", self.send_notifications, SENDER_SECONDS)
        self.search_loop = Loop("search", self.working(self.search_follower.step), EVENTS_SECONDS)
        self.loops = (
            self.events_loop,
            self.sender_loop,
            self.webhook_events_loop,
            self.webhook_sender_loop,
            self.notification_sender_loop,
            self.search_loop,
            Loop("silent nodes", self.working(self.tell_silent_nodes), BEAT_SECONDS),
            Loop("frozen sessions", self.working(self.end_frozen_sessions), BEAT_SECONDS),
            Loop("node", self.beat, BEAT_SECONDS),
            Loop("rates", self.read_rates, BEAT_SECONDS),
            Loop("tidy", self.working(self.tidy), TIDY_SECONDS),
        )
        self.waits_for = "the database was not reached yet"

    async def run(self) -> None:
        """Raise SecretKeyError and NewerSchema, which no later try would find right."""
        await self.await_database()
        async with asyncio.TaskGroup() as running:
            for loop in self.loops:
                running.create_task(loop.run())
            running.create_task(self.publisher.run())
            running.create_task(self.keep_listening())

    async def await_database(self) -> None:
        """Wait until the schema of the database is this build's and its key is ours."""
        while True:
            try:
                async with asyncio.timeout(ASK_SECONDS), self.pool.acquire() as connection:
                    await schema.check(connection)
                    await self.keyring.adopt(connection)
            except (OlderSchema, *FAILED) as error:
                if self.waits_for != reason(error):
                    log.warning("waiting for the database", reason=reason(error))
                self.waits_for = reason(error)
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                self.waits_for = ""
                return

    def working(self, step: Step) -> Step:
        """Return the step, unless we were asked to drain."""

        async def unless_drained() -> bool:
            return not self.node.drained and await step()

        return unless_drained

    async def send_webhooks(self) -> bool:
        """Send webhooks. During a drain, answers are still noted and endpoints are left to others."""
        self.webhook_sender.ending = self.node.drained
        return await self.webhook_sender.step()

    async def send_notifications(self) -> bool:
        """Send notifications, as send_webhooks does."""
        self.notification_sender.ending = self.node.drained
        return await self.notification_sender.step()

    async def beat(self) -> bool:
        async with self.pool.acquire() as connection:
            await self.node.beat(connection, self.fault("node"))
        return False

    async def read_rates(self) -> bool:
        for rates in (self.sender.rates, self.webhook_sender.rates):
            await rates.refresh()
        return False

    async def tidy(self) -> bool:
        async with self.pool.acquire() as connection:
            await SQL.forget_done(connection, days=KEPT_DAYS, at_most=FORGOTTEN_AT_ONCE)
            await WEBHOOKS.forget_done(
                connection,
                delivered_days=DELIVERED_DAYS,
                dead_days=KEPT_DAYS,
                at_most=FORGOTTEN_AT_ONCE,
            )
        return False

    async def tell_silent_nodes(self) -> bool:
        async with self.pool.acquire() as connection:
            await WEBHOOKS.tell_silent_nodes(connection)
            await WEBHOOKS.retire_replaced(connection)
        return False

    async def end_frozen_sessions(self) -> bool:
        async with self.pool.acquire() as connection:
            await end_frozen(connection, FROZEN_SECONDS)
        return False

    async def keep_listening(self) -> None:
        """Keep listening for ever; missed notifications are looked for as soon as there is a session."""
        while True:
            with suppress(*FAILED):
                async with listening(self.dsn) as (session, lost):
                    await session.add_listener("ipam_change", waker(self.events_loop))
                    await session.add_listener("ipam_change", waker(self.webhook_events_loop))
                    await session.add_listener("ipam_change", waker(self.search_loop))
                    await session.add_listener("ddns_update", waker(self.sender_loop))
                    await session.add_listener("webhook_delivery", waker(self.webhook_sender_loop))
                    await session.add_listener("webhook_delivery", waker(self.notification_sender_loop))
                    for loop in self.loops:
                        loop.wake()
                    await lost.wait()
            await asyncio.sleep(AGAIN_SECONDS)

    def fault(self, *but: str) -> str:
        """Return what does not work now; empty when all does."""
        faults = [f"{loop.name}: {loop.fault}" for loop in self.loops if loop.fault and loop.name not in but]
        faults += [f"publisher: {self.publisher.fault}"] if self.publisher.fault else []
        return self.waits_for or "; ".join(faults)

    async def close(self) -> None:
        """Give back what is not done, and say that we end; where the database is away, claim and row end by
        themselves."""
        with suppress(*FAILED):
            async with asyncio.timeout(END_SECONDS * 2):
                await asyncio.gather(
                    self.sender.close(), self.webhook_sender.close(), self.notification_sender.close()
                )
                async with self.pool.acquire() as connection:
                    await self.node.stop(connection)


async def end_frozen(connection: Connection, seconds: float) -> None:
    """End sessions of processes that stand still in the middle of a statement, so that others go on."""
    async for row in FROZEN.end_frozen(connection, seconds=seconds):
        log.warning(
            "a session stood still in a transaction and was ended", pid=row["pid"], ended=row["ended"]
        )


@asynccontextmanager
async def listening(dsn: str) -> AsyncIterator[tuple[asyncpg.Connection, asyncio.Event]]:
    """Provide a session, and an event that is set when it is lost."""
    session = await connect(dsn)
    lost = asyncio.Event()
    session.add_termination_listener(lambda _: lost.set())
    try:
        yield session, lost
    finally:
        session.terminate()


def waker(loop: Loop) -> Callable[..., None]:
    def wake(*_notification: object) -> None:
        loop.wake()

    return wake
