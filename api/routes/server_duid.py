"""The DUID of the DHCPv6 servers: one for all of them."""

from functools import partial

from litestar import get, patch
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import expectation, item, tagged
from api.http.request import body_of, query_of
from api.routes.creation import decode
from api.routes.resource import read_flags
from ipam_core.model.server_duid import ServerDuid, ServerDuidChange
from ipam_core.services import server_duid


@get(
    "/server-duid",
    operation_id="get_server_duid",
    summary="Get the DUID of the DHCPv6 servers",
    opt={"may": "read", "answers": ServerDuid},
)
async def get_server_duid(request: AnyRequest) -> ASGIResponse:
    read_flags(query_of(request))
    return item(request, await context_of(request).show(server_duid.read))


@patch(
    "/server-duid",
    operation_id="update_server_duid",
    summary="Set the DUID of the DHCPv6 servers",
    opt={"may": "write", "answers": ServerDuid, "takes": ServerDuidChange, "query": ("force",)},
)
async def update_server_duid(request: AnyRequest) -> ASGIResponse:
    force = read_flags(query_of(request), "force")["force"]
    wanted = decode(await body_of(request, "application/merge-patch+json"), ServerDuidChange)
    work = partial(
        server_duid.change,
        actor=actor_of(request),
        wanted=wanted,
        expect=expectation(request),
        force=force,
    )
    return tagged(await context_of(request).write(work))


HANDLERS = [get_server_duid, update_server_duid]
