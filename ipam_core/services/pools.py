"""Pools: ranges out of which clients get addresses, perhaps only those of one class."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.model.families import FAMILIES
from ipam_core.model.ranges import NewPool, Pool, check_pool
from ipam_core.model.values import parse_network
from ipam_core.services.client_classes import find_class
from ipam_core.services.entity.entity import Child, Entity, Filter, Write, view_text
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


async def validate(write: Write) -> Mapping[str, Any]:
    check_pool(write.command, write.parent.cidr)
    return {"class_no": await find_class(write)}


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
)
