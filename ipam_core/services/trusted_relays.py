"""Trusted relays: networks whose relays are served, of one tenant or of all. No tenant writes its own."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.relay import NewTrustedRelay, RelayFields, TrustedRelay
from ipam_core.services.entity.entity import Connection, Entity, Parent, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, network_filters, texts
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.parents import find_tenant
from ipam_core.services.entity.rights import refuse_new_values, refuse_tenants

SQL = queries.load("trusted_relay")


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewTrustedRelay
) -> Parent:
    """Without a tenant a relay is trusted for all."""
    refuse_tenants(actor, "trusted-relays: may be written")
    await PARENTS.hold_level(connection, tenant_no=0)
    tenant_no = None
    if command.tenant_id is not None:
        tenant_no = await find_tenant(connection, actor, command.tenant_id)
    return Parent({"tenant_no": tenant_no}, tenant_no)


async def validate(write: Write) -> Mapping[str, Any]:
    refuse_new_values(write, *RelayFields.__struct_fields__)
    return {}


async def before_delete(write: Write) -> None:
    refuse_tenants(write.actor, "trusted-relays: may be deleted")


TRUSTED_RELAYS = Entity(
    family=FAMILIES["trusted-relays"],
    model=TrustedRelay,
    create=NewTrustedRelay,
    patch=RelayFields,
    view=view_text(SQL.trusted_relay_view),
    keys=("tenant_no",),
    columns=RelayFields.__struct_fields__,
    scope="trusted_relay.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    validate=validate,
    before_delete=before_delete,
    parents=frozenset({"tenant_id"}),
    filters={
        **network_filters("trusted_relay.cidr"),
        **TENANT,
        "description": equal("trusted_relay.description"),
        "q": texts("trusted_relay.cidr", "trusted_relay.description"),
    },
)
