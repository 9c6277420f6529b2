"""Client classes: who is meant, by vendor class, user class or hardware address."""

from collections.abc import Mapping
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.client_class import ClassFields, ClientClass, NewClientClass, check_class
from ipam_core.model.families import FAMILIES
from ipam_core.model.values import parse_mac_prefix
from ipam_core.services.entity.entity import Child, Entity, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, texts, whole_number
from ipam_core.services.options import OPTIONS

SQL = queries.load("client_class")


async def validate(write: Write) -> Mapping[str, Any]:
    check_class(write.command)
    return {}


async def before_delete(write: Write) -> None:
    """A pool without its class would serve everybody, so even a cascade does not take the class from it."""
    pools = await SQL.count_pools(write.connection, no=write.no)
    if pools:
        raise Conflict(f"{pools} pools serve this class", {"children": {"pools": pools}})


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
        "deny": equal("client_class.deny", flag),
        "q": texts("client_class.name", "client_class.description", "client_class.vendor_class"),
    },
    children=(Child(OPTIONS, "class_no"),),
)
