"""What fields mean: what wants a person."""

MEANINGS = {
    "unknown_relays": (
        "Relays that nobody trusts, as /trusted-relays/unknown lists them. Empty to a token of one tenant."
    ),
    "ddns_conflicts": "Updates of names that another host has, as /ddns-updates lists them.",
    "dead_deliveries": "Messages to webhooks that were given up, as /deliveries lists them.",
    "declined_leases": "Addresses that a client found in use, as /leases lists them.",
}
