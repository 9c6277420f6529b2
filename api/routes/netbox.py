"""Prefixes from NetBox, and to it.

Neither takes an Idempotency-Key: both make only what is missing, and of a body with a foreign token nothing is kept.
"""

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, allow_long, context_of
from api.http.request import body_of
from api.routes.creation import decode
from ipam_core.model.netbox import NetBoxExport, NetBoxImport, NetBoxResult
from ipam_core.netbox import exporting, importing


@post(
    "/netbox/import",
    operation_id="import_from_netbox",
    summary="Create the prefixes of a NetBox that are missing here",
    status_code=200,
    opt={"may": "write", "answers": NetBoxResult, "takes": NetBoxImport},
)
async def import_from_netbox(request: AnyRequest) -> ASGIResponse:
    """Hold no session while NetBox is asked."""
    allow_long(request)
    wanted, context = decode(await body_of(request), NetBoxImport), context_of(request)
    return shown(await importing.import_prefixes(context.write, context.guard, actor_of(request), wanted))


@post(
    "/netbox/export",
    operation_id="export_to_netbox",
    summary="Create the prefixes in a NetBox that are missing there",
    status_code=200,
    opt={"may": "write", "answers": NetBoxResult, "takes": NetBoxExport},
)
async def export_to_netbox(request: AnyRequest) -> ASGIResponse:
    """Hold no session while NetBox is asked."""
    allow_long(request)
    wanted, context = decode(await body_of(request), NetBoxExport), context_of(request)
    return shown(await exporting.export_prefixes(context.write, context.guard, actor_of(request), wanted))


HANDLERS = [import_from_netbox, export_to_netbox]
