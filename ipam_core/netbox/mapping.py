"""Mapping between tenants or VRFs of NetBox and the tenants of this service.

What `mapping` says comes before names that happen to be equal. It is looked up in NetBox before anything is made, and
kept by NetBox's ids, so that no name can be taken for another's. A name that several bear in NetBox decides nothing:
what depends on it is skipped, and all else is done.

Nobody is made on either side. What belongs to nobody in NetBox belongs to one tenant here: the one that is named, else
the actor's own, else the default.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.netbox import NetBoxCommand, Reason
from ipam_core.netbox.client import NetBox
from ipam_core.netbox.owners import KINDS, Kind, find_all, none, several
from ipam_core.netbox.shapes import PrefixRow, Reference
from ipam_core.services.entity.entity import Connection

SQL = queries.load("netbox")


class OurTenant(NamedTuple):
    no: int
    id: str
    name: str


class Tenants(NamedTuple):
    """Tenants that the actor may see, by id, and the one for prefixes without a tenant in NetBox."""

    by_id: Mapping[str, OurTenant]
    nobodys: OurTenant


class Doubt(NamedTuple):
    """Reason why a prefix has no owner on the other side."""

    reason: Reason
    detail: str


async def read_tenants(connection: Connection, actor: Actor, wanted: NetBoxCommand) -> Tenants:
    """Raise NotFound for a tenant that the command names and the actor does not see, and ValidationError."""
    if wanted.mapping and wanted.map_by == "none":
        raise ValidationError("mapping", "needs map_by: set it to tenant or vrf, the kind of the names")
    rows = [row async for row in SQL.tenants(connection, tenant_no=actor.tenant_no)]
    by_id = {str(row["id"]): OurTenant(row["no"], str(row["id"]), row["name"]) for row in rows}
    fallback = (
        wanted.tenant_id or actor.tenant_id or str(next(row["id"] for row in rows if row["is_default"]))
    )
    for id_ in (fallback, *wanted.mapping.values()):
        if id_ not in by_id:
            raise NotFound("tenant", id_)
    return Tenants(by_id, by_id[fallback])


class Counterparts:
    """Counterparts of tenants, both ways. `kind` is None where one tenant alone is meant. `kind` is None where one
    tenant alone is meant."""

    def __init__(self, netbox: NetBox, ours: Tenants, wanted: NetBoxCommand) -> None:
        self.netbox = netbox
        self.nobodys = ours.nobodys
        self.kind: Kind | None = None if wanted.map_by == "none" else KINDS[wanted.map_by]
        self.mapped: dict[int, OurTenant] = {}
        self.keys: dict[str, tuple[str, list[Reference]]] = {}
        # A tenant that `mapping` renames is no longer found by its own name.
        self.called = {
            each.name: each for each in ours.by_id.values() if each.id not in wanted.mapping.values()
        }
        self.bearers: dict[str, list[Reference]] = {}

    async def read_mapping(self, ours: Tenants, mapping: Mapping[str, str]) -> None:
        """Look up what `mapping` names. Raises ValidationError for a key that nothing in NetBox bears, and for two keys
        that give one object to two tenants."""
        if self.kind is None or not mapping:
            return
        found = await find_all(self.netbox, self.kind, mapping, self.kind.exact)
        if unknown := next((key for key in mapping if key not in found), None):
            raise ValidationError("mapping", none(self.kind, unknown))
        refuse_contradiction(mapping, found)
        # Several tenants may share a name. A key that names one alone has precedence, so it comes last.
        for key in sorted(mapping, key=lambda key: -len(found[key])):
            self.mapped |= {each.id: ours.by_id[mapping[key]] for each in found[key]}
        for key, id_ in mapping.items():
            left = [each for each in found[key] if self.mapped[each.id].id == id_]
            self.keys.setdefault(id_, (key, left))

    async def learn(self, names: Iterable[str]) -> None:
        """Ask NetBox who else bears these names, those that are known already left out."""
        assert self.kind is not None
        new = [name for name in dict.fromkeys(names) if name not in self.bearers]
        found = await find_all(self.netbox, self.kind, new, self.kind.names)
        self.bearers |= {name: found.get(name, []) for name in new}

    async def learn_owners(self, rows: Iterable[PrefixRow]) -> None:
        """Get ready for `tenant_of` of these rows' owners."""
        owners = [each for row in rows if (each := self.owner(row)) and each.id not in self.mapped]
        names = [name for each in owners if (name := self.common_name(each)) is not None]
        if names:
            await self.learn(names)

    def owner(self, row: PrefixRow) -> Reference | None:
        """Return what decides in NetBox to whom a prefix comes."""
        if self.kind is None:
            return None
        return row.tenant if self.kind.field == "tenant" else row.vrf

    def common_name(self, reference: Reference) -> str | None:
        """Return the name by which a tenant here is called as this one there."""
        return next((name for name in reference.names if name in self.called), None)

    def tenant_of(self, reference: Reference | None) -> OurTenant | Doubt:
        """Return the tenant here whose prefixes this one's become."""
        if reference is None:
            return self.nobodys
        assert self.kind is not None
        if reference.id in self.mapped:
            return self.mapped[reference.id]
        name = self.common_name(reference)
        if name is None:
            there = f"the {self.kind.field} {reference.name!r} there"
            return Doubt(
                "no_counterpart", f"no tenant here has the name of {there}, and mapping does not contain it"
            )
        bearers = self.unmapped(name)
        if len(bearers) > 1:
            return Doubt("ambiguous", f"{several(self.kind, name, bearers)} in mapping")
        return self.called[name]

    def unmapped(self, name: str) -> list[Reference]:
        """Return what bears a name and is not named in `mapping`."""
        return [each for each in self.bearers.get(name, ()) if each.id not in self.mapped]

    async def reference_of(self, tenant: OurTenant) -> Reference | Doubt:
        """Return what a tenant of ours is in NetBox."""
        assert self.kind is not None
        name, found = self.keys.get(tenant.id) or (tenant.name, None)
        if found is None:
            await self.learn([name])
            found = self.unmapped(name)
        if not found:
            detail = (
                f"NetBox has no {self.kind.field} named {tenant.name!r}, and mapping does not contain one"
            )
            return Doubt("no_counterpart", detail)
        if len(found) > 1:
            return Doubt("ambiguous", f"{several(self.kind, name, found)} in mapping")
        return found[0]


def refuse_contradiction(mapping: Mapping[str, str], found: Mapping[str, list[Reference]]) -> None:
    """Raise ValidationError where two names of one object in NetBox, such as its slug and its name, are mapped to two
    tenants. A name that several bear counts less than one of them by itself."""
    told: dict[tuple[int, int], str] = {}
    for key, id_ in mapping.items():
        for each in found[key]:
            other = told.setdefault((len(found[key]), each.id), key)
            if mapping[other] != id_:
                reason = (
                    f"{other!r} and {key!r} are the same in NetBox ({each.name!r}) and name two tenants here"
                )
                raise ValidationError("mapping", f"{reason}: leave one of them out")


async def read_counterparts(netbox: NetBox, ours: Tenants, wanted: NetBoxCommand) -> Counterparts:
    """Raise ValidationError where `mapping` names what NetBox does not have."""
    counterparts = Counterparts(netbox, ours, wanted)
    await counterparts.read_mapping(ours, wanted.mapping)
    return counterparts
