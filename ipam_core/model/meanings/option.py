"""What fields mean: DHCP options."""

MEANINGS = {
    "code": "Code of the option. Codes that the server sets by itself are refused.",
    "payload": (
        'Value of the option, in the form of its kind: {"addresses": [...]}, {"string": "..."}, '
        '{"value": n}, {"values": [...]}, {"flag": true}, {"names": [...]}, {"routes": [...]}, '
        '{"suboptions": [...]}, or {"hex": "..."} for any code. If the value does not fit, the error '
        "shows the expected form."
    ),
    "family": "4 for DHCPv4, 6 for DHCPv6. Left out or null: the family of the subnet, else 4.",
    "Option.family": "4 for DHCPv4, 6 for DHCPv6.",
    "vendor_class": (
        "Only for clients whose option 60 begins with this text. For options 124, 125 and DHCPv6 17, "
        "a number is an enterprise number that the client sends. Null: for all clients."
    ),
    "always_send": (
        "True: the option is also sent to clients that did not request it. Options that only answer "
        "a client (RFC) are excepted: 108 and 159, and 82 and 83 of DHCPv6, are sent on request; 116 "
        "and 145 to clients that sent the same option."
    ),
    "never_send": (
        "True: the option is withheld here, although a wider scope has it. The payload is then ignored."
    ),
    "warnings": (
        "Effects on clients, as sentences: classless routes (121, 249) without a route for 0.0.0.0/0 "
        "remove the gateway (RFC 3442)."
    ),
    "subnet_id": "Subnet of the option. Null: the option has another scope.",
    "pool_id": (
        "Pool of the option, which takes precedence over the subnet. Null: the option has another scope."
    ),
    "class_id": (
        "Client class of the option, which takes precedence over pool and subnet. Null: the option "
        "has another scope."
    ),
    "reservation_id": (
        "Reservation of the option, which takes precedence over all other scopes. Null: the option "
        "has another scope."
    ),
}
