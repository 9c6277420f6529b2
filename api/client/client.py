"""The client that waits for each answer: one connection pool, retries where a retry is safe (exchange.py), the
families as attributes, pages as one stream of objects."""

import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from api.client import calls, exchange
from api.client.collections import Collection
from api.client.errors import ConnectionFailed
from api.client.exchange import Ask, Impatient, Pause, Steps, Stopwatch
from api.client.following import Following
from ipam_core.errors import SettingsError
from ipam_core.model.base import Model
from ipam_core.model.bulk import OperationResult
from ipam_core.model.event import Event
from ipam_core.model.families import FAMILIES

if TYPE_CHECKING:
    from api.client.attributes import Attributes
else:
    Attributes = object

T = TypeVar("T")

TIMEOUT = 30.0


class Client(Attributes):
    """`url` ends in /api/v1. Each family is an attribute: `client.subnets`. `sleep` and `transport` are for callers who
    bring their own; `ca` holds the certificates that an https server's is checked against. `patience`: seconds after
    which no further attempt of a call begins, if fewer than the client's own bounds (exchange.py)."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        ca: Path | None = None,
        patience: float | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.patience = patience
        self.sleep = sleep
        self.http = httpx.Client(
            headers=authorization(token), timeout=TIMEOUT, transport=transport, verify=checked(self.url, ca)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def __getattr__(self, name: str) -> Collection[Any, Any, Any]:
        return self.of(name_of_family(self, name))

    def of(self, family: str) -> Collection[Any, Any, Any]:
        """Return the family by its name in paths: `dns-zones`."""
        return Collection(self, FAMILIES[family])

    # --- requests

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Return the answer's JSON, None where there is none. Raises ApiError and ConnectionFailed."""
        return self.run(exchange.plain(Ask(method, path, body, query, headers or {})))

    def run(self, steps: Steps[T]) -> T:
        """Return what the steps find in the end."""
        go_on: Callable[[], Ask | Pause] = partial(next, steps)
        watch = Stopwatch(self.patience)
        while True:
            try:
                step = go_on()
            except StopIteration as end:
                found: T = end.value
                return found
            go_on = self.take(step, steps, watch)

    def take(self, step: Ask | Pause, steps: Steps[T], watch: Stopwatch) -> Callable[[], Ask | Pause]:
        """Send or wait; call the result to pass the answer to the steps."""
        if isinstance(step, Pause):
            if not watch.has_time_for(step):
                return partial(steps.throw, Impatient())
            self.sleep(step.seconds)
            return partial(steps.send, None)
        try:
            response = self.http.send(step.built(self.http, self.url), stream=step.streams)
            if not response.is_success:
                response.read()
        except httpx.TransportError as error:
            return partial(steps.throw, lost(self.url, error))
        return partial(steps.send, response)

    @contextmanager
    def stream(
        self, ask: Ask, steps: Callable[[Ask], Steps[httpx.Response]] = exchange.answered
    ) -> Iterator[httpx.Response]:
        """Provide an answer whose pieces are read as they come. Raises ConnectionFailed where it breaks off."""
        response = self.run(steps(ask))
        try:
            yield response
        except httpx.TransportError as error:
            raise lost(self.url, error) from None
        finally:
            response.close()

    # --- calls outside families

    def bulk(
        self, operations: Sequence[Mapping[str, Any]], *, dry_run: bool = False, key: str | None = None
    ) -> list[OperationResult]:
        """Return all of them in one transaction, or none; a dry run answers what would have been."""
        return self.run(calls.bulk(operations, dry_run, key))

    def follow(
        self,
        *,
        last_id: str | None = None,
        on_break: Callable[[str, float], None] = lambda _reason, _seconds: None,
        **filters: Any,
    ) -> Iterator[Event]:
        """Yield events as they happen, without end: from now on, since a moment (`since`) or behind an id of the
        stream. It reconnects after a break, and calls `on_break` with the reason and the seconds until then. An event
        may be sent twice then, with the same id. Raises ApiError and ConnectionFailed where it could not begin, or is
        refused for good."""
        following = Following(filters, last_id)
        while True:
            try:
                with self.stream(following.ask(), exchange.once) as response:
                    if following.begun(response):
                        for piece in response.iter_bytes():
                            yield from following.take(piece)
            except ConnectionFailed as error:
                following.lost(error)
            on_break(following.reason, following.pause)
            self.sleep(following.pause)

    # --- families by name

    def list(self, family: str, **filters: Any) -> Iterator[Model]:
        """Return all objects that the filters let pass, page by page as they are taken."""
        return self.of(family).list(**filters)

    def items(self, path: str, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield the same as plain JSON, of any list. Only a null next_cursor ends it: a page may be empty."""
        query = calls.told(filters)
        while True:
            page = self.request("GET", path, query=query)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def get(self, family: str, id_: str) -> Model:
        found: Model = self.of(family).get(id_)
        return found

    def create(self, family: str, key: str | None = None, **fields: Any) -> Model:
        """Create an object. `key`: one Idempotency-Key a create; a random one protects at least from our own
        retries."""
        made: Model = self.of(family).create(key=key, **fields)
        return made

    def post_once(self, path: str, body: Mapping[str, Any], key: str | None = None) -> Any:
        return self.run(exchange.plain(calls.creation(path, body, key)))

    def update(self, family: str, id_: str, if_match: str | None = None, **fields: Any) -> Model:
        """Return a merge patch: None clears a field."""
        changed: Model = self.of(family).update(id_, if_match=if_match, **fields)
        return changed

    def delete(self, family: str, id_: str, cascade: bool = False) -> None:
        self.of(family).delete(id_, cascade=cascade)


def name_of_family(client: object, attribute: str) -> str:
    """Raise AttributeError where there is none."""
    name = attribute.replace("_", "-")
    if name not in FAMILIES:
        raise AttributeError(f"{type(client).__name__} has no attribute and the API no family {attribute!r}")
    return name


def authorization(token: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def lost(url: str, error: httpx.TransportError) -> ConnectionFailed:
    return ConnectionFailed(url, reason_of(error))


def checked(url: str, ca: Path | None) -> ssl.SSLContext | bool:
    """Return the certificates, only where the server has one: reading the system's takes longer than most requests."""
    return not url.lower().startswith("http:") and trust(ca)


def trust(ca: Path | None) -> ssl.SSLContext | bool:
    """Return the certificates to trust: the system's, or those of a file."""
    if ca is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise SettingsError("IPAM_API_CA", f"{ca} cannot be used: {error}") from None


def reason_of(error: httpx.TransportError) -> str:
    """Return the reason in words for people, in place of those of TLS and httpx."""
    if "WRONG_VERSION_NUMBER" in str(error):
        return "HTTP is spoken there: begin IPAM_API_URL with http://"
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"{error}: IPAM_API_CA names the file of the certificates that are trusted"
    if isinstance(error, httpx.UnsupportedProtocol):
        return "begin IPAM_API_URL with http:// or https://"
    if isinstance(error, httpx.RemoteProtocolError):
        return f"{error} Where HTTPS is spoken, begin IPAM_API_URL with https://"
    if isinstance(error, httpx.ConnectError):
        return f"{error}; set IPAM_API_URL to its address"
    return str(error) or type(error).__name__
