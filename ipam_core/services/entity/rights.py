"""Rights of an admin of one tenant, who may not write everything in it.

Which packets are whose is decided by relays, interfaces and the names of virtual networks, and which names are whose by
the DNS suffixes of tenants. They are the wire's, not a tenant's: one who could write them would have the packets and
names of another.
"""

from typing import Any

from ipam_core.errors import Forbidden
from ipam_core.model.actor import Actor
from ipam_core.model.values import encode_value
from ipam_core.services.entity.entity import Write

WHO = "an admin without a tenant only"


def refuse_tenants(actor: Actor, what: str) -> None:
    """Raise Forbidden for an actor that is limited to one tenant."""
    if actor.tenant_no is not None:
        raise Forbidden(f"{what} by {WHO}")


def refuse_new_values(write: Write, *fields: str) -> None:
    """Refuse each of the fields that would get another value; repeating the present value is no write."""
    for field in fields:
        wanted, held = getattr(write.command, field), write.current[field] if write.current else None
        if shown(wanted) != shown(held):
            refuse_tenants(write.actor, f"{field}: may be written")


def shown(value: Any) -> Any:
    """Return the value as JSON has it; nothing and an empty list are one."""
    return encode_value(list(value) if isinstance(value, tuple) else value) or None
