"""What fields mean: secondaries of a zone."""

MEANINGS = {
    "dns_server_id": "The DNS server that is the secondary.",
    "name": "Name of the DNS server.",
    "address": "Address or host name of the DNS server.",
    "port": "Port to which NOTIFY messages are sent.",
    "state": (
        "`current`, `behind`, `ahead` (its serial is later and from another primary, so it does not "
        "follow), `unknown` (it has not asked yet) or `not_served` (this service does not serve the zone)."
    ),
    "serial": "Serial that the secondary reported last. Null: it has reported none.",
    "zone_serial": "Serial of the zone as it is served. Null: the zone is not served.",
    "serials_behind": "Number of serials that the secondary is behind. Null: unknown.",
    "behind_since": "Time since which the secondary is behind. Null: it is not behind, or that is unknown.",
    "seen_at": "When the secondary last reported its serial. Null: never.",
    "last_refusal": "Last refusal, by the secondary or by this server. Null: none.",
    "zone_id": "The zone.",
    "zone": "Name of the zone.",
    "last_refusal_at": "When the last refusal happened. Null: none.",
}
