"""Roles and their permissions: one table. A route names the kind of thing that it does, and the guard asks the table.

A write that has a query parameter which its route does not name is refused here too.
"""

from collections.abc import Collection, Iterable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.exceptions import MethodNotAllowedException
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute

from ipam_core.errors import Forbidden, ValidationError
from ipam_core.model.actor import Actor

MAY = {
    "read": {"admin", "operator", "viewer"},
    "write": {"admin"},
    "operate": {"admin", "operator"},
    "administer": {"admin"},
}
"""read: everything but tokens, audit and secrets. write: create, update, delete. operate: release a lease,
retry, redeliver, drain, undrain. administer: tokens and the audit trail."""

READS = ("GET", "HEAD")


async def role_permits(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Check the role, as a coroutine although it waits for nothing: the framework would send a plain function to a
    thread."""
    if (
        "may" not in handler.opt
    ):  # the framework's own answer to OPTIONS, which knows only some of the methods
        raise MethodNotAllowedException(headers={"allow": ", ".join(sorted(methods_at(connection)))})
    actor: Actor = connection.scope["state"]["actor"]
    if actor.role not in MAY[handler.opt["may"]]:
        raise Forbidden(f"the role {actor.role} does not permit this")
    if connection.scope.get("method", "GET") not in READS:
        refuse_unknown(connection.query_params, handler.opt.get("query", ()))


def refuse_unknown(given: Iterable[str], known: Collection[str]) -> None:
    """Raise ValidationError for a query parameter that a write does not have: it may ask for a rehearsal."""
    for name in given:
        if name not in known:
            raise ValidationError(name, "is not a query parameter of this operation")


def methods_at(connection: ASGIConnection[Any, Any, Any, Any]) -> set[str]:
    template = connection.scope["path_template"]
    routes = [route for route in connection.app.routes if isinstance(route, HTTPRoute)]
    return {str(m) for route in routes if route.path_format == template for m in route.methods} - {"OPTIONS"}
