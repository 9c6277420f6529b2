"""Tests of webhooks and notifications: a delivery is queued, and its outcome is awaited for some seconds."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec
from litestar.response.base import ASGIResponse

from api.http.answers import send
from api.http.context import AnyRequest, actor_of, context_of
from api.http.errors import Answer
from api.http.etag import created
from api.routes.creation import replayable
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.webhook import Delivery
from ipam_core.services import webhooks
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection
from ipam_core.services.webhooks import DELIVERIES
from ipam_core.settings import BASE_PATH

Test = Callable[[Connection, Actor, str], Awaitable[Delivery]]

WAIT_SECONDS = 7.0  # below the time that a request may take (api.http.gate)
LOOK_SECONDS = 0.1


async def tested(request: AnyRequest, test: Test) -> ASGIResponse:
    """Queue a test delivery and answer with its outcome; with a pending delivery if no worker runs or none is done in
    time. A request that is repeated under its Idempotency-Key gets the delivery of the first one."""
    id_ = request.path_params["id"]

    async def make(connection: Connection, actor: Actor) -> Delivery:
        return await test(connection, actor, id_)

    answer = await replayable(request, b"", make, "deliveries")
    if answer.status != 201:
        return send(answer)
    delivery = await outcome(request, msgspec.json.decode(answer.body, type=Delivery))
    fresh = created(delivery, f"{BASE_PATH}/deliveries/{delivery.id}")
    return send(Answer(fresh.status, fresh.body, {**answer.headers, **fresh.headers}))


async def outcome(request: AnyRequest, delivery: Delivery) -> Delivery:
    """Return the delivery after its first attempt, or as it is when time is over."""
    context, actor = context_of(request), actor_of(request)

    async def look(connection: Connection) -> Delivery | None:
        if not await webhooks.SQL.has_workers(connection):
            return None
        try:
            return await crud.read(connection, DELIVERIES, actor, delivery.id)
        except NotFound:  # it was deleted with its receiver
            return None

    end = time.monotonic() + WAIT_SECONDS
    while delivery.attempts == 0 and time.monotonic() < end:
        found = await context.read(look)
        if found is None:
            break
        delivery = found
        if delivery.attempts == 0:
            await asyncio.sleep(LOOK_SECONDS)
    return delivery
