"""A dynamic DNS update: one entry of the outbox that a worker empties."""

from ipam_core.model.base import Model

STATES = ("pending", "applied", "partial", "retrying", "failed", "conflict", "superseded")


class DdnsUpdate(Model, kw_only=True, frozen=True):
    tenant_id: str | None
    """Tenant of the lease. Null: the tenant is deleted."""

    subnet_id: str | None
    """Subnet of the lease. Null: the subnet is deleted."""

    dns_server_id: str | None
    """DNS server that receives the update. Null: the zones of this service."""

    action: str
    """Change of the records: `add` or `remove`."""

    ip: str
    """Address that the records belong to."""

    fqdn: str
    """Fully qualified name: the hostname, or an alias."""

    target: str | None
    """Target of the alias's CNAME record. Null: the name has address records."""

    forward_zone: str | None
    """Zone of the A, AAAA or CNAME record. Null: none is written."""

    reverse_zone: str | None
    """Zone of the PTR record. Null: none is written."""

    ttl: int | None
    """TTL of the records in seconds. Null: for a removal."""

    dhcid: str | None
    """Owner of the name (RFC 4701), in base64. Null: ownership is not checked."""

    state: str
    """`pending`, `applied`, `partial` (the PTR record was written, and no zone here has the name), `retrying`,
    `failed`, `conflict` (the name has another owner) or `superseded` (a newer update replaced it)."""

    attempts: int
    """Number of attempts."""

    last_error: str | None
    """Reason why the last attempt failed. Null: it did not fail."""

    next_attempt_at: str | None
    """Time of the next attempt. Null: there will be none."""

    applied_at: str | None
    """When the DNS server accepted the update. Null: not yet."""
