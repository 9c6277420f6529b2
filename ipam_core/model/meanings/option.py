"""What fields mean: dHCP options."""

MEANINGS = {
    "code": "Code of the option. Codes that only the server's own logic may send are refused.",
    "payload": (
        'The value, in the shape of the code\'s kind: {"addresses": [...]}, {"string": "..."}, {"value": n}, '
        '{"values": [...]}, {"flag": true}, {"names": [...]}, {"routes": [...]}, {"suboptions": [...]}, or {"hex": '
        '"..."} for any code. One that does not fit is refused with the shape that does.'
    ),
    "family": "4 for DHCPv4, 6 for DHCPv6. Left out or null: the subnet's, else 4.",
    "Option.family": "4 for DHCPv4, 6 for DHCPv6.",
    "vendor_class": (
        "Only for clients whose option 60 begins with it; of options 124, 125 and DHCPv6's 17 a number is an "
        "enterprise number that the client names. Null: for everybody."
    ),
    "always_send": (
        "True: it is sent to clients that did not ask for it too, unless its RFC lets it only answer: 108 and 159, and "
        "82 and 83 of DHCPv6, are sent on request; 116 and 145 to clients that sent the same option."
    ),
    "never_send": "True: it is withheld here, although a wider scope has it; the payload then counts for nothing.",
    "warnings": (
        "What clients will miss by it, in sentences: routes (121, 249) that take the gateway away, because none of "
        "them is for 0.0.0.0/0 (RFC 3442)."
    ),
    "subnet_id": "The subnet that it is stored at. Null: it is stored at another scope.",
    "pool_id": "The pool that it is stored at, which wins over the subnet. Null: it is stored at another scope.",
    "class_id": (
        "The client class that it is stored at, which wins over pool and subnet. Null: it is stored at another "
        "scope."
    ),
    "reservation_id": (
        "The reservation that it is stored at, which wins over all others. Null: it is stored at another scope."
    ),
}
