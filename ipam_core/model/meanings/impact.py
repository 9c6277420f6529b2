"""What fields mean: what a change would do beside what it says."""

MEANINGS = {
    "count": "Number of objects.",
    "items": "The first hundred objects.",
    "leases": "Active leases that the server would refuse at their next renewal.",
    "reservations": "Reservations that would be deleted.",
    "records": "DNS records that would be deleted or withdrawn because their source is deleted.",
    "RefusedLease.ip": "Leased address, or the first address of the prefix.",
    "FallenReservation.ip": "Reserved address. Null: none.",
    "duid": "DHCPv6 identity of the client, octets in hexadecimal. Null: unknown.",
    "expires_at": "When the lease expires if it is not renewed (RFC 3339). Null: never.",
    "prefix_length": "Length of the leased prefix; 32 or 128: an address.",
    "reason": "Reason for which the server would refuse the lease.",
    "FallenRecord.name": "Fully qualified name.",
    "FallenRecord.type": "Record type, such as A.",
    "FallenRecord.data": "Data of the record, such as an address.",
    "FallenRecord.source": "static, or the source of the record: lease, assignment, reservation.",
    "status": "HTTP status that the request would have.",
    "body": "Body that the request would be answered with. Null: none.",
    "impact": "Further effects of the request.",
}
