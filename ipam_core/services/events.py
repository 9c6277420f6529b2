"""Events that neither the leases nor the plan tell: recorded in the transaction of what they tell.

They are read with all others (event_items.py). Old ones are forgotten: an event is a message, not a record.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.model.event import SYSTEM
from ipam_core.model.ids import new_id
from ipam_core.services.entity.entity import Connection

SQL = queries.load("event")
KEPT_DAYS = 90
FORGOTTEN_AT_ONCE = 10_000


class Told(NamedTuple):
    """An event that is to be recorded: its payload, and whose it is."""

    type: str
    data: Mapping[str, Any]
    tenant_no: int | None


async def record(connection: Connection, type_: str, data: Mapping[str, Any], tenant_no: int | None) -> None:
    """Record one event, as a webhook will send it: `data` is its payload. It stands if the transaction does. Raises
    ValueError for a type that is none."""
    await record_all(connection, [Told(type_, data, tenant_no)])


async def record_all(connection: Connection, events: Sequence[Told]) -> None:
    """Record several events by one statement."""
    for each in events:
        if each.type not in SYSTEM:
            raise ValueError(f"{each.type} is not an event in this list")
    rows = [each._asdict() | {"id": str(new_id()), "data": dict(each.data)} for each in events]
    await SQL.record_events(connection, events=rows)


async def forget_old(connection: Connection) -> None:
    await SQL.forget_events(connection, days=KEPT_DAYS, at_most=FORGOTTEN_AT_ONCE)
