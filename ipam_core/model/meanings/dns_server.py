"""What fields mean: dNS servers of others."""

MEANINGS = {
    "name": "What people call it, unique in the tenant.",
    "DnsServerTestStep.name": "What was tried.",
    "adapter": (
        "How it takes updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http` (its "
        "API), `embedded` (zones of this service)."
    ),
    "address": (
        "Address or host name that updates are sent to; a name for `ad_gsstsig`, because a ticket is for one. Null: "
        "of adapters that need none."
    ),
    "port": "Port of updates. Null: 53.",
    "url": "Of `powerdns_http`: the address of the API, without credentials in it. Null: of other adapters.",
    "server_id": "Of `powerdns_http`: the server's id in the API. Null: localhost.",
    "key_name": "Name of the TSIG key. Null: updates are not signed by TSIG.",
    "key_algorithm": "Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256.",
    "principal": "Of `ad_gsstsig`: who updates, such as svc-dhcp@EXAMPLE.NET. Null: who the ticket cache is of.",
    "realm": "Of `ad_gsstsig`: the Kerberos realm. Null: that of the principal.",
    "keytab": (
        "Of `ad_gsstsig`: absolute path of the principal's keytab on each machine that sends updates. Null: another "
        "source of keys."
    ),
    "ticket_cache": (
        "Of `ad_gsstsig`: a ticket cache that somebody else keeps fresh, on each machine that sends updates. Null: "
        "another source of keys."
    ),
    "secret": (
        "TSIG key in base64, API key, or the principal's password; it is stored sealed and never shown. Left out it "
        "stays; null takes it away."
    ),
    "has_secret": "Whether a secret is stored.",
    "ok": "Whether it went well.",
    "steps": "What was tried, in order.",
    "takes_dhcid": "Whether the server knows DHCID records (RFC 4701). Null: it was not asked.",
    "detail": "What came of it, in words.",
}
