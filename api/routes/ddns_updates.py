"""The outbox of dynamic updates to DNS."""

from functools import partial

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import tagged
from api.routes.resource import Resource, get_route, list_route
from ipam_core.model.ddns_update import DdnsUpdate
from ipam_core.services import ddns_updates
from ipam_core.services.ddns_updates import DDNS_UPDATES

UPDATES = Resource(DDNS_UPDATES)


@post(
    "/ddns-updates/{id:str}/retry",
    operation_id="retry_ddns_update",
    summary="Retry a DDNS update",
    status_code=200,
    opt={"may": "operate", "answers": DdnsUpdate},
)
async def retry_ddns_update(request: AnyRequest) -> ASGIResponse:
    work = partial(ddns_updates.retry, actor=actor_of(request), id_=request.path_params["id"])
    return tagged(await context_of(request).write(work))


HANDLERS = [
    list_route(UPDATES),
    get_route(UPDATES),
    retry_ddns_update,
]
