"""What fields mean: the DUID of the DHCPv6 servers."""

MEANINGS = {
    "duid": "DUID under which all DHCPv6 servers of the database answer, in hex (RFC 8415 section 11).",
    "ServerDuidChange.duid": (
        "DUID under which all DHCPv6 servers answer from now on, 3 to 130 octets in hex: that of the server whose "
        "clients they serve on. Null: the one that is derived from the database's key."
    ),
    "is_set": "Whether an admin has set it. False: it is derived from the database's key.",
}
