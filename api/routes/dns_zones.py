"""Zones as master files, their secondaries, and the reverse zones of a subnet."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from itertools import islice

from litestar import get, post
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, allow_long, context_of
from api.http.request import body_of
from api.routes.creation import decode
from api.routes.spaces import refuse_query
from ipam_core.model.dns_secondary import DnsSecondary
from ipam_core.model.dns_zone import (
    MOST_OCTETS,
    ReverseZone,
    ZoneChecked,
    ZoneImport,
    ZoneImported,
    ZoneReconcile,
    ZoneReconciled,
)
from ipam_core.model.page import Page
from ipam_core.services import reverse_zones, secondaries, zone_faults, zone_files
from ipam_core.workers import reconcile

LINES_AT_ONCE = 1000
ZONE_FILE = "text/dns"  # RFC 4027


@post(
    "/dns-zones/{id:str}/import",
    operation_id="import_dns_zone",
    summary="Import records from a zone file (RFC 1035)",
    status_code=200,
    opt={"may": "write", "answers": ZoneImported, "takes": ZoneImport},
    request_max_body_size=2 * MOST_OCTETS,  # as JSON a file may be longer
)
async def import_dns_zone(request: AnyRequest) -> ASGIResponse:
    allow_long(request)
    wanted = decode(await body_of(request), ZoneImport)
    work = partial(
        zone_files.import_zone, actor=actor_of(request), id_=request.path_params["id"], wanted=wanted
    )
    return shown(await context_of(request).write(work))


@get(
    "/dns-zones/{id:str}/export",
    operation_id="export_dns_zone",
    summary="Export a zone as a zone file (RFC 1035)",
    opt={"may": "read", "media": ZONE_FILE},
)
async def export_dns_zone(request: AnyRequest) -> ASGIResponse:
    refuse_query(request)
    work = partial(zone_files.export_zone, actor=actor_of(request), id_=request.path_params["id"])
    lines = await context_of(request).show(work)
    return ASGIStreamingResponse(iterator=pieces(lines), media_type=f"{ZONE_FILE}; charset=utf-8")


async def pieces(lines: Iterator[str]) -> AsyncIterator[bytes]:
    while some := "".join(islice(lines, LINES_AT_ONCE)):
        yield some.encode()


@post(
    "/dns-zones/{id:str}/check",
    operation_id="check_dns_zone",
    summary="Check a zone for records that common secondaries refuse",
    status_code=200,
    opt={"may": "read", "answers": ZoneChecked},
)
async def check_dns_zone(request: AnyRequest) -> ASGIResponse:
    allow_long(request)
    refuse_query(request)
    work = partial(zone_faults.check_zone, actor=actor_of(request), id_=request.path_params["id"])
    return shown(await context_of(request).read(work))


@get(
    "/dns-zones/{id:str}/secondaries",
    operation_id="list_dns_zone_secondaries",
    summary="List the secondaries of a zone and their lag",
    opt={"may": "read", "answers": Page[DnsSecondary]},
)
async def list_dns_zone_secondaries(request: AnyRequest) -> ASGIResponse:
    refuse_query(request)
    work = partial(secondaries.list_secondaries, actor=actor_of(request), zone_id=request.path_params["id"])
    return shown(await context_of(request).show(work))


@get(
    "/subnets/{id:str}/reverse-zones",
    operation_id="list_reverse_zones",
    summary="Propose reverse zones for a subnet",
    opt={"may": "read", "answers": Page[ReverseZone]},
)
async def list_reverse_zones(request: AnyRequest) -> ASGIResponse:
    refuse_query(request)
    work = partial(reverse_zones.propose, actor=actor_of(request), subnet_id=request.path_params["id"])
    return shown(await context_of(request).show(work))


@post(
    "/dns-zones/{id:str}/reconcile",
    operation_id="reconcile_dns_zone",
    summary="Compare a zone at its server with the plan, and repair it",
    status_code=200,
    opt={"may": "write", "answers": ZoneReconciled, "takes": ZoneReconcile},
)
async def reconcile_dns_zone(request: AnyRequest) -> ASGIResponse:
    """Hold no session while the server is asked."""
    allow_long(request)
    wanted = decode(await body_of(request), ZoneReconcile)
    context, id_ = context_of(request), request.path_params["id"]
    made = reconcile.reconcile(context.pool, context.guard, actor_of(request), id_, dry_run=wanted.dry_run)
    return shown(await made)


HANDLERS = [
    check_dns_zone,
    reconcile_dns_zone,
    import_dns_zone,
    export_dns_zone,
    list_dns_zone_secondaries,
    list_reverse_zones,
]
