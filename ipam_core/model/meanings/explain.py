"""What fields mean: what a client would get, and why."""

MEANINGS = {
    "Question.message": (
        "Message of the client: `discover`, `request` after an offer, `init_reboot` after a restart, "
        "`renew` or `rebind`."
    ),
    "ciaddr": "The client's address in `renew` and `rebind`. Null: for other messages.",
    "Question.relay": (
        "Address of the relay agent (giaddr) that forwards the packet. Null: the packet arrives at "
        "`interface`."
    ),
    "interface": (
        "Name or address of the server's interface that receives the packet. Null: the packet comes "
        "from `relay`."
    ),
    "client_id": "Client identifier (option 61) in hex. Null: it sends none.",
    "Question.hostname": "Hostname (option 12) that the client sends. Null: none.",
    "vendor_class": "Vendor class (option 60) that the client sends. Null: none.",
    "user_class": "User class (option 77) that the client sends. Null: none.",
    "Question.mac": "Hardware address of the client (chaddr). Null: none.",
    "circuit_id": "Circuit ID from the relay agent (option 82.1). Null: none.",
    "remote_id": "Remote ID from the relay agent (option 82.2). Null: none.",
    "link_selection": "Address that chooses the subnet instead of giaddr (option 82.5). Null: none.",
    "requested_ip": "Requested address (option 50). Null: none.",
    "requested_options": "Requested option codes (option 55).",
    "Question.options": "Further options of the packet, which have no field here.",
    "code": "Code of the option.",
    "payload": "Value of the option, in the form of a stored option.",
    "ExplainedRelay.address": "Address of the relay agent.",
    "trusted": (
        "Whether the server accepts packets of the relay agent. For a token of one tenant, false for "
        "relay agents of other tenants."
    ),
    "trusted_relay_id": (
        "Trusted relay entry that contains the relay agent. Null: a network of the server's setting, "
        "or not trusted."
    ),
    "source": "Source address of the relay agent's packets. Null: one that its entry permits.",
    "tenant": "Tenant of the client. Null: unknown, or not visible to this token.",
    "ExplainedTenant.id": "The tenant.",
    "ExplainedTenant.name": "Its name.",
    "ExplainedTenant.chosen_by": (
        "Rule that selected the tenant: the relay's entry, a virtual network that the relay or the "
        "client names, the link, a lease of the client's source address, or a link that reaches "
        "its subnet. Otherwise: none."
    ),
    "ExplainedTenant.reason": "The reason as a sentence.",
    "id": "The object.",
    "cidr": "The network.",
    "name": "Name of the object.",
    "tenant_id": "Tenant of the object.",
    "dhcp_enabled": "Whether the server answers clients in the subnet.",
    "chosen_by": "Field that led to this subnet.",
    "condition": "Place of the condition in the class, such as match.all[1].",
    "asks": "Value of the field.",
    "seen": ("Value that was compared, as text or 0x octets. Null: neither client nor relay agent sent one."),
    "holds": "Whether this condition matches, by itself.",
    "matched": "Whether the client is in the class.",
    "deny": "Whether the server refuses clients of the class.",
    "made": "For a template: the class that the client's value creates, NAME:VALUE. Null: none.",
    "decided_by": "Condition that decided: the first that fails, else the last that matches.",
    "ip": "Address of the reservation. Null: none.",
    "hostname": "Hostname of the reservation. Null: none.",
    "state": "State of the lease.",
    "expires_at": "When the lease expires. Null: never.",
    "start_ip": "First address of the pool.",
    "end_ip": "Last address of the pool.",
    "Scope.type": "Where the option is stored; `protocol`: the server fills it in itself.",
    "Scope.id": "Id of the object that the option is stored at. Null: none.",
    "Scope.name": "Name of that object. Null: none.",
    "text": "Value of the option in readable form.",
    "hex": "Value of the option as sent.",
    "scope": "Where it comes from.",
    "outcome": "Type of the server's answer; `dropped`: no answer.",
    "drop_reason": "Reason for no answer, as named in the metrics. Null: there is an answer.",
    "reason": "The reason as a sentence.",
    "relay": "The relay agent. Null: the packet arrives at an interface.",
    "subnet": "Selected subnet. Null: none.",
    "classes": "All classes of the tenant, and whether the client is in each.",
    "reservation": "Reservation of the client. Null: none.",
    "leases": "Leases of the client.",
    "address": "Address that the client would get. Null: none.",
    "address_from": "Reason for this address. Null: there is none.",
    "pool": "Pool that contains the address. Null: none.",
    "next_server": "Next server in the answer. Null: none.",
    "server_name": "Boot server name in the answer. Null: none.",
    "boot_file": "Boot file in the answer. Null: none.",
    "options": "Options of the answer, in order.",
    "notes": "Notes on the result, such as facts that the question leaves open.",
}
