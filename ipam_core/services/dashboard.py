"""The dashboard: a handful of small questions. A token of one tenant sees what is that tenant's, also of the
addresses that count toward the managed address limit of all."""

from typing import Any, TypeVar

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.dashboard import (
    MOST_COUNTED,
    PROBLEMS,
    Counts,
    Dashboard,
    FullPool,
    Outbox,
    Recent,
    Traffic,
    Waiting,
)
from ipam_core.model.values import encode_value
from ipam_core.services import managed_limit
from ipam_core.services.entity import lists
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.event_items import EVENTS
from ipam_core.services.nodes import NODES

SQL = queries.load("dashboard")

NEAR_FULL = 0.8
SHOWN = 10
NODES_SHOWN = {"limit": "100"}

T = TypeVar("T")


async def read(connection: Connection, actor: Actor) -> Dashboard:
    """Return all figures that the actor may see, as of now but for those of use, which say when they were counted."""
    tenant = {"tenant_no": actor.tenant_no}
    full = SQL.fullest_pools(connection, at_most=SHOWN, **tenant)
    recent = SQL.recent(connection, at_most=SHOWN, **tenant)
    counts = Counts(**await SQL.counts(connection, **tenant))
    own = counts.reservations + counts.assignments
    top = [shown(FullPool, row) async for row in full]
    problems = SQL.problems(connection, types=list(PROBLEMS), at_most=SHOWN, **tenant)
    return Dashboard(
        managed_ips=await managed_limit.count(connection) if actor.tenant_no is None else own,
        managed_ips_limit=actor.managed_address_limit,
        counts=counts,
        top_pools=top,
        pools_near_full=[pool for pool in top if pool.utilisation >= NEAR_FULL],
        nodes=(await lists.find(connection, NODES, actor, NODES_SHOWN)).items,
        traffic=await traffic(connection, actor),
        outbox=Outbox(
            ddns_updates=waiting(await SQL.waiting_ddns(connection, at_most=MOST_COUNTED, **tenant)),
            webhook_deliveries=waiting(
                await SQL.waiting_deliveries(connection, at_most=MOST_COUNTED, **tenant)
            ),
        ),
        problems=[EVENTS.item(row).shown(actor) async for row in problems],
        recent=[shown(Recent, row) async for row in recent],
        as_of=encode_value(await SQL.counted_at(connection)),
    )


async def traffic(connection: Connection, actor: Actor) -> list[Traffic]:
    if actor.tenant_no is not None:
        return []
    return [shown(Traffic, row) async for row in SQL.traffic(connection)]


def waiting(row: Row) -> Waiting:
    return Waiting(waiting=row["waiting"], oldest_at=encode_value(row["oldest"]))


def shown(kind: type[T], row: Row) -> T:
    fields: dict[str, Any] = {name: encode_value(value) for name, value in row.items()}
    return kind(**fields)
