"""Prefixes: planned space. Those of one tenant do not overlap; a CIDR changes only while all subnets fit."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.families import FAMILIES
from ipam_core.model.prefix import ListedPrefix, NewPrefix, Prefix, PrefixFields
from ipam_core.services.entity.entity import Child, Entity, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, label_filters, network_filters, sought, tags_of
from ipam_core.services.entity.locks import lock_below_prefix
from ipam_core.services.subnets import SUBNETS

SQL = queries.load("prefix")


async def validate(write: Write) -> Mapping[str, Any]:
    cidr = write.command.cidr
    if write.current and cidr != write.current["cidr"]:
        left_out = await SQL.subnets_outside(write.connection, no=write.no, cidr=cidr)
        if left_out["subnets"]:
            raise Conflict(
                f"{left_out['subnets']} subnets are outside {cidr}. Choose a larger network, or delete them "
                "first",
                {"field": "cidr"} | dict(left_out),
            )
    return {}


# A share, because the number of addresses exceeds the range of bigint; powers of two add up exactly. It is rounded half
# to even, as the prefix's own `utilisation` is.
SHARE = """(select coalesce(sum(power(2::float8, masklen(prefix.cidr) - masklen(subnet.cidr))), 0)
  from subnet where subnet.prefix_no = prefix.no)"""
UTILISATION = f"round({SHARE} * 1e6::float8) / 1e6::float8"

PREFIXES = Entity(
    family=FAMILIES["prefixes"],
    model=Prefix,
    create=NewPrefix,
    patch=PrefixFields,
    view=view_text(SQL.prefix_view),
    keys=("tenant_no",),
    columns=PrefixFields.__struct_fields__,
    scope="prefix.tenant_no",
    validate=validate,
    parents=frozenset({"tenant_id"}),
    filters={
        **network_filters("prefix.cidr"),
        **TENANT,
        "description": equal("prefix.description"),
        **label_filters("prefix"),
        "q": sought("prefix", "prefix.cidr", "prefix.description", tags_of("prefix")),
    },
    lock_below=lock_below_prefix,
    children=(Child(SUBNETS, "prefix_no"),),
    listed=ListedPrefix,
    listed_columns={"utilisation": UTILISATION},
)
