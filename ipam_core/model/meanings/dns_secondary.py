"""What fields mean: secondaries of a zone."""

MEANINGS = {
    "dns_server_id": "The DNS server that is the secondary.",
    "name": "Name of the DNS server.",
    "address": "Address or host name of the DNS server.",
    "port": "Port to which NOTIFY messages are sent.",
    "state": "current: it has the zone's serial. behind: it lacks some. ahead: its serial is from elsewhere and later "
    "(RFC 1982), so it does not follow. unknown: it has not asked yet. not_served: the zone is not served here.",
    "serial": "The serial that the secondary reported last. Null: it has reported none.",
    "zone_serial": "The serial of the zone as it is served. Null: it is not served here.",
    "serials_behind": "How many serials the secondary lacks. Null: unknown.",
    "behind_since": "Since when the secondary has lacked serials. Null: it lacks none, or that is unknown.",
    "seen_at": "When the secondary reported its serial last. Null: never.",
    "last_refusal": "What the secondary, or this server, refused last. Null: nothing.",
    "last_refusal_at": "When that was. Null: nothing was refused.",
}
