"""Creation of objects: a body becomes an object once, however often the request comes (http.idempotency)."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from litestar.response.base import ASGIResponse

from api.http import idempotency
from api.http.answers import send
from api.http.context import AnyRequest, actor_of, context_of
from api.http.errors import Answer
from api.http.etag import created
from api.http.request import body_of
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.services.entity.entity import Connection
from ipam_core.settings import BASE_PATH

C = TypeVar("C", bound=Command)
Make = Callable[..., Awaitable[Model]]


async def creation(
    request: AnyRequest, kind: type[Command], make: Make, collection: str, secret: bool = False
) -> ASGIResponse:
    """Return a create from a body. With an Idempotency-Key even a refused body is an answer to keep."""
    body = await body_of(request)
    command = None if idempotency.HEADER in request.headers else decode(body, kind)

    async def decoded(connection: Connection, actor: Actor) -> Model:
        return await make(connection, actor, command or decode(body, kind))

    return send(await replayable(request, body, decoded, collection, secret))


async def replayable(
    request: AnyRequest, body: bytes, make: Make, collection: str, secret: bool = False
) -> Answer:
    """Make an object, or answers as it was answered under the same Idempotency-Key."""
    actor = actor_of(request)

    async def perform(connection: Connection) -> Answer:
        model = await make(connection, actor)
        return created(model, f"{BASE_PATH}/{collection}/{model.id}")

    return await context_of(request).write(idempotency.guarded(request, body, perform, secret))


def decode(body: bytes, kind: type[C]) -> C:
    return decoding.command(decoding.parse_object(body), kind)
