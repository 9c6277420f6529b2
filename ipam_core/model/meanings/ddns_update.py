"""What fields mean: updates of DNS."""

MEANINGS = {
    "tenant_id": "The tenant of the lease. Null: it has none any more.",
    "subnet_id": "The subnet of the lease. Null: it is gone.",
    "dns_server_id": "The DNS server that takes it. Null: the zones of this service do.",
    "action": "What is done with the records: add or remove them.",
    "ip": "The address that the records are of.",
    "fqdn": "The name in full: the host name, or an alias.",
    "target": "Name that the CNAME record of an alias points to. Null: the name has address records.",
    "forward_zone": "Zone of the A, AAAA or CNAME record. Null: none is written.",
    "reverse_zone": "Zone of the PTR record. Null: none is written.",
    "ttl": "TTL of the records in seconds. Null: of a removal.",
    "dhcid": "Whose the name is (RFC 4701), in base64. Null: nothing is checked.",
    "state": (
        "`pending`, `applied`, `retrying`, `failed`, `conflict` (somebody else owns the name) or `superseded` (a "
        "newer one replaced it)."
    ),
    "attempts": "How often it was tried.",
    "last_error": "Why the last attempt failed. Null: it did not.",
    "next_attempt_at": "When it will be tried next. Null: not at all.",
    "applied_at": "When the DNS server took it. Null: not yet.",
}
