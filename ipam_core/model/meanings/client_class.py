"""What fields mean: classes of clients."""

MEANINGS = {
    "name": "Name of the class, unique in the tenant. Conditions refer to it.",
    "priority": (
        "Precedence of the class: lower numbers first. If several classes of a client have an "
        "option, the first class applies."
    ),
    "vendor_class": "Matches if the client's option 60 (DHCPv6 16) begins with this text. Null: not compared.",
    "user_class": "Matches if the client's option 77 (DHCPv6 15) is equal to this text. Null: not compared.",
    "mac_prefix": "Matches hardware addresses that begin with these one to six octets. Null: not compared.",
    "locally_administered": (
        "Matches locally administered hardware addresses, as private addresses are (true), or "
        "addresses from a vendor (false). Null: not compared."
    ),
    "known": "Matches clients with a reservation (true) or without one (false). Null: not compared.",
    "match": (
        'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such as '
        '{"option": 93, "in": [7, 9]}, at most 64. Null: not compared.'
    ),
    "template": "True: a template. Each value that the one leaf of `match` reads creates a class, NAME:VALUE.",
    "deny": "True: the server does not answer clients of this class.",
    "ClassValue.name": "Class that the value creates, NAME:VALUE.",
    "value": "Value that the clients sent, as text or 0x octets.",
    "packets": "Number of packets with this value, on all servers.",
    "first_seen_at": "When a server first saw the value.",
    "last_seen_at": "When a server last saw the value. The server keeps the 1,024 most recent values.",
}
