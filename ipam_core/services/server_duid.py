"""The DUID that all DHCPv6 servers of the database answer under.

It is set once, when a site moves here: its clients then go on with the server that they know. Changed while clients
have leases, it lets them wait until they rebind.
"""

from collections.abc import Callable

from ipam_core.db import queries
from ipam_core.dhcp import server_duid
from ipam_core.errors import Conflict, Forbidden, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.base import Model
from ipam_core.model.server_duid import ServerDuid, ServerDuidChange
from ipam_core.model.values import encode_value
from ipam_core.services.entity.change_log import Recorded, record
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("server_duid")

KIND = "server_duid"
MOST_COUNTED = 10_000


async def read(connection: Connection) -> ServerDuid:
    """Return the DUID, which everybody on a link hears anyway."""
    return presented(await SQL.read(connection))


async def change(
    connection: Connection,
    actor: Actor,
    wanted: ServerDuidChange,
    expect: Callable[[Model], None],
    force: bool,
) -> ServerDuid:
    """Return the DUID as it is now. Raises Forbidden for an admin of one tenant, ValidationError, PreconditionFailed,
    and Conflict while clients have leases and nobody forces it."""
    if actor.tenant_no is not None:
        raise Forbidden(
            "all tenants share the DUID of the servers: only an admin without a tenant may set it"
        )
    if wanted.duid is not None and (why := server_duid.fault(wanted.duid)) is not None:
        raise ValidationError("duid", why)
    async with connection.transaction():
        before = presented(row := await SQL.hold(connection))
        expect(before)
        if wanted.duid == row["duid"]:
            return before
        if server_duid.effective(row["hash_key"], wanted.duid) != octets(before) and not force:
            await refuse_with_leases(connection)
        after = presented(await SQL.change(connection, duid=wanted.duid))
        await record(connection, actor, [Recorded(KIND, before, after)], None, None)
    return after


async def refuse_with_leases(connection: Connection) -> None:
    """Raise Conflict while DHCPv6 clients have leases: they renew at the server that they know."""
    count = await SQL.count_leases(connection, most=MOST_COUNTED)
    if count:
        shown = f"{count} or more" if count == MOST_COUNTED else count
        leases = "lease is" if count == 1 else "leases are"
        raise Conflict(
            f"{shown} DHCPv6 {leases} active, and their clients would get no answers until they rebind "
            "(T2). Change the DUID before clients are served, or with force=true",
            {"active_leases": count},
        )


def octets(shown: ServerDuid) -> bytes:
    return bytes.fromhex(shown.duid.replace(":", ""))


def presented(row: Row) -> ServerDuid:
    return ServerDuid(
        id=str(row["id"]),
        created_at=encode_value(row["created_at"]),
        updated_at=encode_value(row["updated_at"]),
        duid=server_duid.effective(row["hash_key"], row["duid"]).hex(":"),
        is_set=row["duid"] is not None,
    )
