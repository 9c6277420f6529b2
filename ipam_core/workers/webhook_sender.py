"""Deliveries, sent: each endpoint by one worker at a time, its events in order, many endpoints at once.

A step of the worker is one transaction for all endpoints: it writes down what came of the attempts since the last
step, releases the endpoints whose turn is over, and claims others with what is due there. Between two steps nothing
is asked of the database. A worker that is killed leaves claims that end; what it sent since its last step comes a
second time, with the same webhook-id. A delivery that is refused is tried again later and holds up no other one. An
endpoint that is silent, or says that it has too much to do, rests for a while, longer each time, and what waits for
it meanwhile comes in order afterwards. Each tenant has its share of the endpoints that are served at once, and what is
above its rate waits.
"""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import asyncpg
import msgspec
import structlog

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.errors import IpamError
from ipam_core.outbound.guard import Guard
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers import webhook_outcomes
from ipam_core.workers.rates import Rates
from ipam_core.workers.webhook_endpoint import EndpointCache, Endpoints, Open
from ipam_core.workers.webhook_outcomes import OF_WEBHOOKS, Note, Outcome, Receivers, Release

SQL = queries.load("webhook_worker")

ENDPOINTS = 256  # that one worker sends to at once
OF_TENANT = 32  # of them, of one tenant
AT_ONCE = 100  # deliveries of an endpoint in a turn
STEP_SECONDS = 0.1  # at the latest, while anything is being sent
END_SECONDS = 5.0
HOUR = 3600.0

log = structlog.get_logger("webhooks")


class Timing(msgspec.Struct, frozen=True):
    """Seconds (decisions: Webhooks)."""

    attempt: float = 15.0
    retries: tuple[float, ...] = (
        5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR,
    )  # fmt: skip
    jitter: float = 0.1
    """The share by which a pause may be longer."""
    rest: float = 1.0
    longest_rest: float = 60.0
    turn: float = 25.0
    """No attempt begins later in a claim."""

    @property
    def claim(self) -> float:
        return self.turn + self.attempt + 5.0

    def pause(self, attempts: int) -> float | None:
        """Return the pause after so many attempts; None: there will be no other."""
        if attempts > len(self.retries):
            return None
        return self.retries[attempts - 1] * (1 + self.jitter * random.random())  # noqa: S311 - spreads load, keeps no secret

    def rest_after(self, failures: int) -> float:
        """Return the pause of an endpoint that was silent so many times in a row."""
        if not failures:
            return 0.0
        return min(self.rest * 2.0 ** min(failures - 1, 20), self.longest_rest)


class Turn(NamedTuple):
    """Turn of a claimed endpoint: due deliveries, being sent; the task's result is how often in a row that was
    silent."""

    claim: Row
    task: asyncio.Task[int]
    kind: str

    @property
    def failures(self) -> int:
        """A turn that ends by a fault of ours counts like a silent endpoint: it rests, and others have their turns."""
        before = int(self.claim["failures"])
        if self.task.cancelled():
            return before
        if error := self.task.exception():
            faults.caught(f"{self.kind} turn", error, **{self.kind: str(self.claim["id"])})
            return before + 1
        return self.task.result()


