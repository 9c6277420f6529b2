"""What fields mean: definitions of an organisation's own options."""

MEANINGS = {
    "code": "Code of the option, or of the sub-option in its vendor's space.",
    "name": "What people call it, unique in its family and space.",
    "kind": "How its data is laid out, such as `ipv4`, `uint16`, `string` or `binary`.",
    "array": "True: its data is a list of values of the kind.",
    "family": "4 for DHCPv4, 6 for DHCPv6.",
    "vendor_space": (
        "Whose sub-option it is: the vendor class of option 43, or an enterprise number (option 125; DHCPv6's 17). "
        "Null: it is an option itself."
    ),
}
