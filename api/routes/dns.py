"""DNS: servers, zones and static records, and the outbox of dynamic updates."""

from functools import partial

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of, core_of, tagged
from api.routes.resource import Parent, Resource, get_route, handlers, list_route
from ipam_core.model.ddns_update import DdnsUpdate
from ipam_core.services import ddns_updates
from ipam_core.services.ddns_updates import DDNS_UPDATES
from ipam_core.services.dns_servers import DNS_SERVERS
from ipam_core.services.dns_zones import DNS_RECORDS, DNS_ZONES

IN_ZONE = Parent(DNS_ZONES, "dns-zones", "zone_id")
RESOURCES = (
    Resource(DNS_SERVERS, "dns-servers"),
    Resource(DNS_ZONES, "dns-zones"),
    Resource(DNS_RECORDS, "dns-records", (IN_ZONE,), top=False, below="records"),
)
UPDATES = Resource(DDNS_UPDATES, "ddns-updates")


@post(
    "/ddns-updates/{id:str}/retry",
    operation_id="retry_ddns_update",
    summary="Try a DDNS update again",
    status_code=200,
    opt={"may": "operate", "answers": DdnsUpdate},
)
async def retry_ddns_update(request: AnyRequest) -> ASGIResponse:
    work = partial(ddns_updates.retry, actor=actor_of(request), id_=request.path_params["id"])
    return tagged(await core_of(request).write(work))


HANDLERS = [
    *(handler for resource in RESOURCES for handler in handlers(resource)),
    list_route(UPDATES),
    get_route(UPDATES),
    retry_ddns_update,
]
