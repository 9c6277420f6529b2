"""What happened: to leases, and to the configuration. Nobody rewrites either."""

from typing import Any, Literal

from ipam_core.model.base import Model

EVENTS = {
    "g": "granted",
    "n": "renewed",
    "r": "released",
    "x": "expired",
    "d": "declined",
    "v": "revoked",
    "i": "registered",
}
REPLACED = "replaced"
"""End of a lease of which no event tells: its address was given to the same machine under another identity."""
ENDS = ("released", "expired", "declined", "revoked", REPLACED)


class LeaseEvent(Model, kw_only=True, frozen=True):
    """Fields of a lease (`Lease`) at the time of the event. `expires_at` is the end that the server promised then;
    `ended_at` and `end` are the actual end of the lease."""

    at: str
    event: str
    tenant_id: str | None
    subnet_id: str | None
    node_id: str | None
    lease_id: str
    ip: str
    prefix_length: int
    ia_type: Literal["na", "pd"] | None
    mac: str | None
    client_id: str | None
    duid: str | None
    iaid: int | None
    hostname: str | None
    relay: str | None
    link_address: str | None
    next_hop: str | None
    interface_id: str | None
    circuit_id: str | None
    remote_id: str | None
    granted_at: str
    expires_at: str | None
    ended_at: str | None
    end: str | None


class AuditEntry(Model, kw_only=True, frozen=True):
    at: str
    tenant_id: str | None
    subnet_id: str | None
    object_type: str
    object_id: str
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    token_id: str | None
    token_name: str | None
    remote_address: str | None
    request_id: str | None
