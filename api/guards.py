"""Who may do what: one table. A route names the kind of thing that it does, and the guard asks the table."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from ipam_core.errors import Forbidden
from ipam_core.model.actor import Actor

MAY = {
    "read": {"admin", "operator", "viewer"},
    "write": {"admin"},
    "operate": {"admin", "operator"},
    "administer": {"admin"},
}
"""read: everything but tokens, audit and secrets. write: create, update, delete. operate: release a lease,
retry, redeliver, drain. administer: tokens and the audit trail."""


async def role_permits(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A coroutine although it waits for nothing: the framework would send a plain function to a thread."""
    actor: Actor = connection.scope["state"]["actor"]
    if actor.role not in MAY[handler.opt["may"]]:
        raise Forbidden(f"the role {actor.role} does not permit this")
