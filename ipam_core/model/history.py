"""History of leases and of the configuration. Nobody rewrites either."""

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
    """When it happened."""

    event: str
    """Type of the event: granted, renewed, released, expired, declined, revoked or registered."""

    tenant_id: str | None
    """Tenant of the event. Null: none."""

    subnet_id: str | None
    """Subnet of the event. Null: none."""

    node_id: str | None
    """Server that made the change. Null: it was made through the API."""

    lease_id: str
    """Id of the lease, as in /leases."""

    ip: str
    """The address, or the first one of a delegated prefix."""

    prefix_length: int
    """Length of a delegated prefix; 32 or 128: a single address."""

    ia_type: Literal["na", "pd"] | None
    """Kind of DHCPv6 association: `na` an address, `pd` a prefix. Null: for IPv4."""

    mac: str | None
    """Hardware address of the client. Null: unknown."""

    client_id: str | None
    """Client identifier (option 61) in hex. Null: the client sent none."""

    duid: str | None
    """DUID of the client in hex. Null: for IPv4."""

    iaid: int | None
    """IAID of the association. Null: for IPv4."""

    hostname: str | None
    """Hostname of the client at that time. Null: none."""

    relay: str | None
    """Address of the relay agent. Null: the client was on a link of the server."""

    link_address: str | None
    """Link-address from the relay agent. Null: for IPv4."""

    next_hop: str | None
    """Address of the client on that link. Null: for IPv4."""

    interface_id: str | None
    """Interface-Id from that relay agent, as text or 0x octets. Null: none."""

    circuit_id: str | None
    """Circuit ID from the relay agent nearest to the client, as text or 0x octets. Null: none."""

    remote_id: str | None
    """Remote ID from a relay agent, as text or 0x octets. Null: none."""

    granted_at: str
    """When this client was first granted the lease."""

    expires_at: str | None
    """When the lease would expire, as of this event. Null: never."""

    ended_at: str | None
    """When the lease actually ended. Null: it has not ended."""

    end: str | None
    """How the lease ended: released, expired, declined, revoked, or replaced (the machine got the address again with
    another client ID). Null: it has not ended."""


class AuditEntry(Model, kw_only=True, frozen=True):
    at: str
    """When the object was changed."""

    tenant_id: str | None
    subnet_id: str | None
    object_type: str
    """Kind of the changed object, such as subnet."""

    object_id: str
    """Id of the changed object, which may be deleted by now."""

    action: str
    """`created`, `updated`, `deleted`, or another action."""

    before: dict[str, Any] | None
    """The object before the change. Null: it is new."""

    after: dict[str, Any] | None
    """The object after the change. Null: it is deleted."""

    token_id: str | None
    """Token that made the change. Null: the host itself, or a token of another tenant."""

    token_name: str | None
    """Name of the token. Null: as token_id."""

    remote_address: str | None
    """Where the request came from. Null: it was none, or as token_id."""

    request_id: str | None
    """Header X-Request-Id of the request. Null: no request, or as token_id."""
