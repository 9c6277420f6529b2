"""Actor of a request: the token behind it, its source and its id.

A tenant number limits the actor to that tenant's objects; without one it sees all. The command line on the
host and requests before the first token act without a token.
"""

from collections.abc import Callable
from typing import Any, Protocol
from uuid import UUID

import msgspec

from ipam_core.model.values import Address


class Sealer(Protocol):
    """Interface of the keeper of secrets in the database (ipam_core.secrets)."""

    async def seal(self, connection: Any, purpose: str, row: UUID, secret: str) -> bytes: ...

    def open(self, purpose: str, row: UUID, value: bytes) -> str: ...

    def is_bound(self, value: bytes) -> bool: ...


class Outbound(Protocol):
    """Interface of the judge of destinations of connections (ipam_core.outbound.guard)."""

    def refusal_of(
        self, host: str, port: int, tenant_no: int | None, *, of_tenant: bool, on_host: bool
    ) -> str: ...

    def refusal_of_mail(self, address: str, *, of_tenant: bool) -> str: ...


class Actor(msgspec.Struct, kw_only=True, frozen=True):
    role: str
    tenant_no: int | None = None
    tenant_id: str | None = None
    token_no: int | None = None
    token_id: UUID | None = None
    token_name: str | None = None
    remote_address: Address | None = None
    request_id: str | None = None
    bootstrap: bool = False
    """Nobody but the host itself: no token has ever existed."""
    managed_address_limit: int = 0
    """Managed address limit: reservations plus static assignments; 0 is no limit."""
    sealer: Sealer | None = None
    """Without one nobody can store a secret."""
    outbound: Outbound | None = None
    """Refuses destinations that no connection may reach; without one they are refused when a connection is opened."""
    flags: frozenset[str] = frozenset()
    """What the request's query permits beside its body, such as move_records."""
    batch: Any = None
    """What the operations of a bulk leave to its end (services.entity.write_batch); None for a single write."""
    announce: Callable[[int], None] | None = None
    """Tells the servers of a subnet whose change is committed already (services.entity.notify)."""
