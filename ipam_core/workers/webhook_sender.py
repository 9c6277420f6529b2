"""Deliveries, sent: each endpoint by one worker at a time, its events in order, many endpoints at once.

An endpoint is claimed for some seconds, sent to within them, and released. A worker that is killed in between leaves
a claim that ends; what it sent and could not note comes a second time, with the same webhook-id. A delivery that is
refused is tried again later and holds up no other one. An endpoint that is silent, or says that it has too much to
do, rests for a while, longer each time, and what waits for it meanwhile comes in order afterwards.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib import metadata

import asyncpg
import httpx
import msgspec
import structlog
from standardwebhooks import Webhook

from ipam_core.db import queries
from ipam_core.errors import IpamError
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.webhooks import PREVIOUS
from ipam_core.workers.guarded_http import ForbiddenAddressError, Guard
from ipam_core.workers.webhook_outcomes import Outcome, disable

SQL = queries.load("webhook_worker")

ENDPOINTS = 256  # that one worker sends to at once
AT_ONCE = 100  # deliveries read of one
PATIENCE_SECONDS = 0.1  # with endpoints that are slower than others
END_SECONDS = 5.0
SHOWN_OCTETS = 1024
READ_OCTETS = 65_536  # of an answer, so that its connection can be used again
USER_AGENT = f"ipam/{metadata.version('ipam')}"
GONE = 410
BUSY = (429, 502, 503, 504)
HOUR = 3600.0

Open = Callable[[str, bytes], str]  # purpose and sealed secret -> the secret

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
        """After so many attempts; None: no more is made."""
        if attempts > len(self.retries):
            return None
        return self.retries[attempts - 1] * (1 + self.jitter * random.random())  # noqa: S311 - spreads load, keeps no secret

    def rest_after(self, failures: int) -> float:
        """Of an endpoint that was silent so many times in a row."""
        if not failures:
            return 0.0
        return min(self.rest * 2.0 ** min(failures - 1, 20), self.longest_rest)


class WebhookSender:
    """`step` sends what is due; False when nothing is."""

    def __init__(
        self, pool: asyncpg.Pool, open_secret: Open, guard: Guard | None = None, timing: Timing | None = None
    ) -> None:
        self.pool = pool
        self.open_secret = open_secret
        self.guard = guard or Guard()
        self.timing = timing or Timing()
        self.sending: dict[int, asyncio.Task[None]] = {}  # by webhook
        self.outcomes: Counter[str] = Counter()  # delivered, failed, dead
        self.ending = False

    async def step(self) -> bool:
        """Raises what the database says."""
        async with self.pool.acquire() as connection:
            claimed = SQL.claim_endpoints(
                connection,
                busy=list(self.sending),
                at_most=ENDPOINTS - len(self.sending),
                seconds=self.timing.claim,
            )
            for row in [row async for row in claimed]:
                self.sending[row["no"]] = asyncio.create_task(self.serve(row))
        if not self.sending:
            return False
        await asyncio.wait(
            self.sending.values(), timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        await self.gather_done()
        return True

    async def gather_done(self) -> None:
        """Raises the first error of those that have ended, which is the database's."""
        done = [no for no, task in self.sending.items() if task.done()]
        for found in await asyncio.gather(*(self.sending.pop(no) for no in done), return_exceptions=True):
            if found is not None:
                raise found

    async def close(self) -> None:
        """What is on its way may arrive; the rest is left to others at once."""
        self.ending = True
        if self.sending:
            await asyncio.wait(self.sending.values(), timeout=END_SECONDS)
        for task in self.sending.values():
            task.cancel()
        await asyncio.gather(*self.sending.values(), return_exceptions=True)
        self.guard.close()

    async def serve(self, endpoint: Row) -> None:
        """One endpoint's turn. Raises what the database says."""
        failures = endpoint["failures"]
        try:
            secrets = self.secrets(endpoint)
        except IpamError as error:  # another key: this worker cannot, another one may
            log.error("a webhook's secret cannot be read", webhook=str(endpoint["id"]), error=str(error))
            await self.release(endpoint, failures + 1)
            return
        try:
            async with self.guard.client() as client:
                failures = await self.serve_in_order(endpoint, client, secrets)
        finally:
            await self.release(endpoint, failures)

    def secrets(self, endpoint: Row) -> list[str]:
        """Raises SecretKeyError."""
        found = [self.open_secret("webhook", endpoint["secret"])]
        if endpoint["previous_secret"] is not None:
            found.append(self.open_secret(PREVIOUS, endpoint["previous_secret"]))
        return found

    async def serve_in_order(self, endpoint: Row, client: httpx.AsyncClient, secrets: Sequence[str]) -> int:
        """Until nothing is due, the turn is over or the endpoint silent; how often in a row it was."""
        failures, end = endpoint["failures"], time.monotonic() + self.timing.turn
        while True:
            async with self.pool.acquire() as connection:
                due = SQL.due(connection, webhook_no=endpoint["no"], at_most=AT_ONCE)
                rows = [row async for row in due]
            for row in rows:
                if self.ending or time.monotonic() > end:
                    return int(failures)
                outcome = await self.attempt(client, endpoint["url"], secrets, row)
                failures = failures + 1 if outcome.silent else 0
                await self.note(endpoint, row, outcome)
                if outcome.silent or outcome.gone:
                    return int(failures)
            if len(rows) < AT_ONCE:
                return int(failures)

    async def release(self, endpoint: Row, failures: int) -> None:
        async with self.pool.acquire() as connection:
            await SQL.release(
                connection,
                no=endpoint["no"],
                claimed_until=endpoint["claimed_until"],
                failures=failures,
                rest=self.timing.rest_after(failures),
            )

    async def attempt(self, client: httpx.AsyncClient, url: str, secrets: Sequence[str], row: Row) -> Outcome:
        """One request; whatever becomes of it."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.timing.attempt):
                request = signed(client, url, secrets, row)
                async with sent(client, request) as response:
                    shown = await beginning(response)
        except TimeoutError:
            return Outcome(False, error=f"no answer within {self.timing.attempt:g} s", silent=True)
        except ForbiddenAddressError as error:
            return Outcome(False, error=str(error), silent=True)
        except Exception as error:  # noqa: BLE001 - what an endpoint does to a request must not stop the others
            return Outcome(False, error=told(error), silent=True)
        return judged(response.status_code, int((time.monotonic() - began) * 1000), shown)

    async def note(self, endpoint: Row, row: Row, outcome: Outcome) -> None:
        pause = self.timing.pause(row["attempts"] + 1)
        state = "delivered" if outcome.delivered else "dead" if outcome.gone or pause is None else "failed"
        async with self.pool.acquire() as connection:
            if (
                outcome.gone
            ):  # before the delivery is done with, so that a worker that dies here comes to it again
                await disable(connection, [endpoint["no"]], "the endpoint answered 410 Gone")
            await write(connection, row, outcome, state, pause)
        self.outcomes[state] += 1
        if state == "dead":
            log.warning(
                "a webhook was not delivered",
                webhook=str(endpoint["id"]),
                delivery=str(row["id"]),
                error=outcome.error,
            )


async def write(connection: Connection, row: Row, outcome: Outcome, state: str, pause: float | None) -> None:
    await SQL.note(
        connection,
        no=row["no"],
        state=state,
        status=outcome.status,
        latency_ms=outcome.latency_ms,
        response=outcome.response,
        error=outcome.error,
        pause=pause or 0.0,
    )


def signed(client: httpx.AsyncClient, url: str, secrets: Sequence[str], row: Row) -> httpx.Request:
    """As Standard Webhooks 1.0 has it; every secret in force signs. Raises ValueError."""
    payload, now = row["payload"], datetime.now(UTC)
    body = msgspec.json.encode({name: payload[name] for name in ("type", "timestamp", "data")}).decode()
    signatures = [Webhook(secret).sign(row["message_id"], now, body) for secret in secrets]
    headers = {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": row["message_id"],
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
    return client.build_request("POST", url, content=body, headers=headers)


@asynccontextmanager
async def sent(client: httpx.AsyncClient, request: httpx.Request) -> AsyncIterator[httpx.Response]:
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        yield response
    finally:
        await response.aclose()


async def beginning(response: httpx.Response) -> str:
    """Of what was answered, as text; the rest of a long answer is not waited for."""
    shown, size = b"", 0
    async for octets in response.aiter_raw():
        shown = (shown + octets)[:SHOWN_OCTETS]
        size += len(octets)
        if size > READ_OCTETS:
            break
    return shown.decode("utf-8", "replace").replace("\x00", "\ufffd")


def judged(status: int, latency_ms: int, response: str) -> Outcome:
    if 200 <= status < 300:
        return Outcome(True, status, latency_ms, response)
    error = f"answered {status}"
    if 300 <= status < 400:
        error += "; redirects are not followed"
    return Outcome(False, status, latency_ms, response, error, silent=status in BUSY, gone=status == GONE)


def told(error: Exception) -> str:
    """In words, without what a name server or library may put in there at length."""
    return f"{type(error).__name__}: {error}"[:500].replace("\x00", "")
