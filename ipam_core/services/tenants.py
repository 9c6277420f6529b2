"""Tenants: scopes of objects. The default one is there from the first migration and cannot be deleted."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from ipam_core.db import queries
from ipam_core.dns.names import suffix_names
from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES
from ipam_core.model.tenant import Limits, NewTenant, Rate, Tenant, TenantUsage, Use
from ipam_core.services import (
    client_classes,
    dns_servers,
    dns_tree,
    dns_zones,
    notifications,
    option_definitions,
    options,
    prefixes,
    reservations,
    tokens,
    trusted_relays,
    webhooks,
)
from ipam_core.services.entity.entity import Child, Connection, Entity, Parent, Write, view_text
from ipam_core.services.entity.filters import equal, flag, texts
from ipam_core.services.entity.locks import lock_below_tenant
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.rights import refuse_new_values, refuse_tenants
from ipam_core.services.entity.tenant_limits import BY_FAMILY

SQL = queries.load("tenant")


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], _command: Command
) -> Parent:
    refuse_tenants(actor, "tenants: may be made")
    await PARENTS.hold_level(connection, tenant_no=0)
    return Parent({}, None)


async def lock(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    row = await SQL.lock_tenant(connection, id=id_, tenant_no=actor.tenant_no)
    return Parent({}, row["no"]) if row else None


async def validate(write: Write) -> Mapping[str, Any]:
    """Return the name is also the virtual network's (RFC 6607) that relays choose."""
    wanted: NewTenant = write.command
    suffixes = suffix_names(wanted.dns_suffixes)
    command = msgspec.structs.replace(wanted, dns_suffixes=tuple(suffixes))
    refuse_new_values(write._replace(command=command), "name", "dns_suffixes")
    await dns_tree.check_suffixes(write, suffixes)
    return {"dns_suffixes": suffixes, "limits": limits_set(write)}


def limits_set(write: Write) -> dict[str, int]:
    """Return those that are not the default."""
    limits: dict[str, int] = msgspec.to_builtins(write.command.limits or Limits())
    if limits != (write.current["limits"] if write.current else {}):
        refuse_tenants(write.actor, "limits: may be written")
    return limits


async def before_delete(write: Write) -> None:
    """Delete revoked tokens, which are not shown and do not count as children."""
    refuse_tenants(write.actor, "tenants: may be deleted")
    if write.current and write.current["is_default"]:
        raise Conflict("the default tenant cannot be deleted")
    await SQL.forget_revoked_tokens(write.connection, no=write.no)


def usage(found: Mapping[str, Any]) -> TenantUsage:
    """Return the shape of what the database counts."""
    used, limits = found["objects"], found["limits"]

    def limit(name: str) -> int | None:
        return limits.get(name) or None

    def rate(name: str) -> Rate:
        return Rate(limit=limit(name))

    return TenantUsage(
        webhooks=Use(used=used.get("webhook", 0), limit=limit("webhooks")),
        notifications=Use(used=used.get("notification", 0), limit=limit("webhooks")),
        streams=Use(used=found["streams"], limit=limit("streams")),
        streams_per_token=rate("streams_per_token"),
        deliveries_per_second=rate("deliveries_per_second"),
        ddns_updates_per_second=rate("ddns_updates_per_second"),
        objects={
            plural: Use(used=used.get(kind, 0), limit=limit("objects_per_family"))
            for kind, plural in BY_FAMILY.items()
        },
    )


TENANTS = Entity(
    family=FAMILIES["tenants"],
    model=Tenant,
    create=NewTenant,
    patch=NewTenant,
    view=view_text(SQL.tenant_view),
    keys=(),
    columns=("name", "description", "dns_suffixes", "limits"),
    writers={"usage": usage},
    scope="tenant.no",
    lock_parent=lock_parent,
    lock=lock,
    validate=validate,
    before_delete=before_delete,
    lock_below=lock_below_tenant,
    filters={
        "name": equal("tenant.name"),
        "is_default": equal("tenant.is_default", flag),
        "q": texts("tenant.name", "tenant.description"),
    },
    children=(
        Child(prefixes.PREFIXES, "tenant_no"),
        Child(reservations.RESERVATIONS, "tenant_no"),
        Child(options.OPTIONS, "tenant_no"),
        Child(option_definitions.OPTION_DEFINITIONS, "tenant_no"),
        Child(client_classes.CLIENT_CLASSES, "tenant_no"),
        Child(trusted_relays.TRUSTED_RELAYS, "tenant_no"),
        Child(dns_zones.DNS_ZONES, "tenant_no"),
        Child(dns_servers.DNS_SERVERS, "tenant_no"),
        Child(webhooks.WEBHOOKS, "tenant_no"),
        Child(notifications.NOTIFICATIONS, "tenant_no"),
        Child(tokens.TOKENS, "tenant_no"),
    ),
)
