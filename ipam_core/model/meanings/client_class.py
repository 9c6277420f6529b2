"""What fields mean: classes of clients."""

MEANINGS = {
    "name": "What conditions and people call it, unique in the tenant.",
    "priority": (
        "Which class counts first: lower before higher. The first of a client's classes that has an option gives "
        "it."
    ),
    "vendor_class": "Matches where the client's option 60 (DHCPv6 16) begins with it. Null: not asked for.",
    "user_class": "Matches where the client's option 77 (DHCPv6 15) is exactly it. Null: not asked for.",
    "mac_prefix": "Matches hardware addresses that begin with these one to six octets. Null: not asked for.",
    "locally_administered": (
        "Matches hardware addresses that were made up, as private ones are (true), or that a vendor gave (false). "
        "Null: not asked for."
    ),
    "known": "Matches clients that have a reservation (true), or none (false). Null: not asked for.",
    "match": (
        'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such as {"option": 93, '
        '"in": [7, 9]}, at most 64. Null: not asked for.'
    ),
    "template": "True: each value that the one leaf of `match` reads makes a class of its own, NAME:VALUE.",
    "deny": "True: clients of this class are not answered.",
    "ClassValue.name": "The class that the value makes, NAME:VALUE.",
    "value": "What the clients brought, as text or 0x octets.",
    "packets": "Packets with this value that were decided, on all servers.",
    "first_seen_at": "When it was seen first.",
    "last_seen_at": "When it was seen last; of more than 1,024 values the one not seen for longest goes.",
}
