"""What fields mean: leases."""

MEANINGS = {
    "tenant_id": "Tenant of the address. Null: the tenant is deleted.",
    "subnet_id": "Subnet that the lease was granted in. Null: the subnet is deleted.",
    "ip": "The address, or the first one of a delegated prefix.",
    "prefix_length": "Length of a delegated prefix; 32 or 128: a single address.",
    "ia_type": (
        "Kind of DHCPv6 association: `na` an address, `pd` a prefix. Null: for IPv4 and for "
        "registered addresses."
    ),
    "state": (
        "`active`, `released`, `expired`, `revoked`, `declined` (in quarantine) or `registered` (RFC "
        "9686: the client chose the address)."
    ),
    "mac": "Hardware address of the client. Null: unknown.",
    "client_id": "Client identifier (option 61) in hex. Null: the client sent none.",
    "duid": "DUID of the client in hex (RFC 8415 section 11). Null: for IPv4.",
    "iaid": "IAID of the association (RFC 8415 section 12). Null: for IPv4.",
    "hostname": "Hostname that the client was given or sent. Null: none.",
    "relay": "Address of the relay agent. Null: the client is on a link of the server.",
    "link_address": "Link-address from the relay agent (RFC 8415 section 9). Null: for IPv4.",
    "next_hop": "Address of the client on that link: the next hop of a delegated prefix. Null: for IPv4.",
    "interface_id": "Interface-Id from that relay agent, as text or 0x octets. Null: none.",
    "circuit_id": "Circuit ID from the relay agent nearest to the client, as text or 0x octets. Null: none.",
    "remote_id": "Remote ID from a relay agent, as text or 0x octets. Null: none.",
    "relay_id": "DUID of the relay agent, in hex. Null: none.",
    "relay_info": (
        "All data from relay agents, in hex: option 82, or for DHCPv6 the data of RFC 5007 section "
        "4.1.2.4. Null: none."
    ),
    "vendor_class": (
        "Vendor class of the client (option 60; DHCPv6 16). Null: none, or lease_device_details is off."
    ),
    "parameter_list": (
        "Requested option codes, in the client's order. Null: none, or lease_device_details is off."
    ),
    "user_class": "User classes of the client (option 77; DHCPv6 15). Null: none, or not stored.",
    "architecture": "System architectures of the client (option 93; DHCPv6 61; RFC 4578). Null: none, or not stored.",
    "accepts_reconfigure": "Whether the DHCPv6 client accepts Reconfigure messages. Null: for IPv4.",
    "preferred_lifetime_seconds": "DHCPv6: preferred lifetime in seconds. Null: for IPv4.",
    "granted_at": "When this client was first granted the lease.",
    "renewed_at": "When the lease was last granted or renewed.",
    "expires_at": "When the lease expires unless the client renews it; of an ended lease, its end. Null: never.",
    "ended_at": "When the lease actually ended; `state` is how. Null: it has not ended.",
    "quarantined_until": "Until when a declined address is offered to nobody. Null: it is not in quarantine.",
    "ReserveLease.hostname": "Hostname of the reservation. Null or left out: that of the lease.",
    "message": (
        "Action that the client is asked for: `renew` its leases, `rebind` them with any server, or "
        "request its options (`information_request`)."
    ),
    "lease_id": "Lease of the client.",
    "replay": "Number by which the client recognizes a newer message.",
}
