"""What fields mean: what wants a person."""

MEANINGS = {
    "unknown_relays": (
        "Relay agents that are not trusted, as in /trusted-relays/unknown. Empty for a token of one tenant."
    ),
    "ddns_conflicts": "DNS updates whose name belongs to another host, as in /ddns-updates.",
    "dead_deliveries": "Webhook deliveries that failed for good, as in /deliveries.",
    "lagging_secondaries": (
        "The first 100 secondaries that do not follow their zone: behind for five minutes, ahead, or refused."
    ),
    "declined_leases": "Addresses that a client found in use, as in /leases.",
}
