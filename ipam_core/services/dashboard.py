"""The dashboard: a handful of small questions. A token of one tenant sees what is that tenant's, also of the
addresses that count under the cap of all."""

from typing import Any, TypeVar

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.dashboard import Counts, Dashboard, FullPool, Recent
from ipam_core.model.values import encode_value
from ipam_core.services import licence_cap
from ipam_core.services.entity import lists
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.nodes import NODES

SQL = queries.load("dashboard")

NEAR_FULL = 0.8
SHOWN = 10
NODES_SHOWN = {"limit": "100"}

T = TypeVar("T")


async def read(connection: Connection, actor: Actor) -> Dashboard:
    """All figures that the actor may see, as of now but for those of use, which say when they were counted."""
    tenant = {"tenant_no": actor.tenant_no}
    full = SQL.pools_near_full(connection, share=NEAR_FULL, at_most=SHOWN, **tenant)
    recent = SQL.recent(connection, at_most=SHOWN, **tenant)
    counts = Counts(**await SQL.counts(connection, **tenant))
    own = counts.reservations + counts.assignments
    return Dashboard(
        managed_ips=await licence_cap.count(connection) if actor.tenant_no is None else own,
        managed_ips_limit=actor.managed_ip_cap,
        counts=counts,
        pools_near_full=[shown(FullPool, row) async for row in full],
        nodes=(await lists.find(connection, NODES, actor, NODES_SHOWN)).items,
        recent=[shown(Recent, row) async for row in recent],
        as_of=encode_value(await SQL.counted_at(connection)),
    )


def shown(kind: type[T], row: Row) -> T:
    fields: dict[str, Any] = {name: encode_value(value) for name, value in row.items()}
    return kind(**fields)
