"""What fields mean: leases."""

MEANINGS = {
    "tenant_id": "The tenant that the address belongs to. Null: it is gone.",
    "subnet_id": "The subnet that it was granted in. Null: it is gone.",
    "ip": "The address, or the first one of a delegated prefix.",
    "prefix_length": "Length of a delegated prefix; 32 or 128 is a single address.",
    "ia_type": (
        "Kind of DHCPv6 association: `na` an address, `pd` a prefix. Null: of IPv4, and of registered addresses."
    ),
    "state": (
        "`active`, `released`, `expired`, `revoked`, `declined` (in quarantine) or `registered` (RFC 9686: the "
        "client's own)."
    ),
    "mac": "Hardware address of the client. Null: it is not known.",
    "client_id": "Client identifier (option 61) in hex. Null: the client sent none.",
    "duid": "DUID of the client in hex (RFC 8415 section 11). Null: of IPv4.",
    "iaid": "Number of the association (RFC 8415 section 12). Null: of IPv4.",
    "hostname": "Host name that the client was given or sent. Null: none.",
    "relay": "Address of the relay that it was granted through. Null: the client is on a wire of the server.",
    "link_address": "Link-address that the relay said (RFC 8415 section 9). Null: of IPv4.",
    "next_hop": "Address of the client on that link, which a delegated prefix is routed to. Null: of IPv4.",
    "interface_id": "Interface-Id of that relay, as text or 0x octets. Null: it said none.",
    "circuit_id": "Circuit that the relay next to the client said, as text or 0x octets. Null: it said none.",
    "remote_id": "Remote id that a relay said, as text or 0x octets. Null: none did.",
    "relay_id": "DUID of the relay that has one, in hex. Null: none has.",
    "relay_info": (
        "All that relays said, in hex: option 82, or of DHCPv6 what RFC 5007 section 4.1.2.4 has. Null: nothing."
    ),
    "vendor_class": (
        "What the client called itself (option 60; DHCPv6 16). Null: nothing, or lease_device_details is off."
    ),
    "parameter_list": (
        "Codes of the options that it asked for, in its order. Null: none, or lease_device_details is off."
    ),
    "accepts_reconfigure": "Whether the DHCPv6 client may be told to ask anew. Null: of IPv4.",
    "preferred_lifetime_seconds": "DHCPv6: seconds for which the address was preferred. Null: of IPv4.",
    "granted_at": "When this client first got it.",
    "renewed_at": "When it was granted or renewed last.",
    "expires_at": "When it ends. Null: never.",
    "ReserveLease.hostname": "Host name of the reservation. Null or left out: the lease's.",
    "message": (
        "What the client is told to do: `renew` what it has, `rebind` it with any server, or ask for its options "
        "(`information_request`)."
    ),
    "lease_id": "The lease of the client.",
    "replay": "Number by which the client tells the message from an older one.",
}
