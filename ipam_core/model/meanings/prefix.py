"""What fields mean: planned space."""

MEANINGS = {
    "cidr": (
        "The network, without host bits. Those of one tenant do not overlap; it changes only while all its subnets "
        "fit."
    ),
    "utilisation": "Share of it that lies in subnets, 0 to 1.",
}
