"""What fields mean: events."""

MEANINGS = {
    "timestamp": "When it happened, in UTC (RFC 3339).",
    "type": "Type of the event, such as lease.granted, subnet.updated or pool.exhausted.",
    "tenant_id": "Tenant of the event. Null: the service itself.",
    "data": (
        "Data of the event: for a lease event the fields of /lease-events; for an object what "
        "changed and, for admins, the author."
    ),
}
