"""What fields mean: events."""

MEANINGS = {
    "timestamp": "When it happened, in UTC (RFC 3339).",
    "type": "What happened, such as lease.granted, subnet.updated or pool.exhausted.",
    "tenant_id": "Whose it is. Null: of the service itself.",
    "data": (
        "The facts: of a lease event what /lease-events shows, of an object what changed, and for admins who "
        "changed it."
    ),
}
