"""What is asked and how an answer is read, without any I/O: steps that both clients take, one by waiting, one by await.

A call is a generator. It yields what is to be sent, or a pause, gets the response, and returns what the call found. 429
and 503 are tried again after Retry-After, within bounds; what got lost on the way only where a second one does no harm.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import httpx
import msgspec

from api.client.errors import ConnectionFailed, error_of

T = TypeVar("T")

RETRIED = {429, 503}
ATTEMPTS = 4
MOST_SECONDS = 30.0
AGAIN_SECONDS = 0.2


@dataclass(frozen=True)
class Ask:
    """One request; `path` goes on from the client's address, `streams`: its answer is read piece by piece."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    streams: bool = False

    @property
    def repeatable(self) -> bool:
        return self.method == "GET" or "idempotency-key" in self.headers

    def built(self, http: httpx.Client | httpx.AsyncClient, url: str) -> httpx.Request:
        content, sent = None, dict(self.headers)
        if self.body is not None:
            content, sent["content-type"] = msgspec.json.encode(self.body), "application/json"
        return http.build_request(
            self.method, url + self.path, content=content, params=self.query, headers=sent
        )


class Pause(NamedTuple):
    seconds: float


Steps = Generator[Ask | Pause, httpx.Response | None, T]
"""Who takes the steps throws ConnectionFailed into them where no response came."""


def answered(ask: Ask) -> Steps[httpx.Response]:
    """The response to it. Raises ApiError and ConnectionFailed."""
    for attempt in range(1, ATTEMPTS + 1):
        last = attempt == ATTEMPTS
        try:
            response = yield ask
        except ConnectionFailed:
            if last or not ask.repeatable:
                raise
            yield Pause(AGAIN_SECONDS * attempt)
            continue
        assert response is not None
        if response.is_success:
            return response
        if last or response.status_code not in RETRIED:
            raise error_of(response)
        yield Pause(retry_after(response))
    raise AssertionError


def once(ask: Ask) -> Steps[httpx.Response]:
    """The response, whatever it says: for a stream, which knows itself how it goes on. Raises ConnectionFailed."""
    response = yield ask
    assert response is not None
    return response


def plain(ask: Ask) -> Steps[Any]:
    """The answer's JSON, None where there is none."""
    response = yield from answered(ask)
    return msgspec.json.decode(response.content) if response.content else None


def read(ask: Ask, kind: type[T]) -> Steps[T]:
    """The answer as a struct; fields that it does not know are left out, for a server may be newer."""
    response = yield from answered(ask)
    return msgspec.json.decode(response.content, type=kind)


def retry_after(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "1")
    return min(float(text), MOST_SECONDS) if text.isdecimal() else 1.0
