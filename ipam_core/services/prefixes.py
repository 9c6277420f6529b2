"""Prefixes: planned space. Those of one tenant do not overlap; a CIDR changes only while all subnets fit."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.prefix import NewPrefix, Prefix, PrefixFields
from ipam_core.services.entity.entity import Change, Child, Noun, view_text
from ipam_core.services.entity.filters import TENANT, equal, network_filters, texts
from ipam_core.services.entity.locks import hold_prefix
from ipam_core.services.entity.parents import enter_tenant, reenter_row_of
from ipam_core.services.subnets import SUBNETS

SQL = queries.load("prefix")


async def admit(change: Change) -> Mapping[str, Any]:
    cidr = change.command.cidr
    if change.current and cidr != change.current["cidr"]:
        left_out = await SQL.subnets_outside(change.connection, no=change.no, cidr=cidr)
        if left_out["subnets"]:
            raise Conflict(
                f"{left_out['subnets']} subnets do not lie in {cidr}", {"field": "cidr"} | dict(left_out)
            )
    return {}


PREFIXES = Noun(
    name="prefix",
    table="prefix",
    plural="prefixes",
    model=Prefix,
    create=NewPrefix,
    patch=PrefixFields,
    view=view_text(SQL.prefix_view),
    keys=("tenant_no",),
    columns=("cidr", "description"),
    scope="prefix.tenant_no",
    enter=enter_tenant,
    reenter=reenter_row_of("prefix"),
    admit=admit,
    parents=frozenset({"tenant_id"}),
    filters={
        **network_filters("prefix.cidr"),
        **TENANT,
        "description": equal("prefix.description"),
        "q": texts("prefix.cidr", "prefix.description"),
    },
    hold=hold_prefix,
    children=(Child(SUBNETS, "prefix_no"),),
)
