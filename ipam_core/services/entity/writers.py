"""Who wrote where an object connects to: the operator, or a token limited to a tenant."""

from collections.abc import Sequence
from typing import Any

from ipam_core.services.entity.entity import Write


async def written_by_tenant(write: Write, destination: Sequence[str], stored_by_tenant: Any) -> bool:
    """Return what the column `by_tenant` is to contain (decisions: Outbound connections). A write that changes none of
    the `destination` fields leaves it: an operator who corrects a description does not vouch for the address."""
    if write.current is not None and all(
        getattr(write.command, name) == write.current[name] for name in destination
    ):
        return bool(await stored_by_tenant(write.connection, no=write.no))
    return write.actor.tenant_no is not None
