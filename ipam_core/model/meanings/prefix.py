"""What fields mean: planned space."""

MEANINGS = {
    "cidr": (
        "The network, without host bits. Those of one tenant do not overlap; it changes only while all its subnets "
        "fit."
    ),
}
