"""A dynamic DNS update: one entry of the outbox that a worker empties."""

from ipam_core.model.base import Model

STATES = ("pending", "applied", "partial", "retrying", "failed", "conflict", "superseded")


class DdnsUpdate(Model, kw_only=True, frozen=True):
    tenant_id: str | None
    subnet_id: str | None
    dns_server_id: str | None
    action: str
    ip: str
    fqdn: str
    target: str | None
    """Of an alias, the name that its CNAME record points to."""
    forward_zone: str | None
    reverse_zone: str | None
    ttl: int | None
    dhcid: str | None
    state: str
    attempts: int
    last_error: str | None
    next_attempt_at: str | None
    applied_at: str | None
