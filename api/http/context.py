"""Context of a request before its route runs: the settings, the way to the database, and the caller.

request.py takes the request apart, answers.py and etag.py make the answer; none of them comes back here.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
from litestar import Request

from api.http.auth import Authenticator
from api.http.event_streams import Streams
from api.http.standby import Standby
from ipam_core.errors import Contended
from ipam_core.model.actor import Actor
from ipam_core.outbound.guard import Guard
from ipam_core.services.entity.entity import Connection
from ipam_core.settings import Settings

T = TypeVar("T")
AnyRequest = Request[Any, Any, Any]
Work = Callable[[Connection], Awaitable[T]]

# PostgreSQL ends one of two writers that wait for each other. That one retries, after a random pause.
ATTEMPTS = 5
PAUSE_SECONDS = 0.05
LOST = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError, Contended)
ACQUIRE_SECONDS = 5.0
LONG_SECONDS = 300.0


class Context:
    """One per application; routes find it by `context_of`."""

    def __init__(
        self,
        settings: Settings,
        pool: asyncpg.Pool,
        authenticator: Authenticator,
        describe: Callable[[], Awaitable[bytes]],
        describe_plan: Callable[[], Awaitable[bytes]],
        guard: Guard,
    ) -> None:
        self.settings = settings
        self.pool = pool
        self.authenticator = authenticator
        self.describe = describe
        self.describe_plan = describe_plan
        self.guard = guard
        self.standby: Standby | None = None
        self.streams = Streams(pool)

    async def show(self, work: Work[T]) -> T:
        """Return a read for people and programs, upon which nothing is decided: a standby may answer it."""
        if self.standby is None:
            return await self.read(work)
        return await self.standby.read(work, otherwise=self.read)

    async def read(self, work: Work[T]) -> T:
        """Read on the primary."""
        async with self.pool.acquire(timeout=ACQUIRE_SECONDS) as connection:
            return await work(connection)

    async def write(self, work: Work[T]) -> T:
        """Write; a write that others came before has left nothing behind, and is done again."""
        for attempt in range(1, ATTEMPTS):
            try:
                return await self.read(work)
            except LOST:
                await asyncio.sleep(PAUSE_SECONDS * 2**attempt * random.random())  # noqa: S311 - no secret
        return await self.read(work)


def context_of(request: AnyRequest) -> Context:
    context: Context = request.app.state.context
    return context


def allow_long(request: AnyRequest) -> None:
    """Allow a long time for requests whose work grows with what they write: they have a limit of their own, and end
    with their client. Called before the body is read."""
    request.scope["state"]["allow_long"](LONG_SECONDS)


def actor_of(request: AnyRequest) -> Actor:
    actor: Actor = request.scope["state"]["actor"]
    return actor
