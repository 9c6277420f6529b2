"""How full prefixes, subnets and pools are."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, context_of
from api.routes.spaces import refuse_query
from ipam_core.model.utilisation import PrefixUtilisation, Utilisation
from ipam_core.services import usage


def usage_route(
    collection: str, object_type: str, answers: type, find: Callable[..., Awaitable[Any]]
) -> HTTPRouteHandler:
    @get(
        f"/{collection}/{{id:str}}/utilisation",
        operation_id=f"get_{object_type}_utilisation",
        summary=f"Get how full a {object_type} is",
        opt={"may": "read", "answers": answers},
    )
    async def get_utilisation(request: AnyRequest) -> ASGIResponse:
        refuse_query(request)
        work = partial(find, actor=actor_of(request), id_=request.path_params["id"])
        return shown(await context_of(request).read(work))

    return get_utilisation


HANDLERS = [
    usage_route("prefixes", "prefix", PrefixUtilisation, usage.of_whole_prefix),
    usage_route("subnets", "subnet", Utilisation, usage.of_subnet),
    usage_route("pools", "pool", Utilisation, usage.of_pool),
]
