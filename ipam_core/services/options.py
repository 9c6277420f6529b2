"""DHCP options at their five scopes. A payload is checked by the option table before it is stored.

An option of a subnet, a pool or a reservation raises the subnet's fence and has its family; one of a client
class or of no scope at all concerns every server.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from ipam_core.db import queries
from ipam_core.dhcp import default_routes, kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.option import NewGlobalOption, NewOption, Option, OptionFields
from ipam_core.services.entity.entity import Connection, Entity, Parent, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, family, flag, id_text, texts, whole_number
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.parents import lock_subnet, lock_subnet_of, lock_tenant

SQL = queries.load("option")

SCOPES = ("subnet_no", "pool_no", "class_no", "reservation_no")


async def lock_parent(
    connection: Connection, actor: Actor, parents: Mapping[str, str], command: Command
) -> Parent:
    """Return the one scope that the path names; none is global."""
    if "subnet_id" in parents:
        return scoped(await lock_subnet(connection, actor, parents, command), "subnet_no")
    if "pool_id" in parents:
        return await lock_scope(connection, actor, parents["pool_id"], "pool")
    if "reservation_id" in parents:
        return await lock_scope(connection, actor, parents["reservation_id"], "reservation")
    if "class_id" in parents:
        return await share_class(connection, actor, parents["class_id"])
    return scoped(await lock_tenant(connection, actor, parents, command))


def scoped(parent: Parent, column: str | None = None, no: int | None = None) -> Parent:
    """Return the parent with one scope column set."""
    keys: dict[str, Any] = dict.fromkeys(SCOPES) | {"tenant_no": parent.tenant_no}
    if column is not None:
        keys[column] = no if no is not None else parent.subnet_no
    return parent._replace(keys=keys)


async def lock_scope(connection: Connection, actor: Actor, id_: str, entity: str) -> Parent:
    """Return the scope of a pool or a reservation, below the fence of its subnet. Raises NotFound."""
    key = parse_id(id_)
    parent = await lock_subnet_of(connection, actor, key) if key else None
    if key and parent is None and entity == "reservation":
        parent = await share_tenant_of(connection, actor, key)
    no = await getattr(SQL, f"{entity}_no")(connection, id=key)
    if parent is None or no is None:
        raise NotFound(entity, id_)
    return scoped(parent, f"{entity}_no", no)


async def share_tenant_of(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    """Return the tenant in all of whose subnets a reservation holds, which is held until the COMMIT."""
    row = await SQL.share_reservation(connection, id=id_, tenant_no=actor.tenant_no)
    return Parent({}, row["tenant_no"]) if row else None


async def share_class(connection: Connection, actor: Actor, id_: str) -> Parent:
    """Return the scope of a client class, which is held until the COMMIT. Raises NotFound."""
    row = await PARENTS.share_client_class(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("client class", id_)
    return scoped(Parent({}, row["tenant_no"]), "class_no", row["no"])


async def lock(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    """Raise the fence, where there is one, before the option's row is locked, as all writers do."""
    where = await PARENTS.locate_option(connection, id=id_, tenant_no=actor.tenant_no)
    if where is None:
        return None
    row = None
    if where["subnet_no"] is not None:
        row = await PARENTS.raise_fence(connection, no=where["subnet_no"])
    locked = await PARENTS.lock_option(connection, no=where["no"])
    return Parent(dict(locked), where["tenant_no"], where["subnet_no"], row) if locked else None


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: OptionFields = write.command
    if wanted.always_send and wanted.never_send:
        raise ValidationError("never_send", "contradicts always_send")
    chosen = family_of(write.parent, wanted.family)
    if reason := registry.why_unstorable(chosen, wanted.code):
        raise ValidationError("code", reason)
    custom = await definitions_of(write.connection, write.parent.tenant_no, chosen)
    definition = registry.resolve(chosen, wanted.code, wanted.vendor_class, custom)
    return {"family": chosen, "payload": kinds.canonical(definition, wanted.payload)}


async def definitions_of(connection: Connection, tenant_no: int | None, family: int) -> list[OptionDef]:
    """Return the tenant's custom definitions, which stay as they are until the COMMIT."""
    await SQL.share_definitions(connection, tenant_no=tenant_no)
    rows = SQL.custom_definitions(connection, tenant_no=tenant_no, family=family)
    return [registry.definition_from(row) async for row in rows]


def family_of(parent: Parent, wanted: int | None) -> int:
    """Return the subnet's, else the one wanted, else 4. Raises ValidationError for another than the subnet's."""
    if parent.row is None:
        return wanted if wanted is not None else 4
    own = parent.cidr.version
    if wanted not in (None, own):
        raise ValidationError("family", f"must be {own}, the family of the subnet")
    return own


def warnings_of(looked_at: Mapping[str, Any]) -> list[str]:
    """Return the warnings of an option. `looked_at`: its code and payload where the view found a reason to look."""
    return default_routes.warnings(looked_at["code"], looked_at["payload"]) if looked_at else []


OPTIONS = Entity(
    family=FAMILIES["options"],
    model=Option,
    create=NewOption,
    patch=OptionFields,
    view=view_text(SQL.option_view),
    keys=("tenant_no", *SCOPES),
    columns=("family", "code", "vendor_class", "payload", "always_send", "never_send"),
    scope="dhcp_option.tenant_no",
    lock_parent=lock_parent,
    lock=lock,
    validate=validate,
    parents=frozenset({"tenant_id", "subnet_id", "pool_id", "class_id", "reservation_id"}),
    writers={"warnings": warnings_of},
    filters={
        **TENANT,
        "subnet_id": equal("subnet.id", id_text),
        "pool_id": equal("pool.id", id_text),
        "class_id": equal("client_class.id", id_text),
        "reservation_id": equal("reservation.id", id_text),
        "family": equal("dhcp_option.family", family),
        "code": equal("dhcp_option.code", whole_number),
        "vendor_class": equal("dhcp_option.vendor_class"),
        "always_send": equal("dhcp_option.always_send", flag),
        "never_send": equal("dhcp_option.never_send", flag),
        "q": texts("dhcp_option.vendor_class", "dhcp_option.payload"),
    },
)

GLOBAL_OPTIONS = replace(
    OPTIONS,
    family=FAMILIES["global-options"],
    create=NewGlobalOption,
    where="num_nonnulls(" + ", ".join(f"dhcp_option.{column}" for column in SCOPES) + ") = 0",
)
