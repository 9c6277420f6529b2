"""Live event streams of all API processes, counted by tenant and token.

A process records each stream when it opens and removes it when it ends; its living rows are renewed now and then, and
rows that nobody renews any more are ignored after a minute, so a process that died holds nothing for longer.
"""

from typing import Any
from uuid import UUID

from ipam_core.db import queries
from ipam_core.errors import LimitReached
from ipam_core.model.actor import Actor
from ipam_core.services.entity.entity import Connection

SQL = queries.load("live_stream")

RENEW_SECONDS = 15.0


async def count(connection: Connection, tenant_no: int) -> int:
    """Return streams that the tokens of a tenant have open."""
    found: int = await SQL.streams_of_tenant(connection, tenant_no=tenant_no)
    return found


async def open_one(connection: Connection, process: UUID, stream: UUID, actor: Actor) -> None:
    """Record a stream of a tenant's token. Raises LimitReached for one too many of the tenant or the token."""
    async with connection.transaction():
        await SQL.lock_streams(connection, tenant_no=actor.tenant_no)
        of = {"tenant_no": actor.tenant_no, "token_id": actor.token_id}
        found = await SQL.room_for_streams(connection, **of)
        refuse(found, "streams_of_token", "streams_per_token", "live streams of one token")
        refuse(found, "streams_of_tenant", "streams", "live streams")
        await SQL.open_stream(connection, id=stream, process=process, **of)


def refuse(found: Any, used: str, limit: str, what: str) -> None:
    if found[limit] is not None and found[used] >= found[limit]:
        raise LimitReached(what, f"limits.{limit}", found[limit], found[used], "close some")


async def close_one(connection: Connection, stream: UUID) -> None:
    await SQL.close_stream(connection, id=stream)


async def renew(connection: Connection, process: UUID, streams: list[UUID]) -> None:
    """Keep the rows of the living streams of a process, and forget all rows that nobody has renewed."""
    await SQL.renew_streams(connection, process=process, streams=streams)
