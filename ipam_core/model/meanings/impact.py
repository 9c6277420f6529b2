"""What fields mean: what a change would do beside what it says."""

MEANINGS = {
    "count": "How many there are.",
    "items": "The first hundred of them.",
    "leases": "Active leases that would be refused at their next renewal, and are renewed now.",
    "reservations": "Reservations that would be deleted.",
    "records": "DNS records that would be deleted, or withdrawn because what they follow falls.",
    "RefusedLease.ip": "Address, or the first of the prefix, that is leased.",
    "FallenReservation.ip": "Address that is reserved. Null: none.",
    "duid": "DHCPv6 identity of the client, octets in hexadecimal. Null: none is known.",
    "expires_at": "When the lease ends if it is not renewed (RFC 3339). Null: never.",
    "prefix_length": "Length of the prefix that is leased: 32 or 128 of an address.",
    "reason": "Why the server would refuse it.",
    "FallenRecord.name": "Name in full.",
    "FallenRecord.type": "Type, such as A.",
    "FallenRecord.data": "What it says, such as an address.",
    "FallenRecord.source": "static, or what it follows: lease, assignment, reservation.",
    "status": "HTTP status that the request would have been answered with.",
    "body": "What it would have been answered. Null: nothing.",
    "impact": "What it would do beside what it says.",
}
