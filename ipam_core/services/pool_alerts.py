"""Alerts: a pool that has run full is told of once, by whichever server sees it first, until it has room again."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.model.values import Address, encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection

SQL = queries.load("pool_alert")

HIGH = "pool.utilization_high"
EXHAUSTED = "pool.exhausted"
STORM = "pool.decline_storm"


class PoolLevel(NamedTuple):
    """Number of a pool's addresses in use when its server looked."""

    used: int
    usable: int


async def raise_alerts(connection: Connection, type_: str, levels: Mapping[int, PoolLevel]) -> int:
    """Return an event for each pool (by number) that is not under this alert already; how many there were."""
    if not levels:
        return 0
    async with connection.transaction():
        raised = [row async for row in SQL.raise_alerts(connection, type=type_, numbers=list(levels))]
        for row in raised:
            await events.record(connection, type_, told(row, levels[row["no"]]), row["tenant_no"])
    return len(raised)


async def raise_storms(connection: Connection, declined: Mapping[int, Address]) -> int:
    """Return an event for the pool of each address (by the subnet's number), at most one an hour; how many there
    were."""
    if not declined:
        return 0
    async with connection.transaction():
        rows = SQL.raise_storms(connection, subnets=list(declined), addresses=list(declined.values()))
        raised = [row async for row in rows]
        for row in raised:
            await events.record(
                connection, STORM, pool_of(row) | {"ip": encode_value(row["ip"])}, row["tenant_no"]
            )
    return len(raised)


def pool_of(row: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("start_ip", "end_ip") if row["prefix"] is None else ("prefix",)
    return {name: encode_value(row[name]) for name in ("pool_id", "name", *fields, "subnet_id", "cidr")}


def told(row: Mapping[str, Any], level: PoolLevel) -> dict[str, Any]:
    return pool_of(row) | {
        "used": level.used,
        "usable": level.usable,
        "utilisation": round(level.used / level.usable, 4),
    }


async def read_alerts(connection: Connection, family: int) -> set[tuple[int, str]]:
    """Return pool numbers and the types of their alerts, of pools of this family."""
    return {(row["pool_no"], row["type"]) async for row in SQL.read_alerts(connection, family=family)}


async def clear_alerts(connection: Connection, numbers: set[int]) -> None:
    """Clear alerts; the next time is reported again."""
    if numbers:
        await SQL.clear_alerts(connection, numbers=list(numbers))
