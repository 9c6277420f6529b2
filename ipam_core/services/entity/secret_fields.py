"""Write-only fields: sealed before they are stored, kept where a change does not name them."""

from typing import Any

from msgspec import UNSET

from ipam_core.errors import Unavailable
from ipam_core.services.entity.entity import Change


async def seal_secret(change: Change, purpose: str, stored_secret: Any) -> bytes | None:
    """What the column `secret` shall hold; `stored_secret` is the query that reads what it does."""
    secret = change.command.secret
    if secret is UNSET and change.current is not None:
        kept: bytes | None = await stored_secret(change.connection, no=change.no)
        return kept
    if secret is None or secret is UNSET:
        return None
    if change.actor.sealer is None:
        raise Unavailable("the store of secrets", "this process has no key")
    return await change.actor.sealer.seal(change.connection, purpose, secret)
