"""What fields mean: what a DHCPv6 client would get, and why."""

MEANINGS = {
    "kind": "`na`: an address; `pd`: a prefix.",
    "iaid": "IAID of the association, chosen by the client.",
    "Association.address": "Requested address. Null: none.",
    "Association.prefix": "Requested prefix. Null: none.",
    "length": "Requested prefix length. Null: the client requests a certain prefix, or any length.",
    "Question6.message": "Message of the client.",
    "link_address": "Link-address from the relay agent, which selects the subnet.",
    "relay": "Where the relay sends from, which must be trusted. Null: from its link-address.",
    "duid": "DUID of the client in hex, 3 to 130 octets.",
    "mac": "Hardware address from the relay agent (RFC 6939). Null: none.",
    "interface_id": "Interface-Id from the relay agent. Null: none.",
    "vendor_enterprise": "Enterprise number of the client's vendor class (option 16).",
    "vendor_class": "Vendor class (option 16) that the client sends. Null: none.",
    "user_class": "User class (option 15) that the client sends. Null: none.",
    "Question6.associations": "Identity associations of the message: at most eight, which differ in kind or iaid.",
    "requested_options": "Requested option codes (option 6).",
    "id": "The object.",
    "cidr": "The network.",
    "name": "Name of the object.",
    "tenant_id": "Tenant of the object.",
    "dhcp_enabled": "Whether the server answers clients in the subnet.",
    "ip": "Address of the reservation. Null: none.",
    "prefix": "Prefix of the reservation. Null: none.",
    "ExplainedReservation6.excluded_prefix": (
        "Part of the reserved prefix that is excluded from delegation (RFC 6603). Null: none."
    ),
    "ExplainedBinding.excluded_prefix": (
        "Part of the prefix that is excluded from delegation (RFC 6603); the answer contains it if "
        "requested_options includes 67. Null: none."
    ),
    "hostname": "Hostname of the reservation. Null: none.",
    "address": "An address, or a prefix with its length.",
    "preferred_lifetime_seconds": "Preferred lifetime in seconds; 0: the client must stop using it.",
    "valid_lifetime_seconds": "Valid lifetime in seconds; 0: the client must stop using it.",
    "pool_id": "Pool that contains it. Null: none.",
    "t1": "Seconds after which the client renews.",
    "t2": "Seconds after which the client rebinds.",
    "bindings": "Addresses or prefixes of the association.",
    "ExplainedAssociation.status": (
        "Reason why the association gets nothing (RFC 8415 section 21.13). Null: it gets something."
    ),
    "code": "Code of the option.",
    "text": "Value of the option in readable form.",
    "hex": "Value of the option as sent.",
    "outcome": "Type of the server's answer; `dropped`: no answer.",
    "drop_reason": "Reason for no answer, as named in the metrics. Null: there is an answer.",
    "reason": "The reason as a sentence.",
    "status": "Status code of the whole message (RFC 8415 section 21.13). Null: none.",
    "relay_trusted": "Whether the server accepts packets of the relay agent.",
    "trusted_relay_id": (
        "Trusted relay entry that contains the relay agent. Null: a network of the server's setting, or none."
    ),
    "tenant": "Tenant of the client. Null: unknown, or not visible to this token.",
    "subnet": "Selected subnet. Null: none.",
    "classes": "All classes of the tenant, and whether the client is in each.",
    "reservation": "Reservation of the client. Null: none.",
    "leases": "All leases of the client.",
    "associations": "Answer for each association of the client.",
    "options": "Options of the answer, in order.",
    "notes": "Notes on the result, such as options that did not fit.",
}
