"""Pools: ranges out of which clients get addresses, perhaps only those of one class."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ipam_core.db import queries
from ipam_core.model.families import FAMILIES
from ipam_core.model.ranges import ListedPool, NewPool, Pool, check_pool
from ipam_core.model.values import parse_address, parse_network
from ipam_core.services.client_classes import find_class
from ipam_core.services.entity.entity import Child, Entity, Filter, Sort, Write, view_text
from ipam_core.services.entity.filters import (
    SUBNET,
    equal,
    family,
    id_text,
    label_filters,
    one_of,
    range_filters,
    sought,
    tags_of,
)
from ipam_core.services.options import OPTIONS

SQL = queries.load("pool")


def whole(count: Decimal | None) -> int | None:
    """Return a count as a number without places."""
    return None if count is None else int(count)


async def validate(write: Write) -> Mapping[str, Any]:
    check_pool(write.command, write.parent.cidr)
    return {"class_no": await find_class(write)}


# As it was counted last: of a pool that delegates in prefixes.
USE = "(select {} from usage where usage.subnet_no = pool.subnet_no and usage.pool_no = pool.no)"
LISTED = {
    "used": USE.format("taken + open"),
    "used_exact": USE.format("(taken + open)::text"),
    "utilisation": USE.format("round(share::numeric, 6)::float8"),
    "as_of": USE.format("(select as_of from usage_cursor)"),
}
FIRST = "coalesce(pool.start_ip, host(network(pool.prefix))::inet)"

POOLS = Entity(
    family=FAMILIES["pools"],
    model=Pool,
    create=NewPool,
    patch=NewPool,
    view=view_text(SQL.pool_view),
    keys=("subnet_no",),
    columns=(
        "name",
        "start_ip",
        "end_ip",
        "prefix",
        "delegated_length",
        "excluded_prefix",
        "class_no",
        "allocation",
        "tags",
        "custom",
    ),
    scope="subnet.tenant_no",
    validate=validate,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **range_filters("pool.start_ip", "pool.end_ip"),
        "family": Filter("family(coalesce(pool.start_ip, pool.prefix)) = {}", family),
        "prefix": equal("pool.prefix", parse_network),
        **SUBNET,
        "name": equal("pool.name"),
        "class_id": equal("client_class.id", id_text),
        "allocation": equal("pool.allocation", one_of("hashed", "sequential")),
        **label_filters("pool"),
        "q": sought(
            "pool", "pool.name", "host(pool.start_ip)", "host(pool.end_ip)", "pool.prefix", tags_of("pool")
        ),
    },
    children=(Child(OPTIONS, "pool_no"),),
    writers={"used": whole},
    listed=ListedPool,
    listed_columns=LISTED,
    sorts={
        "start_ip": Sort(FIRST, "inet", str, parse_address),
        "name": Sort("pool.name", "text", str, str),
        "utilisation": Sort(f"coalesce({USE.format('share')}, 0)", "float8", float, float),
    },
)
