"""A family of objects at the client that waits: `client.subnets.list(within="10.0.0.0/8")`."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

import httpx

from api.client.calls import Calls, Made, Row, Tagged, next_page
from api.client.exchange import Ask, Steps
from ipam_core.model.base import Model
from ipam_core.model.families import Family

M = TypeVar("M", bound=Model)
T = TypeVar("T")


class Sender(Protocol):
    """The part of a client that its collections use."""

    def run(self, steps: Steps[T]) -> T:
        """Take all steps of a call; return their result."""

    def stream(self, ask: Ask) -> AbstractContextManager[httpx.Response]:
        """Return a response that is read in pieces as they arrive."""


class Readable(Generic[M, Row]):
    """A family that servers write and clients read."""

    def __init__(self, client: Sender, family: Family) -> None:
        self.client = client
        self.calls: Calls[M, Row, Any] = Calls(family)

    def list(self, **filters: Any) -> Iterator[Row]:
        """Yield all that the filters let pass, page by page as they are taken; `limit` is the size of a page."""
        ask = self.calls.listing(filters)
        while True:
            page = self.client.run(self.calls.page(ask))
            yield from page.items
            if page.next_cursor is None:
                return
            ask = next_page(ask, page.next_cursor)

    def first(self, **filters: Any) -> Row | None:
        return next(self.list(**{"limit": 1} | filters), None)

    def csv(self, **filters: Any) -> Iterator[bytes]:
        """Yield the list as a table (RFC 4180, a line of names first), piece by piece: to be written into a file."""
        with self.client.stream(self.calls.csv(filters)) as response:
            yield from response.iter_bytes()

    def get(self, id_: str) -> M:
        return self.client.run(self.calls.get(id_))

    def tagged(self, id_: str) -> Tagged[M]:
        """Return the object with the entity tag, for a change on condition."""
        return self.client.run(self.calls.tagged(id_))


class Collection(Readable[M, Row], Generic[M, Row, Made]):
    """A family that clients write too."""

    def create(self, *, key: str | None = None, **fields: Any) -> Made:
        """Create an object. `key`: an Idempotency-Key, by which the same create later makes nothing more and answers
        the same."""
        made: Made = self.client.run(self.calls.create(key, fields))
        return made

    def update(self, id_: str, *, if_match: str | None = None, **fields: Any) -> M:
        """Return a merge patch: None clears a field."""
        return self.client.run(self.calls.update(id_, if_match, fields))

    def delete(self, id_: str, *, cascade: bool = False, if_match: str | None = None) -> None:
        self.client.run(self.calls.delete(id_, cascade, if_match))
