"""Webhooks and their deliveries."""

from functools import partial

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.answers import send
from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import tagged
from api.routes.creation import creation, replayable
from api.routes.deliveries import tested
from api.routes.resource import Resource, delete_route, get_route, list_route, patch_route
from ipam_core.model.actor import Actor
from ipam_core.model.webhook import Delivery, NewWebhook, WebhookWithSecret
from ipam_core.services import webhooks
from ipam_core.services.entity.entity import Connection
from ipam_core.services.webhooks import DELIVERIES, WEBHOOKS

RESOURCE = Resource(WEBHOOKS)
SENT = Resource(DELIVERIES)


@post(
    "/webhooks",
    operation_id="create_webhook",
    summary="Create a webhook",
    opt={"may": "write", "answers": WebhookWithSecret, "takes": NewWebhook},
)
async def create_webhook(request: AnyRequest) -> ASGIResponse:
    return await creation(request, NewWebhook, webhooks.create, "webhooks", secret=True)


@post(
    "/webhooks/{id:str}/rotate",
    operation_id="rotate_webhook",
    summary="Rotate the secret of a webhook",
    opt={"may": "write", "answers": WebhookWithSecret},
)
async def rotate_webhook(request: AnyRequest) -> ASGIResponse:
    id_ = request.path_params["id"]

    async def make(connection: Connection, actor: Actor) -> WebhookWithSecret:
        return await webhooks.rotate(connection, actor, id_)

    return send(await replayable(request, b"", make, "webhooks", secret=True))


@post(
    "/webhooks/{id:str}/test",
    operation_id="test_webhook",
    summary="Send a test event to a webhook",
    opt={"may": "operate", "answers": Delivery},
)
async def test_webhook(request: AnyRequest) -> ASGIResponse:
    return await tested(request, webhooks.test)


@post(
    "/deliveries/{id:str}/redeliver",
    operation_id="redeliver",
    summary="Redeliver an event",
    status_code=200,
    opt={"may": "operate", "answers": Delivery},
)
async def redeliver(request: AnyRequest) -> ASGIResponse:
    work = partial(webhooks.redeliver, actor=actor_of(request), id_=request.path_params["id"])
    return tagged(await context_of(request).write(work))


HANDLERS = [
    create_webhook,
    rotate_webhook,
    test_webhook,
    redeliver,
    list_route(RESOURCE),
    get_route(RESOURCE),
    patch_route(RESOURCE),
    delete_route(RESOURCE),
    list_route(SENT),
    list_route(SENT, WEBHOOKS),
    get_route(SENT),
]
