"""Trusted relays: networks whose relays are served, each for one tenant (decisions: Ownership of packets). No tenant
writes its own."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.relay import NewTrustedRelay, RelayFields, TrustedRelay, check_relay
from ipam_core.model.values import Address, encode_value
from ipam_core.services.entity.entity import Connection, Entity, Parent, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, network_filters, texts
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.parents import find_tenant
from ipam_core.services.entity.rights import refuse_new_values, refuse_tenants

SQL = queries.load("trusted_relay")

KEPT_SOURCES = 64


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewTrustedRelay
) -> Parent:
    """Lock the tenant; a relay without one is the default tenant's."""
    refuse_tenants(actor, "trusted-relays: may be written")
    await PARENTS.hold_level(connection, tenant_no=0)
    tenant_no = None
    if command.tenant_id is not None:
        tenant_no = await find_tenant(connection, actor, command.tenant_id)
    return Parent({"tenant_no": tenant_no}, tenant_no)


async def validate(write: Write) -> Mapping[str, Any]:
    fields: RelayFields = write.command
    refuse_new_values(write, *RelayFields.__struct_fields__)
    check_relay(fields)
    if write.current is None or fields.cidr != write.current["cidr"]:
        await refuse_second_entry(write)
    return {}


async def refuse_second_entry(write: Write) -> None:
    """Raise Conflict where the network is trusted already, whichever tenant's it is."""
    cidr = write.command.cidr
    other = await SQL.other_entry(write.connection, cidr=cidr, no=write.no)
    write.batch.checks_anew(write)
    if other is None or (
        write.current and write.batch.postpone(write, other["id"], partial(refuse_second_entry, write))
    ):
        return
    found = {key: encode_value(value) for key, value in other.items()}
    owner = f"the tenant {found['tenant']}" if found["tenant"] else "the default tenant"
    raise Conflict(
        f"{cidr} is already trusted for {owner}, and a relay agent belongs to one tenant. Change or "
        "delete that entry, or add a more specific network",
        {"field": "cidr", "conflicts_with": found},
    )


async def before_delete(write: Write) -> None:
    refuse_tenants(write.actor, "trusted-relays: may be deleted")


async def note_sources(connection: Connection, seen: Sequence[tuple[int, Address]]) -> None:
    """Remember from where packets came, by number of the entry; of each entry the latest KEPT_SOURCES."""
    relays = [no for no, _ in seen]
    async with connection.transaction():
        await SQL.note_sources(connection, relays=relays, addresses=[address for _, address in seen])
        await SQL.forget_sources(connection, relays=relays, kept=KEPT_SOURCES)


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
        "vss": equal("trusted_relay.vss", flag),
        "q": texts("trusted_relay.cidr", "trusted_relay.description"),
    },
)
