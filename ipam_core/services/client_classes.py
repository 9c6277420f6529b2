"""Client classes: who is meant, by vendor class, user class or hardware address."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.dhcp.conditions import Comparison, Leaf, Subject, compared_values, flatten, template_leaf
from ipam_core.errors import Conflict, ValidationError
from ipam_core.model.client_class import ClassFields, ClientClass, NewClientClass, check_class
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.values import parse_mac_prefix
from ipam_core.services.entity.entity import Child, Entity, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, texts, whole_number
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.options import OPTIONS

SQL = queries.load("client_class")
VALUES = queries.load("class_value")


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: ClassFields = write.command
    check_class(wanted)
    if wanted.template:
        template_leaf(wanted.match)
    if wanted.match is not None:
        await check_classes_named(write, wanted)
    if write.current is not None:
        await check_namers(write, wanted)
        await forget_values(write, wanted)
    return {}


async def check_classes_named(write: Write, wanted: ClassFields) -> None:
    """Check that each class that a leaf names exists and is tried before this one; a template where it compares a
    value."""
    for leaf in flatten(wanted.match):
        if leaf.subject is not Subject.CLASS:
            continue
        found = await SQL.find_class(write.connection, tenant_no=write.parent.tenant_no, name=leaf.name)
        if found is None:
            raise ValidationError(
                f"{leaf.path}.class", f"refers to the class {leaf.name}, which this tenant does not have"
            )
        if found["priority"] >= wanted.priority:
            raise ValidationError(
                f"{leaf.path}.class",
                f"refers to {leaf.name}, which has priority {found['priority']}. Only a class with a lower "
                "number can be referred to",
            )
        check_compared(wanted.match, leaf, found["template"], found["match"])


def check_compared(tree: Any, leaf: Leaf, is_template: bool, match: Any) -> None:
    """Check whether the leaf of `tree` may compare what clients bring to the class with these conditions."""
    if leaf.comparison is Comparison.EXISTS:
        return
    if not is_template:
        reason = f"refers to {leaf.name}, which is not a template and has no value; leave out the comparison"
        raise ValidationError(leaf.path, reason)
    compared_values(tree, leaf, template_leaf(match))


async def check_namers(write: Write, wanted: ClassFields) -> None:
    """Check that a class that others name keeps its name, and stays before them."""
    assert write.current is not None
    for namer in await classes_that_name(write, write.current["name"]):
        if wanted.name != write.current["name"]:
            raise Conflict(
                f"the conditions of class {namer['name']} refer to this class; change them first",
                {"class": namer["name"]},
            )
        if wanted.priority >= namer["priority"]:
            reason = f"must be below {namer['priority']}, because class {namer['name']} refers to this class"
            raise ValidationError("priority", reason)
        check_values_of(namer, wanted)


def check_values_of(namer: Any, wanted: ClassFields) -> None:
    """Check that the conditions of `namer` can still compare values of this class."""
    for leaf in flatten(namer["match"]):
        if leaf.subject is not Subject.CLASS or leaf.name != wanted.name:
            continue
        try:
            check_compared(namer["match"], leaf, wanted.template, wanted.match)
        except ValidationError as error:
            field = "match" if wanted.template else "template"
            reason = f"class {namer['name']} compares the values of this class: {error.field} {error.reason}"
            raise ValidationError(field, reason) from None


async def forget_values(write: Write, wanted: ClassFields) -> None:
    """Forget values of other conditions, which are not this template's."""
    assert write.current is not None
    if (wanted.template, wanted.match) != (write.current["template"], write.current["match"]):
        await VALUES.forget_values(write.connection, no=write.no)


async def classes_that_name(write: Write, name: str) -> list[Any]:
    found = SQL.classes_that_name(write.connection, tenant_no=write.parent.tenant_no, no=write.no, name=name)
    return [row async for row in found]


async def before_delete(write: Write) -> None:
    """Refuse to delete a class that pools or conditions use."""
    users = await SQL.count_users(write.connection, no=write.no)
    if users["pools"]:
        raise Conflict(
            f"{users['pools']} pools use this class; change or delete them first",
            {"children": {"pools": users["pools"]}},
        )
    if users["reservations"]:
        told = {"children": {"reservations": users["reservations"]}}
        raise Conflict(
            f"{users['reservations']} reservations use this class; change or delete them first", told
        )
    assert write.current is not None
    for namer in await classes_that_name(write, write.current["name"]):
        raise Conflict(
            f"the conditions of class {namer['name']} refer to this class; change them first",
            {"class": namer["name"]},
        )


async def find_class(write: Write) -> int | None:
    """Return the number of the class that a write names, held until the COMMIT; None for none. Raises
    ValidationError."""
    class_id = write.command.class_id
    if class_id is None:
        return None
    row = await PARENTS.share_client_class(
        write.connection, id=parse_id(class_id), tenant_no=write.parent.tenant_no
    )
    if row is None:
        raise ValidationError("class_id", "this client class does not exist in the tenant")
    class_no: int = row["no"]
    return class_no


CLIENT_CLASSES = Entity(
    family=FAMILIES["client-classes"],
    model=ClientClass,
    create=NewClientClass,
    patch=ClassFields,
    view=view_text(SQL.client_class_view),
    keys=("tenant_no",),
    columns=ClassFields.__struct_fields__,
    scope="client_class.tenant_no",
    validate=validate,
    before_delete=before_delete,
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "name": equal("client_class.name"),
        "priority": equal("client_class.priority", whole_number),
        "vendor_class": equal("client_class.vendor_class"),
        "user_class": equal("client_class.user_class"),
        "mac_prefix": equal("client_class.mac_prefix", parse_mac_prefix),
        "known": equal("client_class.known", flag),
        "template": equal("client_class.template", flag),
        "deny": equal("client_class.deny", flag),
        "q": texts("client_class.name", "client_class.description", "client_class.vendor_class"),
    },
    children=(Child(OPTIONS, "class_no"),),
)
