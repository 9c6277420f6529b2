"""What fields mean: planned space."""

MEANINGS = {
    "cidr": (
        "Network without host bits. Prefixes of one tenant do not overlap. It can be changed only to "
        "a network that contains all its subnets."
    ),
    "utilisation": "Share of the prefix that lies in subnets, 0 to 1.",
}
