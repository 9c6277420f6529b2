"""History: lease history for everybody, the audit trail for admins."""

from functools import partial

from litestar import get
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import item
from api.http.listing import listed
from ipam_core.model.history import AuditEntry, LeaseEvent
from ipam_core.model.page import Page
from ipam_core.services import audit, lease_events
from ipam_core.services.entity import lists


@get(
    "/lease-events",
    operation_id="list_lease_events",
    summary="List lease events, newest first",
    opt={"may": "read", "answers": Page[LeaseEvent], "query": lists.PAGING, "filters": lease_events.FILTERS},
)
async def list_lease_events(request: AnyRequest) -> ASGIResponse:
    return await listed(request, LeaseEvent, partial(lease_events.find, actor=actor_of(request)))


@get(
    "/audit",
    operation_id="list_audit",
    summary="List the audit log, newest first",
    opt={"may": "administer", "answers": Page[AuditEntry], "query": lists.PAGING, "filters": audit.FILTERS},
)
async def list_audit(request: AnyRequest) -> ASGIResponse:
    return await listed(request, AuditEntry, partial(audit.find, actor=actor_of(request)))


@get(
    "/audit/{id:str}",
    operation_id="get_audit_entry",
    summary="Get an entry of the audit log",
    opt={"may": "administer", "answers": AuditEntry},
)
async def get_audit_entry(request: AnyRequest) -> ASGIResponse:
    work = partial(audit.read, actor=actor_of(request), id_=request.path_params["id"])
    return item(request, await context_of(request).show(work))


HANDLERS = [list_lease_events, list_audit, get_audit_entry]
