"""The client that awaits each answer: the same families, steps and errors as client.py, on asyncio."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from api.client import calls, exchange
from api.client.async_collections import AsyncCollection
from api.client.client import TIMEOUT, authorization, checked, lost, name_of_family
from api.client.errors import ConnectionFailed
from api.client.exchange import Ask, Impatient, Pause, Steps, Stopwatch
from api.client.following import Following
from ipam_core.model.bulk import OperationResult
from ipam_core.model.event import Event
from ipam_core.model.families import FAMILIES

if TYPE_CHECKING:
    from api.client.attributes import AsyncAttributes
else:
    AsyncAttributes = object

T = TypeVar("T")


class AsyncClient(AsyncAttributes):
    """`url` ends in /api/v1. Each family is an attribute: `client.subnets`. `ca` holds the certificates that an https
    server's is checked against; `transport` is for callers who bring their own, `patience` as of Client."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        ca: Path | None = None,
        patience: float | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.patience = patience
        self.http = httpx.AsyncClient(
            headers=authorization(token), timeout=TIMEOUT, transport=transport, verify=checked(self.url, ca)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    def __getattr__(self, name: str) -> AsyncCollection[Any, Any, Any]:
        return self.of(name_of_family(self, name))

    def of(self, family: str) -> AsyncCollection[Any, Any, Any]:
        """Return the family by its name in paths: `dns-zones`."""
        return AsyncCollection(self, FAMILIES[family])

    async def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Return the answer's JSON, None where there is none. Raises ApiError and ConnectionFailed."""
        return await self.run(exchange.plain(Ask(method, path, body, query, headers or {})))

    async def run(self, steps: Steps[T]) -> T:
        """Return what the steps find in the end."""
        go_on: Callable[[], Ask | Pause] = partial(next, steps)
        watch = Stopwatch(self.patience)
        while True:
            try:
                step = go_on()
            except StopIteration as end:
                found: T = end.value
                return found
            go_on = await self.take(step, steps, watch)

    async def take(self, step: Ask | Pause, steps: Steps[T], watch: Stopwatch) -> Callable[[], Ask | Pause]:
        """Send or wait; call the result to pass the answer to the steps."""
        if isinstance(step, Pause):
            if not watch.has_time_for(step):
                return partial(steps.throw, Impatient())
            await asyncio.sleep(step.seconds)
            return partial(steps.send, None)
        try:
            response = await self.http.send(step.built(self.http, self.url), stream=step.streams)
            if not response.is_success:
                await response.aread()
        except httpx.TransportError as error:
            return partial(steps.throw, lost(self.url, error))
        return partial(steps.send, response)

    @asynccontextmanager
    async def stream(
        self, ask: Ask, steps: Callable[[Ask], Steps[httpx.Response]] = exchange.answered
    ) -> AsyncIterator[httpx.Response]:
        """Provide an answer whose pieces are read as they come. Raises ConnectionFailed where it breaks off."""
        response = await self.run(steps(ask))
        try:
            yield response
        except httpx.TransportError as error:
            raise lost(self.url, error) from None
        finally:
            await response.aclose()

    async def bulk(
        self, operations: Sequence[Mapping[str, Any]], *, dry_run: bool = False, key: str | None = None
    ) -> list[OperationResult]:
        """Return all of them in one transaction, or none; a dry run answers what would have been."""
        return await self.run(calls.bulk(operations, dry_run, key))

    async def follow(
        self,
        *,
        last_id: str | None = None,
        on_break: Callable[[str, float], None] = lambda _reason, _seconds: None,
        **filters: Any,
    ) -> AsyncIterator[Event]:
        """Yield events as they happen, without end, as Client does."""
        following = Following(filters, last_id)
        while True:
            try:
                async with self.stream(following.ask(), exchange.once) as response:
                    if following.begun(response):
                        async for piece in response.aiter_bytes():
                            for event in following.take(piece):
                                yield event
            except ConnectionFailed as error:
                following.lost(error)
            on_break(following.reason, following.pause)
            await asyncio.sleep(following.pause)