class Sender:
    """`step` sends what is due to a family of receivers; False when nothing is."""

    def __init__(
        self, pool: asyncpg.Pool, receivers: Receivers, endpoints: EndpointCache, timing: Timing | None
    ) -> None:
        self.pool = pool
        self.receivers = receivers
        self.endpoints = endpoints
        self.timing = timing or Timing()
        self.turns: dict[int, Turn] = {}  # by receiver
        self.notes: list[Note] = []  # not written yet
        self.outcomes: Counter[str] = Counter()  # delivered, failed, dead
        self.rates = Rates(pool, "deliveries_per_second")
        self.exchanging: asyncio.Future[None] | None = None
        self.ending = False  # no attempt is begun

    async def step(self) -> bool:
        """Raise what the database says; what could not be written then is written by a later step."""
        self.exchanging = asyncio.ensure_future(self.exchange())
        await asyncio.shield(self.exchanging)  # ended in between, it would leave deliveries claimed
        self.endpoints.forget_idle(self.turns)
        if not self.turns:
            return False
        tasks = [turn.task for turn in self.turns.values()]
        await asyncio.wait(tasks, timeout=STEP_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        return True

    async def exchange(self) -> None:
        """Exchange work with the database: finished deliveries for due ones."""
        over = [turn for turn in self.turns.values() if turn.task.done()]
        notes = self.notes[:]
        releases = [self.release(turn) for turn in over]
        async with self.pool.acquire() as connection, connection.transaction():
            await webhook_outcomes.write(connection, notes, releases, self.receivers)
            claims = await self.claim(connection, {turn.claim["no"] for turn in over})
            due = await read_due(connection, claims, self.receivers)
        del self.notes[: len(notes)]
        self.outcomes.update(note.state for note in notes)
        for turn in over:
            del self.turns[turn.claim["no"]]
        for claim in claims:
            task = asyncio.create_task(self.serve(claim, due[claim["no"]]))
            self.turns[claim["no"]] = Turn(claim, task, self.receivers.name)

    def release(self, turn: Turn) -> Release:
        claim, failures = turn.claim, turn.failures
        rest = self.timing.rest_after(failures)
        return Release(claim["no"], claim["claimed_until"], failures, rest)

    async def claim(self, connection: Connection, over: set[int]) -> list[Row]:
        busy = self.turns.keys() - over
        if self.ending or len(busy) == ENDPOINTS:
            return []
        claimed = self.receivers.sql.claim_endpoints(
            connection,
            busy=list(busy),
            at_most=ENDPOINTS - len(busy),
            of_tenant=OF_TENANT,
            seconds=self.timing.claim,
        )
        return [row async for row in claimed]

    async def serve(self, claim: Row, due: Sequence[Row]) -> int:
        """Serve one endpoint until all is sent, time is over or it is silent; return how often in a row it was."""
        failures, end = int(claim["failures"]), time.monotonic() + self.timing.turn
        try:
            endpoint = self.endpoints.of(claim)
        except (IpamError, ValueError) as error:  # another key: this worker cannot, another one may
            log.error("a receiver's secret cannot be read", receiver=self.named(claim), error=str(error))
            return failures + 1
        for row in due:
            if self.ending or time.monotonic() > end:
                break
            if not await self.rates.wait(claim["tenant_no"], end):
                break
            outcome = await endpoint.attempt(row, self.timing.attempt)
            failures = failures + 1 if outcome.silent else 0
            self.note(claim, row, outcome)
            if outcome.silent or outcome.gone:
                break
        return failures

    def note(self, claim: Row, row: Row, outcome: Outcome) -> None:
        note = Note(row, outcome, self.timing.pause(row["attempts"] + 1))
        self.notes.append(note)
        if note.state == "dead":
            log.warning(
                "an event was not delivered",
                receiver=self.named(claim),
                delivery=str(row["id"]),
                error=outcome.error,
            )

    def named(self, claim: Row) -> str:
        """Return the receiver's family and id, for the log."""
        return f"{self.receivers.name} {claim['id']}"

    async def close(self) -> None:
        """Close after the messages in transit; the rest is left to others at once."""
        self.ending = True
        try:
            if self.exchanging:
                await asyncio.gather(self.exchanging, return_exceptions=True)
            await self.end_turns()
            if self.turns or self.notes:
                await self.exchange()
        finally:
            self.endpoints.close()

    async def end_turns(self) -> None:
        tasks = [turn.task for turn in self.turns.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=END_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class WebhookSender(Sender):
    """Sender to webhooks."""

    def __init__(
        self, pool: asyncpg.Pool, open_secret: Open, guard: Guard | None = None, timing: Timing | None = None
    ) -> None:
        super().__init__(pool, OF_WEBHOOKS, Endpoints(guard or Guard(), open_secret), timing)


async def read_due(
    connection: Connection, claims: Sequence[Row], receivers: Receivers
) -> dict[int, list[Row]]:
    """Return the next deliveries of claimed endpoints, by webhook. A statement of its own, because the one that claims
    may not see yet what another worker wrote before it released."""
    due: dict[int, list[Row]] = defaultdict(list)
    if claims:
        numbers = [claim["no"] for claim in claims]
        async for row in receivers.sql.due(connection, numbers=numbers, at_most=AT_ONCE):
            due[row["receiver_no"]].append(row)
    return due
