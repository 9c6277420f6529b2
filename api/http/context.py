"""What the routes share: the settings, the way to the database, and how a request becomes an answer."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from hashlib import blake2b
from typing import Any, TypeVar

import asyncpg
import msgspec
from litestar import Request
from litestar.response.base import ASGIResponse

from api.http.auth import Authenticator
from api.http.errors import Answer
from ipam_core.errors import Contended, PreconditionFailed, UnsupportedMediaType, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.base import Model
from ipam_core.services.entity.entity import Connection
from ipam_core.settings import Settings

T = TypeVar("T")
AnyRequest = Request[Any, Any, Any]
Work = Callable[[Connection], Awaitable[T]]

# PostgreSQL parts writers that wait for each other; who lost tries again, each after another pause.
ATTEMPTS = 5
PAUSE_SECONDS = 0.05
LOST = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError, Contended)
ACQUIRE_SECONDS = 5.0
LONG_SECONDS = 300.0

# RFC 9110 section 13.1.1. One that is no tag must not count as none: the change would be made unconditionally.
TAG = r'(?:W/)?"[!#-~]*"'
IF_MATCH = re.compile(rf"\*|{TAG}(?:\s*,\s*{TAG})*")

encode = msgspec.json.Encoder().encode


class Core:
    """One per application; routes find it by `core_of`."""

    def __init__(
        self,
        settings: Settings,
        pool: asyncpg.Pool,
        authenticator: Authenticator,
        describe: Callable[[], bytes],
    ) -> None:
        self.settings = settings
        self.pool = pool
        self.authenticator = authenticator
        self.describe = describe

    async def read(self, work: Work[T]) -> T:
        async with self.pool.acquire(timeout=ACQUIRE_SECONDS) as connection:
            return await work(connection)

    async def write(self, work: Work[T]) -> T:
        """A write that others came before has left nothing behind, and is done again."""
        for attempt in range(1, ATTEMPTS):
            try:
                return await self.read(work)
            except LOST:
                await asyncio.sleep(PAUSE_SECONDS * 2**attempt * random.random())  # noqa: S311 - no secret
        return await self.read(work)


def core_of(request: AnyRequest) -> Core:
    core: Core = request.app.state.core
    return core


def allow_long(request: AnyRequest) -> None:
    """For requests whose work grows with what they write: they have a limit of their own."""
    request.scope["state"]["allow"](LONG_SECONDS)


def actor_of(request: AnyRequest) -> Actor:
    actor: Actor = request.scope["state"]["actor"]
    return actor


async def body_of(request: AnyRequest, *also: str) -> bytes:
    """The body of a request that brings JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", *also):
        raise UnsupportedMediaType(" or ".join(("application/json", *also)))
    return await request.body()


def query_of(request: AnyRequest) -> dict[str, str]:
    """Query parameters, each at most once."""
    query: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in query:
            raise ValidationError(name, "is given more than once")
        query[name] = value
    return query


def send(answer: Answer) -> ASGIResponse:
    return ASGIResponse(
        body=answer.body, status_code=answer.status, headers=answer.headers, media_type="application/json"
    )


def shown(value: Any, headers: Mapping[str, str] | None = None, status: int = 200) -> ASGIResponse:
    return send(Answer(status, encode(value), dict(headers or {})))


def item(request: AnyRequest, model: Model) -> ASGIResponse:
    """An object with its entity tag; nothing but the tag if the client has it already."""
    body = encode(model)
    tag = etag(body)
    if tag in tags(request.headers.get("if-none-match", "")):
        return ASGIResponse(status_code=304, headers={"etag": tag})
    return send(Answer(200, body, {"etag": tag}))


def tagged(model: Model) -> ASGIResponse:
    """An object as it is after a change."""
    body = encode(model)
    return send(Answer(200, body, {"etag": etag(body)}))


def created(model: Model, path: str) -> Answer:
    body = encode(model)
    return Answer(201, body, {"location": path, "etag": etag(body)})


def etag(body: bytes) -> str:
    """The tag is of what the client sees, so it changes exactly when that does."""
    return f'"{blake2b(body, digest_size=12).hexdigest()}"'


def tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def expectation(request: AnyRequest) -> Callable[[Model], None]:
    """If-Match as a condition on the object as it stands when its row is locked."""
    header = request.headers.get("if-match")
    if header is not None and not IF_MATCH.fullmatch(header.strip()):
        raise ValidationError("If-Match", "must be * or entity tags in double quotes")

    def expect(model: Model) -> None:
        wanted = [tag.strip() for tag in (header or "*").split(",")]
        if "*" not in wanted and etag(encode(model)) not in wanted:
            raise PreconditionFailed

    return expect
