"""Whose tenant is whose: NetBox's tenants or VRFs on one side, the tenants of this service on the other.

Nobody is made on either side. What belongs to nobody in NetBox belongs to one tenant here: the one that is named, else
the actor's own, else the default.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ipam_core.db import queries
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.netbox import NetBoxCommand
from ipam_core.netbox.shapes import PrefixRow, Reference
from ipam_core.services.entity.entity import Connection

SQL = queries.load("netbox")

MapBy = Literal["none", "tenant", "vrf"]


class OurTenant(NamedTuple):
    no: int
    id: str
    name: str


class Tenants(NamedTuple):
    """Those that the actor may see, by id, and the one of all that is nobody's in NetBox."""

    by_id: Mapping[str, OurTenant]
    nobodys: OurTenant

    def mapped(self, mapping: Mapping[str, str]) -> dict[str, OurTenant]:
        """By the names that they bear in NetBox; what `mapping` names otherwise has its own name no more."""
        named = {each.name: each for each in self.by_id.values() if each.id not in mapping.values()}
        return named | {name: self.by_id[id_] for name, id_ in mapping.items()}


async def read_tenants(connection: Connection, actor: Actor, wanted: NetBoxCommand) -> Tenants:
    """Raises NotFound for a tenant that the command names and the actor does not see, and ValidationError."""
    if wanted.mapping and wanted.map_by == "none":
        raise ValidationError("mapping", "needs map_by: tenant or vrf, whose names they are")
    rows = [row async for row in SQL.tenants(connection, tenant_no=actor.tenant_no)]
    by_id = {str(row["id"]): OurTenant(row["no"], str(row["id"]), row["name"]) for row in rows}
    fallback = (
        wanted.tenant_id or actor.tenant_id or str(next(row["id"] for row in rows if row["is_default"]))
    )
    for id_ in (fallback, *wanted.mapping.values()):
        if id_ not in by_id:
            raise NotFound("tenant", id_)
    return Tenants(by_id, by_id[fallback])


def owner(row: PrefixRow, map_by: MapBy) -> Reference | None:
    """Who decides in NetBox to whom a prefix comes."""
    if map_by == "none":
        return None
    return row.tenant if map_by == "tenant" else row.vrf


def tenant_of(
    reference: Reference | None, mapped: Mapping[str, OurTenant], nobodys: OurTenant
) -> OurTenant | None:
    """None: nobody here is its counterpart."""
    if reference is None:
        return nobodys
    return next((mapped[name] for name in reference.names if name in mapped), None)


def name_of(tenant: OurTenant, mapping: Mapping[str, str]) -> str:
    """What a tenant of ours is called in NetBox."""
    return next((name for name, id_ in mapping.items() if id_ == tenant.id), tenant.name)
