"""What fields mean: definitions of an organisation's own options."""

MEANINGS = {
    "code": "Code of the option, or of the sub-option in its vendor space.",
    "name": "Name of the option, unique in its family and space.",
    "kind": "Type of the data, such as `ipv4`, `uint16`, `string` or `binary`.",
    "array": "True: the data is a list of values of the kind.",
    "family": "4 for DHCPv4, 6 for DHCPv6.",
    "vendor_space": (
        "Vendor space of a sub-option: the vendor class of option 43, or an enterprise number "
        "(option 125; DHCPv6 17). Null: an option by itself."
    ),
}
