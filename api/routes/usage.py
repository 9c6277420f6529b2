"""Usage of prefixes, subnets and pools, now and in the past."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, context_of
from api.http.request import query_of
from api.routes.spaces import refuse_query
from ipam_core.model.usage_history import UsageHistory
from ipam_core.model.utilisation import PrefixUtilisation, Utilisation
from ipam_core.services import usage, usage_history


def usage_route(
    collection: str, object_type: str, answers: type, find: Callable[..., Awaitable[Any]]
) -> HTTPRouteHandler:
    @get(
        f"/{collection}/{{id:str}}/utilisation",
        operation_id=f"get_{object_type}_utilisation",
        summary=f"Get the utilization of a {object_type}",
        opt={"may": "read", "answers": answers},
    )
    async def get_utilisation(request: AnyRequest) -> ASGIResponse:
        refuse_query(request)
        work = partial(find, actor=actor_of(request), id_=request.path_params["id"])
        return shown(await context_of(request).show(work))

    return get_utilisation


def history_route(collection: str, object_type: str, find: Callable[..., Awaitable[Any]]) -> HTTPRouteHandler:
    @get(
        f"/{collection}/{{id:str}}/utilisation/history",
        operation_id=f"get_{object_type}_utilisation_history",
        summary=f"Get the utilization of a {object_type} over time",
        opt={"may": "read", "answers": UsageHistory, "filters": usage_history.FILTERS},
    )
    async def get_history(request: AnyRequest) -> ASGIResponse:
        work = partial(find, actor=actor_of(request), id_=request.path_params["id"], query=query_of(request))
        return shown(await context_of(request).show(work))

    return get_history


HANDLERS = [
    usage_route("prefixes", "prefix", PrefixUtilisation, usage.of_whole_prefix),
    usage_route("subnets", "subnet", Utilisation, usage.of_subnet),
    usage_route("pools", "pool", Utilisation, usage.of_pool),
    history_route("subnets", "subnet", usage_history.of_subnet),
    history_route("pools", "pool", usage_history.of_pool),
]
