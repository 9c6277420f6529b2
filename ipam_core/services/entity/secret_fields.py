"""Write-only fields: sealed before they are stored, kept where a change does not name them."""

from typing import Any

from msgspec import UNSET

from ipam_core.errors import Unavailable
from ipam_core.services.entity.entity import Write


async def seal_secret(write: Write, purpose: str, stored_secret: Any) -> bytes | None:
    """What the column `secret` shall hold; `stored_secret` is the query that reads what it does. Raises Unavailable
    where this process has no key."""
    secret = write.command.secret
    if secret is UNSET and write.current is not None:
        kept: bytes | None = await stored_secret(write.connection, no=write.no)
        return kept
    if secret is None or secret is UNSET:
        return None
    if write.actor.sealer is None:
        raise Unavailable("the store of secrets", "this process has no key")
    return await write.actor.sealer.seal(write.connection, purpose, secret)
