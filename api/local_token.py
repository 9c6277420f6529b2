"""Tokens for the command line on the host, in the database itself."""

from typing import Any

from ipam_core.db.connect import connect
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.token import NewToken
from ipam_core.services import tokens
from ipam_core.services.entity import crud, lists
from ipam_core.services.entity.entity import Connection
from ipam_core.services.tenants import TENANTS

HOST = Actor(role="admin")


async def create_token(dsn: str, fields: dict[str, Any]) -> str:
    """Return the secret of a new token."""
    connection = await connect(dsn)
    try:
        if fields["tenant_id"] is not None:
            fields = fields | {"tenant_id": await find_tenant(connection, fields["tenant_id"])}
        made = await tokens.create(connection, HOST, decoding.command(fields, NewToken))
        return made.token
    finally:
        await connection.close()


async def find_tenant(connection: Connection, named: str) -> str:
    """Find a tenant by its name or its id."""
    page = await lists.find(connection, TENANTS, HOST, {"name": named})
    if page.items:
        return page.items[0].id
    return (await crud.read(connection, TENANTS, HOST, named)).id
