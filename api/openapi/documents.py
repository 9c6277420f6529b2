"""The descriptions that an API server serves, each made when it is first asked for.

To make them takes half a second of processor time, as long as all else of a start, and most servers are never asked. A
thread makes them, so that other requests are answered meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Generic, TypeVar

from litestar.handlers import HTTPRouteHandler

from api.http.errors import Answer
from api.openapi import document, page

T = TypeVar("T")


class Once(Generic[T]):
    """Value that a thread makes for the first request; requests that come meanwhile wait for it. After a failure it is
    made again for the next request."""

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        self.make = make
        self.making: asyncio.Future[T] | None = None

    async def __call__(self) -> T:
        if self.making is None or (self.making.done() and failed(self.making)):
            self.making = asyncio.ensure_future(self.make())
        return await asyncio.shield(self.making)


def failed(making: asyncio.Future[Any]) -> bool:
    return making.cancelled() or making.exception() is not None


class Documents:
    """`whole`, `fragment` and `page` return the document, its part about the address plan, and the page /docs."""

    def __init__(self, handlers: tuple[HTTPRouteHandler, ...]) -> None:
        self.whole = Once(partial(asyncio.to_thread, document.describe, handlers))
        self.fragment = Once(partial(self.made_of, document.fragment))
        self.complete_page: Once[Answer] = Once(partial(self.made_of, page.page))

    async def page(self) -> Answer:
        return await self.complete_page() if page.is_built() else page.not_built()

    async def made_of(self, make: Callable[[bytes], T]) -> T:
        return await asyncio.to_thread(make, await self.whole())
