"""Zones that are served although they could not be enabled today, and records that no question reaches: what
`ipam zones check` lists.

They are left by a release without suffixes of tenants, or by a suffix that was granted over a zone. They stay as they
are until somebody decides, because a zone that disappears is an outage (decisions: Names of tenants).
"""

import shlex

import msgspec

from ipam_core.db import queries
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("zone_check")

OUTSIDE = (
    "zone {zone} of tenant {tenant} lies outside the tenant's DNS suffixes. "
    "Permit it: ipam update tenants {quoted} dns_suffixes=..., with {zone} or a name above it beside those that it has"
)
OVERLAP = (
    "zone {zone} of tenant {tenant} lies at or below {other}, {what} of tenant {other_tenant}. "
    "Disable one of them: ipam update dns-zones ZONE dns_enabled=false"
)
HIDDEN = (
    "zone {zone} of tenant {tenant} has {records} records that {other} answers for. "
    "Move them: ipam update dns-zones {other} dns_enabled=false, then dns_enabled=true --move-records"
)
WHAT = {"zone": "an enabled zone", "suffix": "a DNS suffix"}


class ZoneFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """`kind`: outside (of the tenant's suffixes), zone or suffix (of another tenant, at or above it), or hidden
    (records, by another zone of the same tenant)."""

    kind: str
    zone: str
    tenant: str
    other: str | None = None
    other_tenant: str | None = None
    records: int | None = None

    def __str__(self) -> str:
        template = {"outside": OUTSIDE, "hidden": HIDDEN}.get(self.kind, OVERLAP)
        words = {"quoted": shlex.quote(self.tenant), "what": WHAT.get(self.kind, "")}
        return template.format(**msgspec.structs.asdict(self), **words)


async def conflicts(connection: Connection) -> list[ZoneFinding]:
    """Return zones that conflict with suffixes and with zones of other tenants."""
    return [finding(row) async for row in SQL.conflicts(connection)]


async def find(connection: Connection) -> list[ZoneFinding]:
    """Return these and records that another zone of their tenant hides, which takes longer."""
    hidden = [ZoneFinding("hidden", **dict(row)) async for row in SQL.hidden(connection)]
    return [*await conflicts(connection), *hidden]


def finding(row: Row) -> ZoneFinding:
    return ZoneFinding(**dict(row))
