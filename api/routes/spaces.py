"""Free space and maps: the next subnet of a prefix, free addresses, what is used by what."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, TypeAlias

from litestar import get, post
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, context_of
from api.http.request import query_of
from api.routes.creation import creation
from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.map import PrefixMap, SubnetMap
from ipam_core.model.page import Page
from ipam_core.model.subnet import NextSubnet, Subnet
from ipam_core.services import maps, past_maps, spaces
from ipam_core.services.entity.entity import Connection
from ipam_core.services.spaces import FreeAddress

Drawing: TypeAlias = Callable[..., Awaitable[Any]]


@post(
    "/prefixes/{prefix_id:str}/next-subnet",
    operation_id="create_next_subnet",
    summary="Create the next free subnet of a size in a prefix",
    opt={"may": "write", "answers": Subnet, "takes": NextSubnet},
)
async def create_next_subnet(request: AnyRequest) -> ASGIResponse:
    above = dict(request.path_params)

    async def make(connection: Connection, actor: Actor, wanted: NextSubnet) -> Subnet:
        return await spaces.create_next(connection, actor, above, wanted)

    return await creation(request, NextSubnet, make, "subnets")


@get(
    "/subnets/{id:str}/free",
    operation_id="list_free_addresses",
    summary="List addresses that are currently free",
    opt={"may": "read", "answers": Page[FreeAddress], "query": ("count",)},
)
async def list_free_addresses(request: AnyRequest) -> ASGIResponse:
    work = partial(
        spaces.find_free,
        actor=actor_of(request),
        subnet_id=request.path_params["id"],
        query=query_of(request),
    )
    return shown(await context_of(request).read(work))


@get(
    "/subnets/{id:str}/map",
    operation_id="get_subnet_map",
    summary="Get the address map of a subnet",
    opt={"may": "read", "answers": SubnetMap, "filters": past_maps.FILTERS},
)
async def get_subnet_map(request: AnyRequest) -> ASGIResponse:
    return await drawn(request, maps.map_subnet, past_maps.map_subnet)


@get(
    "/prefixes/{id:str}/map",
    operation_id="get_prefix_map",
    summary="Get the address map of a prefix",
    opt={"may": "read", "answers": PrefixMap, "filters": past_maps.FILTERS},
)
async def get_prefix_map(request: AnyRequest) -> ASGIResponse:
    return await drawn(request, maps.map_prefix, past_maps.map_prefix)


async def drawn(request: AnyRequest, now: Drawing, then: Drawing) -> ASGIResponse:
    """Return a map as it is now or, with `at`, as it was then."""
    words = query_of(request)
    refuse_others(words, past_maps.FILTERS)
    work = partial(now, actor=actor_of(request), id_=request.path_params["id"])
    if words:
        work = partial(then, actor=actor_of(request), id_=request.path_params["id"], words=words)
    return shown(await context_of(request).show(work))


def refuse_query(request: AnyRequest) -> None:
    refuse_others(query_of(request), ())


def refuse_others(words: Collection[str], known: Collection[str]) -> None:
    for name in words:
        if name not in known:
            raise ValidationError(name, "is not a query parameter of this operation")


HANDLERS = [create_next_subnet, list_free_addresses, get_subnet_map, get_prefix_map]
