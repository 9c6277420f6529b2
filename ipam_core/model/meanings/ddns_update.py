"""What fields mean: updates of DNS."""

MEANINGS = {
    "tenant_id": "Tenant of the lease. Null: the tenant is deleted.",
    "subnet_id": "Subnet of the lease. Null: the subnet is deleted.",
    "dns_server_id": "DNS server that receives the update. Null: the zones of this service.",
    "action": "Change of the records: `add` or `remove`.",
    "ip": "Address that the records belong to.",
    "fqdn": "Fully qualified name: the hostname, or an alias.",
    "target": "Target of the alias's CNAME record. Null: the name has address records.",
    "forward_zone": "Zone of the A, AAAA or CNAME record. Null: none is written.",
    "reverse_zone": "Zone of the PTR record. Null: none is written.",
    "ttl": "TTL of the records in seconds. Null: for a removal.",
    "dhcid": "Owner of the name (RFC 4701), in base64. Null: ownership is not checked.",
    "state": (
        "`pending`, `applied`, `partial` (the PTR record was written, and no zone here has the name), `retrying`, "
        "`failed`, `conflict` (the name has another owner) or `superseded` (a newer update replaced it)."
    ),
    "attempts": "Number of attempts.",
    "last_error": "Reason why the last attempt failed. Null: it did not fail.",
    "next_attempt_at": "Time of the next attempt. Null: there will be none.",
    "applied_at": "When the DNS server accepted the update. Null: not yet.",
}
