"""What becomes of an endpoint and of an attempt, as it is written down."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.services.entity import change_log, crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection
from ipam_core.services.webhooks import WEBHOOKS

SQL = queries.load("webhook_worker")

NOBODY = Actor(role="admin", token_name="worker")  # noqa: S106 - as the audit trail names it


class Outcome(NamedTuple):
    """Of one attempt. `silent`: the endpoint did not answer at all, or has too much to do. `gone`: it wants no more."""

    delivered: bool
    status: int | None = None
    latency_ms: int | None = None
    response: str | None = None
    error: str | None = None
    silent: bool = False
    gone: bool = False


async def disable(connection: Connection, numbers: Sequence[int], reason: str) -> None:
    """Webhooks by their numbers; the audit trail has it, and so have those that listen to webhooks."""
    async with connection.transaction():
        for row in [row async for row in SQL.disable(connection, numbers=list(numbers), reason=reason)]:
            after = await crud.read(connection, WEBHOOKS, NOBODY, str(row["id"]))
            before = msgspec.structs.replace(after, enabled=True, disabled_reason=None)
            await change_log.record(
                connection, NOBODY, [Recorded("webhook", before, after)], row["tenant_no"], None
            )
