"""What fields mean: the DUID of the DHCPv6 servers."""

MEANINGS = {
    "duid": "DUID of all DHCPv6 servers on this database, in hex (RFC 8415 section 11).",
    "ServerDuidChange.duid": (
        "New DUID of all DHCPv6 servers, 3 to 130 octets in hex: that of the server whose clients "
        "they take over. Null: the DUID that is derived from the database's key."
    ),
    "is_set": "Whether an admin has set the DUID. False: it is derived from the database's key.",
}
