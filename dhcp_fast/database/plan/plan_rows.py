"""The rows of the plan, read from the database; plan_reader.py and plan_reader6.py compile them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from asyncpg import Connection

from dhcp_fast.plan.reservation_rows import ReservationReader
from dhcp_fast.plan.reservation_set import ReservationSet
from ipam_core.db import queries
from ipam_core.errors import IpamError

Rows = Mapping[int, list[Mapping[str, Any]]]


@dataclass(eq=False)
class UnfinishedSchemaError(IpamError):
    """there is no default tenant: the schema is still being made"""


async def read_numbers(connection: Connection, family: int) -> tuple[str, list[int]]:
    """Return the position: from where on changes are still to be read once these subnets are (a transaction number as
    text), and the numbers of all subnets."""
    plan = queries.load("dhcp_plan")
    position = (await plan.read_plan_position(connection))["xmin"]
    return position, [row["no"] async for row in plan.read_subnet_numbers(connection, family=family)]


async def read_key(connection: Connection) -> tuple[int, int]:
    """Return the cluster's hash key, as two halves of 64 bits. Raises UnfinishedSchemaError."""
    return hash_key([row async for row in queries.load("dhcp_plan").read_tenants(connection)])


async def read_rows(connection: Connection, numbers: list[int] | None, family: int = 4) -> dict[str, Any]:
    """Return rows by the name of their query, reservations by subnet, and the `position` in `change` that they are as
    of; None: of all subnets. Of one moment only inside a transaction."""
    plan = queries.load("dhcp_plan")
    rows: dict[str, Any] = {"position": (await plan.read_plan_position(connection))["xmin"]}
    for name in ("tenants", "classes"):
        rows[name] = [row async for row in getattr(plan, f"read_{name}")(connection)]
    for name in ("relays", "definitions"):
        rows[name] = [row async for row in getattr(plan, f"read_{name}")(connection, family=family)]
    for name in ("subnets", "pools", "excludes", "assignments", "options"):
        read = getattr(plan, f"read_{name}")
        rows[name] = [row async for row in read(connection, family=family, numbers=numbers)]
    rows["in_use"] = [row async for row in plan.read_in_use(connection, numbers=numbers)]
    if family == 4:
        rows["reservations"] = await read_reservations(connection, hash_key(rows["tenants"]), numbers)
    else:
        rows["reservations"] = by(
            [row async for row in plan.read_reservations6(connection, numbers=numbers)], "subnet_no"
        )
        rows["delegations"] = [row async for row in plan.read_delegations6(connection, numbers=numbers)]
    return rows


async def read_reservations(
    connection: Connection, key: tuple[int, int], numbers: list[int] | None
) -> dict[int, ReservationSet]:
    """Read reservations by subnet, or minus the tenant where they apply in all of its subnets; subnets without any are
    not in it."""
    found = ReservationReader(key)
    query = queries.load("dhcp_plan").copy_reservations.sql.rstrip().rstrip(";")
    await connection.copy_from_query(query, numbers, output=found.take, format="binary")
    return found.finish()


def hash_key(tenants: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the key of the cluster, once its default tenant exists, which a migration writes last of all."""
    default = next((row for row in tenants if row["is_default"]), None)
    if default is None:
        raise UnfinishedSchemaError
    return default["hash_key"].int >> 64, default["hash_key"].int & (1 << 64) - 1


def by(rows: Iterable[Mapping[str, Any]], column: str) -> Rows:
    grouped: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row[column] is not None:
            grouped[row[column]].append(row)
    return grouped
