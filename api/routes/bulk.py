"""Many operations in one request, in one transaction."""

from litestar import post
from litestar.response.base import ASGIResponse

from api.http import idempotency
from api.http.answers import encode, send
from api.http.context import AnyRequest, actor_of, allow_long, context_of
from api.http.errors import Answer
from api.http.request import body_of
from api.routes import bulk_operations
from api.routes.bulk_body import MAX_BODY, read_bulk
from ipam_core.model.bulk import Bulk, BulkResults
from ipam_core.services.entity.entity import Connection


@post(
    "/bulk",
    operation_id="perform_bulk",
    summary="Create, update and delete many objects, all or none",
    status_code=200,
    request_max_body_size=MAX_BODY,
    opt={"may": "write", "answers": BulkResults, "takes": Bulk, "replayed": True},
)
async def perform_bulk(request: AnyRequest) -> ASGIResponse:
    allow_long(request)
    body = await body_of(request)
    actor, bulk = actor_of(request), await read_bulk(body)

    async def perform(connection: Connection) -> Answer:
        return Answer(200, encode(await bulk_operations.perform(connection, actor, bulk)), {})

    if bulk.dry_run:  # its key is still there for the request that it rehearses
        return send(await context_of(request).write(perform))
    return send(await context_of(request).write(idempotency.guarded(request, body, perform)))


HANDLERS = [perform_bulk]
