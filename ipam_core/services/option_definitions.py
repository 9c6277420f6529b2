"""Option definitions: what custom codes and vendors' sub-options look like; payloads are then checked by them.

A definition by which stored options are read stays as it is: only its name may change. Every server compiles
its options anew when a definition changes.
"""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import Conflict, ValidationError
from ipam_core.model.families import FAMILIES
from ipam_core.model.option_definition import NewOptionDefinition, OptionDefinition, OptionDefinitionFields
from ipam_core.services.entity.entity import Entity, Row, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, family, flag, texts, whole_number
from ipam_core.services.options import SQL as OPTIONS

SQL = queries.load("option_definition")

LAYOUT = ("family", "code", "kind", "array", "vendor_space")


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: OptionDefinitionFields = write.command
    definition = read(wanted)
    await SQL.lock_definitions(write.connection, tenant_no=write.parent.tenant_no)
    if write.current is not None and any(getattr(wanted, name) != write.current[name] for name in LAYOUT):
        await refuse_used(write, definition_of(write.current))
    await refuse_misfits(write, definition)
    return {"is_array": wanted.array}


def read(wanted: OptionDefinitionFields) -> OptionDef:
    """Raise ValidationError for what could never be used."""
    definition = definition_of(
        {name: getattr(wanted, name) for name in ("name", *LAYOUT)},
    )
    if wanted.code > registry.MAX_CODE[wanted.family]:
        raise ValidationError("code", f"must be 1 to {registry.MAX_CODE[wanted.family]}")
    if wanted.vendor_space is not None:
        return definition
    if reason := registry.why_unstorable(wanted.family, wanted.code):
        raise ValidationError("code", reason)
    standard = registry.lookup(wanted.family, wanted.code)
    if standard is not None:
        raise ValidationError("code", f"{standard.label} is defined by {standard.rfc}")
    return definition


def definition_of(row: Row) -> OptionDef:
    return registry.definition_from({**row, "is_array": row["array"]})


async def before_delete(write: Write) -> None:
    """Refuse the deletion while options use the definition: even a cascade does not take its meaning from an option."""
    assert write.current is not None
    await SQL.lock_definitions(write.connection, tenant_no=write.parent.tenant_no)
    await refuse_used(write, definition_of(write.current))


async def refuse_used(write: Write, definition: OptionDef) -> None:
    users = [row for row in await stored(write, definition) if reads_by(definition, row)]
    if users:
        raise Conflict(
            f"{len(users)} stored options use this definition; delete them first",
            {"children": {"options": len(users)}},
        )


async def refuse_misfits(write: Write, definition: OptionDef) -> None:
    """Refuse a definition that stored options do not fit, since options may be older than their definition."""
    rows = [row for row in await stored(write, definition) if reads_by(definition, row)]
    if not rows:
        return
    custom = [definition, *await others(write, definition)]
    for row in rows:
        known = registry.resolve(definition.family, row["code"], row["vendor_class"], custom)
        try:
            kinds.encode(known, row["payload"])
        except ValidationError as error:
            raise Conflict(f"does not fit a stored option: {error}", {"field": "kind"}) from None


async def stored(write: Write, definition: OptionDef) -> list[Row]:
    rows = SQL.stored_options(
        write.connection, tenant_no=write.parent.tenant_no, family=definition.family, code=definition.code
    )
    return [row async for row in rows]


async def others(write: Write, definition: OptionDef) -> list[OptionDef]:
    rows = OPTIONS.custom_definitions(
        write.connection, tenant_no=write.parent.tenant_no, family=definition.family
    )
    own = (write.current["code"], write.current["vendor_space"]) if write.current else None
    return [registry.definition_from(row) async for row in rows if (row["code"], row["vendor_space"]) != own]


def reads_by(definition: OptionDef, row: Row) -> bool:
    """Return whether the definition says how a stored payload is read; octets in hex need none."""
    if definition.space is None:
        return bool(row["code"] == definition.code and set(row["payload"]) != {"hex"})
    base = registry.resolve(definition.family, row["code"], row["vendor_class"], [definition])
    if definition not in base.suboptions:
        return False
    return any(is_member(definition, base, sub) for sub in row["payload"].get("suboptions", ()))


def is_member(definition: OptionDef, base: OptionDef, sub: Mapping[str, Any]) -> bool:
    if base.kind == "vendor-suboptions" and str(sub.get("enterprise")) != definition.space:
        return False
    return sub.get("code") == definition.code and "hex" not in sub


OPTION_DEFINITIONS = Entity(
    family=FAMILIES["option-definitions"],
    model=OptionDefinition,
    create=NewOptionDefinition,
    patch=OptionDefinitionFields,
    view=view_text(SQL.option_definition_view),
    keys=("tenant_no",),
    columns=("family", "code", "name", "kind", "is_array", "vendor_space"),
    scope="option_definition.tenant_no",
    validate=validate,
    before_delete=before_delete,
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "family": equal("option_definition.family", family),
        "code": equal("option_definition.code", whole_number),
        "name": equal("option_definition.name"),
        "kind": equal("option_definition.kind"),
        "array": equal("option_definition.is_array", flag),
        "vendor_space": equal("option_definition.vendor_space"),
        "q": texts("option_definition.name", "option_definition.vendor_space"),
    },
)
