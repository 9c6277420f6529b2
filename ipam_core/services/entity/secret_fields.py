"""Write-only fields: sealed before they are stored, kept where a change does not name them."""

from contextlib import suppress
from typing import Any

from msgspec import UNSET

from ipam_core.errors import SecretKeyError, Unavailable
from ipam_core.services.entity.entity import Write


async def seal_secret(write: Write, purpose: str, stored_secret: Any) -> bytes | None:
    """Return what the column `secret` shall hold; `stored_secret` is the query that reads what it does. Raises
    Unavailable where this process has no key."""
    secret = write.command.secret
    if secret is UNSET and write.current is not None:
        return await kept(write, purpose, await stored_secret(write.connection, no=write.no))
    if secret is None or secret is UNSET:
        return None
    if write.actor.sealer is None:
        raise Unavailable("the store of secrets", "this process has no key")
    return await write.actor.sealer.seal(write.connection, purpose, write.id, secret)


async def kept(write: Write, purpose: str, value: bytes | None) -> bytes | None:
    """Return a stored secret, bound to its row if it was not yet and this process can."""
    if value is None or write.actor.sealer is None or write.actor.sealer.is_bound(value):
        return value
    with suppress(SecretKeyError, Unavailable):
        opened = write.actor.sealer.open(purpose, write.id, value)
        return await write.actor.sealer.seal(write.connection, purpose, write.id, opened)
    return value
