"""An endpoint as a worker speaks to it: its secrets, opened, and the connection to it.

Both are kept from one turn to the next. A connection is used for a minute at most, so that a name which moves is
followed, and not after a second of silence, because that is when receivers begin to close what is idle.
"""

import asyncio
import time
from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import httpx
import msgspec
from standardwebhooks import Webhook

from ipam_core.outbound.faults import OutboundError
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.outbound.http_client import USER_AGENT
from ipam_core.outbound.http_connection import Answer, HttpConnection
from ipam_core.services.entity.entity import Row
from ipam_core.services.webhooks import PREVIOUS
from ipam_core.workers.webhook_outcomes import Outcome

CONNECTION_SECONDS = 60.0
IDLE_SECONDS = 1.0
KEPT_SECONDS = 60.0  # that an endpoint is remembered after its turn
GONE = 410
BUSY = (429, 502, 503, 504)

Open = Callable[[str, UUID, bytes], str]  # purpose, the row's id and the sealed secret -> the secret


class Endpoint:
    """Endpoint of one webhook; one turn at a time speaks to it."""

    def __init__(self, guard: Guard, reach: Reach, url: str, secrets: Sequence[str]) -> None:
        self.guard, self.reach = guard, reach
        self.url = url
        self.signers = [Webhook(secret) for secret in secrets]
        self.connection: HttpConnection | None = None

    async def attempt(self, row: Row, seconds: float) -> Outcome:
        """Return one delivery; whatever becomes of it."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                connection = await self.connected()
                answer = await connection.post(self.message(row))
        except TimeoutError:
            return Outcome(False, error=f"no answer within {seconds:g} s", silent=True)
        except OutboundError as error:
            return Outcome(False, error=str(error), silent=True)
        except Exception as error:  # noqa: BLE001 - one endpoint must not stop deliveries to others
            return Outcome(False, error=told(error), silent=True)
        outcome = judged(answer, int((time.monotonic() - began) * 1000))
        return outcome._replace(response=None) if self.reach.of_tenant else outcome

    async def connected(self) -> HttpConnection:
        """Raise as Guard.connect does."""
        now = time.monotonic()
        kept = self.connection
        if (
            kept
            and kept.is_usable
            and now - kept.used < IDLE_SECONDS
            and now - kept.made < CONNECTION_SECONDS
        ):
            return kept
        self.close()
        url = self.parsed_url
        secure = url.scheme == "https"
        host, port = url.raw_host.decode("ascii"), url.port or (443 if secure else 80)
        context = self.guard.context if secure else None
        self.connection = await self.guard.connect(HttpConnection, host, port, self.reach, context)
        return self.connection

    def message(self, row: Row) -> bytes:
        """Return the message in the form of Standard Webhooks 1.0; every secret in force signs."""
        payload, now = row["payload"], datetime.now(UTC)
        body = msgspec.json.encode({name: payload[name] for name in ("type", "timestamp", "data")})
        text = body.decode()
        signatures = " ".join(signer.sign(row["message_id"], now, text) for signer in self.signers)
        return (
            f"{self.head}webhook-id: {row['message_id']}\r\nwebhook-timestamp: {int(now.timestamp())}\r\n"
            f"webhook-signature: {signatures}\r\ncontent-length: {len(body)}\r\n\r\n"
        ).encode("ascii") + body

    @cached_property
    def parsed_url(self) -> httpx.URL:
        """Raises httpx.InvalidURL."""
        return httpx.URL(self.url)

    @cached_property
    def head(self) -> str:
        """What all messages begin with."""
        url = self.parsed_url
        return (
            f"POST {url.raw_path.decode('ascii')} HTTP/1.1\r\nhost: {url.netloc.decode('ascii')}\r\naccept: */*\r\n"
            "accept-encoding: identity\r\n"
            f"content-type: application/json\r\nuser-agent: {USER_AGENT}\r\n"
        )

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Target(Protocol):
    """Target of a delivery."""

    async def attempt(self, row: Row, seconds: float) -> Outcome: ...

    def close(self) -> None: ...


class Known(NamedTuple):
    """`made_of`: what the receiver's row said."""

    endpoint: Target
    made_of: tuple[Any, ...]
    asked: float


class EndpointCache:
    """Cache of endpoints by number of their receiver."""

    columns: tuple[str, ...]
    """Columns of a claim that an endpoint is made of."""

    def __init__(self) -> None:
        self.known: dict[int, Known] = {}

    def make(self, claim: Row) -> Target:
        """Return the endpoint of a receiver. Raises IpamError and ValueError."""
        raise NotImplementedError

    def of(self, claim: Row) -> Target:
        """Return the endpoint, a new one if its receiver has changed. Raises as `make` does."""
        made_of = tuple(claim[name] for name in self.columns)
        known = self.known.pop(claim["no"], None)
        if known is None or known.made_of != made_of:
            if known is not None:
                known.endpoint.close()
            known = Known(self.make(claim), made_of, 0.0)
        self.known[claim["no"]] = known._replace(asked=time.monotonic())
        return known.endpoint

    def forget_idle(self, busy: Container[int]) -> None:
        """Forget endpoints without a message for a minute."""
        since = time.monotonic() - KEPT_SECONDS
        for no in [no for no, known in self.known.items() if known.asked < since and no not in busy]:
            self.known.pop(no).endpoint.close()

    def close(self) -> None:
        for known in self.known.values():
            known.endpoint.close()


class Endpoints(EndpointCache):
    """Endpoints of webhooks; a secret is opened when it has changed."""

    columns = ("url", "of_tenant", "secret", "previous_secret")

    def __init__(self, guard: Guard, open_secret: Open) -> None:
        super().__init__()
        self.guard = guard
        self.open_secret = open_secret

    def make(self, claim: Row) -> Endpoint:
        reach = Reach(claim["tenant_no"], of_tenant=claim["of_tenant"])
        return Endpoint(self.guard, reach, claim["url"], self.secrets(claim))

    def secrets(self, webhook: Row) -> list[str]:
        """Raise SecretKeyError."""
        found = [self.open_secret("webhook", webhook["id"], webhook["secret"])]
        if webhook["previous_secret"] is not None:
            found.append(self.open_secret(PREVIOUS, webhook["id"], webhook["previous_secret"]))
        return found


def judged(answer: Answer, latency_ms: int) -> Outcome:
    status, response = answer.status, answer.beginning.decode("utf-8", "replace").replace("\x00", "\ufffd")
    if 200 <= status < 300:
        return Outcome(True, status, latency_ms, response)
    error = f"answered {status}"
    if 300 <= status < 400:
        error += "; redirects are not followed"
    return Outcome(False, status, latency_ms, response, error, silent=status in BUSY, gone=status == GONE)


def told(error: Exception) -> str:
    """Return the error in words, without long texts of name servers or libraries."""
    return f"{type(error).__name__}: {error}"[:500].replace("\x00", "")
