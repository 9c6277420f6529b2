"""Rights to answer for names. Names are a tree and the built-in DNS server answers for all tenants, so enabling a zone
is judged by what lies above and below it (decisions: Names of tenants)."""

from ipam_core.db import queries
from ipam_core.dns.names import names_above
from ipam_core.errors import Conflict
from ipam_core.services.entity.conflicts import NAME_TAKEN
from ipam_core.services.entity.entity import Row, Write

SQL = queries.load("dns_tree")


async def check_suffixes(write: Write, suffixes: list[str]) -> None:
    """Raise Conflict for a suffix that overlaps another tenant's, and for one that an enabled zone still needs."""
    before: list[str] = write.current["dns_suffixes"] if write.current else []
    if set(before) == set(suffixes):
        return
    await SQL.hold_tree(write.connection)
    other = await SQL.overlapping_suffix(write.connection, no=write.no, suffixes=suffixes)
    if other is not None:
        raise overlapping(other)
    await refuse_needed(write, before, suffixes)


def overlapping(other: Row) -> Conflict:
    reason = f"a suffix lies at, above or below {other['suffix']}, a suffix of tenant {other['name']}"
    held = {"type": "tenant", "name": other["name"], "dns_suffix": other["suffix"]}
    return Conflict(reason, {"field": "dns_suffixes", "conflicts_with": held})


async def refuse_needed(write: Write, before: list[str], after: list[str]) -> None:
    """Raise Conflict where an enabled zone loses the suffix that permits it."""
    if write.current is None or write.current["is_default"]:
        return
    zone = await SQL.zone_in_need(write.connection, tenant_no=write.no, before=before, after=after)
    if zone is not None:
        reason = (
            f"zone {zone['name']} is enabled and needs a suffix that would be removed. Disable the zone first"
        )
        shown = {"type": "dns_zone", "name": zone["name"]}
        raise Conflict(reason, {"field": "dns_suffixes", "conflicts_with": shown})


async def check_enabling(write: Write, name: str) -> None:
    """Raise Conflict where the zone's tenant may not answer for the name."""
    tenant_no = write.parent.tenant_no
    await SQL.hold_tree(write.connection)
    tenant = await SQL.suffixes_of_tenant(write.connection, tenant_no=tenant_no)
    above = names_above(name)
    if not tenant["is_default"] and not set(above).intersection(tenant["dns_suffixes"]):
        raise outside(name, tenant)
    if await SQL.is_taken(write.connection, tenant_no=tenant_no, name=name, above=above):
        raise Conflict(NAME_TAKEN, {"field": "dns_enabled"})


def outside(name: str, tenant: Row) -> Conflict:
    """Return the refusal of a name for which the tenant has no suffix; nothing beside the tenant is looked at."""
    held = ", ".join(tenant["dns_suffixes"]) or "none"
    reason = (
        f"zone {name} does not lie at or below a DNS suffix of tenant {tenant['name']} ({held}). "
        "An admin without a tenant sets dns_suffixes of the tenant"
    )
    return Conflict(reason, {"field": "dns_enabled"})
