"""The running service: an overview, its nodes, and the relays that it does not know."""

from functools import partial

from litestar import get, post
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import tagged
from api.http.listing import listed
from api.http.request import query_of
from api.routes.resource import Resource, delete_route, get_route, list_route, read_flags
from ipam_core.errors import ValidationError
from ipam_core.model.dashboard import Dashboard
from ipam_core.model.inbox import Inbox
from ipam_core.model.node import Node
from ipam_core.model.page import Page
from ipam_core.model.relay import UnknownRelay
from ipam_core.services import dashboard, inbox, nodes, unknown_relays
from ipam_core.services.entity import lists
from ipam_core.services.nodes import NODES

RESOURCE = Resource(NODES)


@post(
    "/nodes/{id:str}/drain",
    operation_id="drain_node",
    summary="Drain a server",
    status_code=200,
    opt={"may": "operate", "answers": Node, "query": ("force",)},
)
async def drain_node(request: AnyRequest) -> ASGIResponse:
    force = read_flags(query_of(request), "force")["force"]
    work = partial(nodes.drain, actor=actor_of(request), id_=request.path_params["id"], force=force)
    return tagged(await context_of(request).write(work))


@post(
    "/nodes/{id:str}/undrain",
    operation_id="undrain_node",
    summary="End the draining of a server",
    status_code=200,
    opt={"may": "operate", "answers": Node},
)
async def undrain_node(request: AnyRequest) -> ASGIResponse:
    work = partial(nodes.undrain, actor=actor_of(request), id_=request.path_params["id"])
    return tagged(await context_of(request).write(work))


@get(
    "/trusted-relays/unknown",
    operation_id="list_unknown_relays",
    summary="List relay agents that are not trusted",
    opt={
        "may": "read",
        "answers": Page[UnknownRelay],
        "query": lists.PAGING,
        "filters": unknown_relays.FILTERS,
    },
)
async def list_unknown_relays(request: AnyRequest) -> ASGIResponse:
    return await listed(request, UnknownRelay, partial(unknown_relays.find, actor=actor_of(request)))


@get(
    "/dashboard",
    operation_id="get_dashboard",
    summary="Get an overview",
    opt={"may": "read", "answers": Dashboard},
)
async def get_dashboard(request: AnyRequest) -> ASGIResponse:
    if unknown := query_of(request):
        raise ValidationError(min(unknown), "is not a query parameter of this operation")
    return shown(await context_of(request).show(partial(dashboard.read, actor=actor_of(request))))


@get(
    "/dashboard/inbox",
    operation_id="get_inbox",
    summary="List conditions that need attention",
    opt={"may": "read", "answers": Inbox, "query": inbox.QUERY, "filters": inbox.FILTERS},
)
async def get_inbox(request: AnyRequest) -> ASGIResponse:
    work = partial(inbox.read, actor=actor_of(request), query=query_of(request))
    return shown(await context_of(request).show(work))


HANDLERS = [
    list_route(RESOURCE),
    get_route(RESOURCE),
    delete_route(RESOURCE),
    drain_node,
    undrain_node,
    list_unknown_relays,
    get_dashboard,
    get_inbox,
]
