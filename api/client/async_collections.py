"""A family of objects at the client that awaits: `async for subnet in client.subnets.list(): ...`.

collections.py describes the arguments and results of its methods."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, Protocol, TypeVar

import httpx

from api.client.calls import Calls, Made, Row, Tagged, next_page
from api.client.exchange import Ask, Steps
from ipam_core.model.base import Model
from ipam_core.model.families import Family

M = TypeVar("M", bound=Model)
T = TypeVar("T")


class AsyncSender(Protocol):
    """The part of a client that its collections use."""

    async def run(self, steps: Steps[T]) -> T:
        """Take all steps of a call; return their result."""

    def stream(self, ask: Ask) -> AbstractAsyncContextManager[httpx.Response]:
        """Return a response that is read in pieces as they arrive."""


class AsyncReadable(Generic[M, Row]):
    """A family that servers write and clients read."""

    def __init__(self, client: AsyncSender, family: Family) -> None:
        self.client = client
        self.calls: Calls[M, Row, Any] = Calls(family)

    async def list(self, **filters: Any) -> AsyncIterator[Row]:
        ask = self.calls.listing(filters)
        while True:
            page = await self.client.run(self.calls.page(ask))
            for row in page.items:
                yield row
            if page.next_cursor is None:
                return
            ask = next_page(ask, page.next_cursor)

    async def first(self, **filters: Any) -> Row | None:
        async for row in self.list(**{"limit": 1} | filters):
            return row
        return None

    async def csv(self, **filters: Any) -> AsyncIterator[bytes]:
        async with self.client.stream(self.calls.csv(filters)) as response:
            async for piece in response.aiter_bytes():
                yield piece

    async def get(self, id_: str) -> M:
        return await self.client.run(self.calls.get(id_))

    async def tagged(self, id_: str) -> Tagged[M]:
        return await self.client.run(self.calls.tagged(id_))


class AsyncCollection(AsyncReadable[M, Row], Generic[M, Row, Made]):
    """A family that clients write too."""

    async def create(self, *, key: str | None = None, **fields: Any) -> Made:
        made: Made = await self.client.run(self.calls.create(key, fields))
        return made

    async def update(self, id_: str, *, if_match: str | None = None, **fields: Any) -> M:
        return await self.client.run(self.calls.update(id_, if_match, fields))

    async def delete(self, id_: str, *, cascade: bool = False, if_match: str | None = None) -> None:
        await self.client.run(self.calls.delete(id_, cascade, if_match))
