"""Requests and the reading of answers, without any I/O: steps that both clients take, one by waiting, one by await.

A call is a generator. It yields what is to be sent, or a pause, gets the response, and returns what the call found. 429
and 503 are tried again after Retry-After, within bounds. Requests that got lost are repeated only if that does no harm.
The client measures how long a call takes, and refuses a pause after which it would take too long.
"""

import json
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import httpx
import msgspec

from api.client.errors import ConnectionFailed, error_of, foreign

T = TypeVar("T")

NO_CONTENT = 204
LIMITED = 429
RETRIED = {LIMITED, 503}
ATTEMPTS = 4
LIMITED_SECONDS = 90.0
"""Longest time of a call that meets a rate limit: its answers and pauses."""
AWAY_SECONDS = 20.0
"""Longest time of a call to a server that is busy or away, after which no further attempt begins."""
AGAIN_SECONDS = 0.2


@dataclass(frozen=True)
class Ask:
    """One request; `path` continues the client's address; `streams`: the answer is read piece by piece."""

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


class Body(dict[str, Any]):
    """An object of an answer, in which a missing field is an error of the server."""

    def __missing__(self, name: str) -> Any:
        raise foreign(f"The answer lacks the field {name!r} and is not that of an ipam API")


class Pause(NamedTuple):
    """`within`: seconds that the call may have taken when the pause ends."""

    seconds: float
    within: float


class Impatient(Exception):
    """A pause is refused, because the call would take too long."""


class Stopwatch:
    """Time of one call. `patience`: seconds that it may take, if the caller has fewer than the bounds above."""

    def __init__(self, patience: float | None) -> None:
        self.patience = LIMITED_SECONDS if patience is None else patience
        self.began = time.monotonic()

    def has_time_for(self, pause: Pause) -> bool:
        return time.monotonic() - self.began + pause.seconds <= min(pause.within, self.patience)


Steps = Generator[Ask | Pause, httpx.Response | None, T]
"""The client throws ConnectionFailed into them where no response came, and Impatient where it refuses a pause."""


def answered(ask: Ask) -> Steps[httpx.Response]:
    """Yield the response to it. Raises ApiError and ConnectionFailed."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            response = yield ask
        except ConnectionFailed:
            if not ask.repeatable or not (
                yield from pause(attempt, Pause(AGAIN_SECONDS * attempt, AWAY_SECONDS))
            ):
                raise
            continue
        assert response is not None
        if response.is_success:
            return response
        if response.status_code not in RETRIED or not (yield from pause(attempt, pause_of(response))):
            raise error_of(response)
    raise AssertionError


def pause(attempt: int, wanted: Pause) -> Steps[bool]:
    """Yield whether there is a further attempt, after the pause."""
    if attempt == ATTEMPTS:
        return False
    try:
        yield wanted
    except Impatient:
        return False
    return True


def pause_of(response: httpx.Response) -> Pause:
    return Pause(retry_after(response), LIMITED_SECONDS if response.status_code == LIMITED else AWAY_SECONDS)


def once(ask: Ask) -> Steps[httpx.Response]:
    """Yield the response, whatever its status: for a stream, which has its own retries. Raises ConnectionFailed."""
    response = yield ask
    assert response is not None
    return response


def plain(ask: Ask) -> Steps[Any]:
    """Yield the answer's JSON object, None for status 204."""
    response = yield from answered(ask)
    return None if response.status_code == NO_CONTENT else decoded(response, Body)


def read(ask: Ask, kind: type[T]) -> Steps[T]:
    """Yield the answer as a struct; fields that it does not know are left out, for a server may be newer."""
    response = yield from answered(ask)
    found: T = decoded(response, kind)
    return found


def decoded(response: httpx.Response, kind: Any) -> Any:
    """Return the body of a response. Raises ApiError for a body that no server of ours sends, such as a web page."""
    try:
        if kind is not Body:
            return msgspec.json.decode(response.content, type=kind)
        if isinstance(found := json.loads(response.content, object_hook=Body), Body):
            return found
    except (msgspec.DecodeError, ValueError):
        pass
    host = response.request.url.host
    raise foreign(f"{host} does not answer like an ipam API", response.status_code)


def retry_after(response: httpx.Response) -> float:
    """Return the seconds for which the server asks: an earlier attempt would be refused again."""
    text = response.headers.get("retry-after", "1")
    return float(text) if text.isdecimal() else 1.0
