"""The change row of every write: audit trail, reload of the servers and webhooks in one.

It is written in the transaction of the write, and the notification leaves with its COMMIT, or soon after it where the
write is a single statement (see notify).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.base import Model
from ipam_core.services.entity.entity import Connection

SQL = queries.load("change")


class Recorded(NamedTuple):
    """Change of one object in a change row."""

    object_type: str
    before: Model | None
    after: Model | None

    @property
    def action(self) -> str:
        if self.before is None:
            return "created"
        return "updated" if self.after else "deleted"

    @property
    def id(self) -> str:
        model = self.after or self.before
        assert model is not None
        return str(model.id)


class Written(NamedTuple):
    """The same with where it was."""

    tenant_no: int | None
    subnet_no: int | None
    object_type: str
    before: Model | None
    after: Model | None


async def record(
    connection: Connection,
    actor: Actor,
    changes: Sequence[Recorded],
    tenant_no: int | None,
    subnet_no: int | None,
) -> None:
    """Append a row for each change and notifies the servers of the subnet (None: of everything)."""
    await record_all(connection, actor, [Written(tenant_no, subnet_no, *change) for change in changes])


async def record_all(connection: Connection, actor: Actor, written: Sequence[Written]) -> None:
    """Record changes in several places."""
    await SQL.record_changes(connection, **columns(actor, written))


def columns(actor: Actor, written: Sequence[Written]) -> dict[str, Any]:
    """Return the arrays and values of which the database makes change rows."""
    changes = [Recorded(each.object_type, each.before, each.after) for each in written]
    return {
        "tenants": [each.tenant_no for each in written],
        "subnets": [each.subnet_no for each in written],
        "types": [change.object_type for change in changes],
        "ids": [change.id for change in changes],
        "actions": [change.action for change in changes],
        "befores": [shown(change.before) for change in changes],
        "afters": [shown(change.after) for change in changes],
        "token_id": actor.token_id,
        "token_name": actor.token_name,
        "remote_address": actor.remote_address,
        "request_id": actor.request_id,
    }


def shown(model: Model | None) -> Any:
    return None if model is None else msgspec.structs.asdict(model)
