"""The management API as an ASGI application: the gate, the routes, and nothing global.

A request's walk: gate (id, rate limit, token) -> guard (role) -> route (decode) -> service (rules, SQL,
audit: one transaction) -> model -> JSON.
"""

import gc
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from litestar import Litestar, Request, Response
from litestar.datastructures import State

from api.http import errors
from api.http.auth import Authenticator
from api.http.context import Context
from api.http.gate import Gate
from api.http.guards import role_permits
from api.http.standby import Standby
from api.openapi import page
from api.openapi.documents import Documents
from api.routes import HANDLERS
from ipam_core.model.actor import Sealer
from ipam_core.outbound import opening
from ipam_core.outbound.guard import Guard
from ipam_core.settings import BASE_PATH, Settings

# All but a bulk fits, and to decode it keeps no other request waiting.
MAX_BODY = 64 * 1024

Explain = Callable[..., Awaitable[Any]]


def create_app(
    settings: Settings,
    pool: asyncpg.Pool,
    explain: Explain | None = None,
    sealer: Sealer | None = None,
    routes: Litestar | None = None,
    standby_pool: asyncpg.Pool | None = None,
    guard: Guard | None = None,
) -> Gate:
    """Return the application on pools that stay open as long as it serves. Routes that are given serve this one from
    now on."""
    guard = guard or opening.guard(settings)
    authenticator = Authenticator(pool, settings, sealer=sealer, outbound=guard)
    routes = routes or create_routes()
    documents = Documents(HANDLERS)
    context = Context(settings, pool, authenticator, documents.whole, documents.fragment, guard)
    routes.state = State({"context": context, "explain": explain})
    pages = {page.PATH: documents.page}
    gate = Gate(routes, authenticator, settings, pages, dict(page.assets()))  # type: ignore[arg-type]  # Litestar types ASGI its own way
    gate.streams = context.streams
    if standby_pool is not None:
        gate.standby = context.standby = Standby(pool, standby_pool, gate.metrics.count_standby_read)
    gate.metrics.show_streams(lambda: len(context.streams.streams))
    return gate


def create_routes() -> Litestar:
    """Return the routes alone, which know neither settings nor a database yet. To make them takes 0.15 s."""
    return Litestar(
        route_handlers=HANDLERS,
        path=BASE_PATH,
        guards=[role_permits],
        exception_handlers={Exception: on_error},
        openapi_config=None,
        request_max_body_size=MAX_BODY,
        logging_config=None,
    )


def prepare() -> None:
    """Keep the garbage collector from looking at all modules again and again, which took 100 ms at a time."""
    gc.collect()
    gc.freeze()


def on_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    asked = request.method, request.url.path
    answer = errors.answer(error, request.scope["state"]["request_id"], *asked)
    return Response(
        content=answer.body,
        status_code=answer.status,
        headers=answer.headers,
        media_type="application/json",
    )
