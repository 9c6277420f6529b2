"""Writer of an object's destination, the operator or a token limited to a tenant, and whether it may be stored."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ipam_core.errors import ValidationError
from ipam_core.services.entity.entity import Write
from ipam_core.services.entity.rights import shown


async def written_by_tenant(
    write: Write, destination: Sequence[str], targets: Sequence[str], stored_by_tenant: Any
) -> bool:
    """Return what the column `by_tenant` is to contain (decisions: Outbound connections).

    A write that changes none of the `destination` fields leaves it. `targets`: those of them that name who receives. An
    operator vouches for a tenant's destination by replacing all of these, not by changing how they are used."""
    if write.current is None or (write.actor.tenant_no is not None and moves(write, destination)):
        return write.actor.tenant_no is not None
    stored = bool(await stored_by_tenant(write.connection, no=write.no))
    return stored and (not moves(write, destination) or any(keeps(write, name) for name in targets))


def moves(write: Write, destination: Sequence[str]) -> bool:
    """Return whether the write sets a destination, or another one than is stored."""
    return write.current is None or any(
        shown(getattr(write.command, name)) != shown(write.current[name]) for name in destination
    )


def keeps(write: Write, name: str) -> bool:
    """Return whether a stored target, or one of a list, remains one after the write."""
    assert write.current is not None
    before, after = write.current[name], getattr(write.command, name)
    if isinstance(after, Sequence) and not isinstance(after, str):
        return not set(before).isdisjoint(after)
    return after is not None and shown(after) == shown(before)


def refuse_url(write: Write, url: str, *, by_tenant: bool, on_host: bool = False) -> None:
    """Raise ValidationError for a URL at which no connection may be opened."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    refuse_host(write, "url", str(parts.hostname), port, by_tenant=by_tenant, on_host=on_host)


def refuse_host(
    write: Write, field: str, host: str, port: int, *, by_tenant: bool, on_host: bool = False
) -> None:
    """Raise ValidationError for a host to which no connection may be opened, whatever its name resolves to."""
    if write.actor.outbound is None:
        return
    tenant_no = write.parent.tenant_no
    said = write.actor.outbound.refusal_of(host, port, tenant_no, of_tenant=by_tenant, on_host=on_host)
    if said:
        raise ValidationError(
            field,
            f"{host} is {said}, where connections may not go. Choose another destination; exceptions are listed in "
            "the setting outbound_allow",
        )
