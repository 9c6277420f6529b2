"""What fields mean: DNS servers of others."""

MEANINGS = {
    "name": "Name of the server, unique in the tenant.",
    "DnsServerTestStep.name": "Name of the step.",
    "adapter": (
        "Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), "
        "`powerdns_http` (its API), `embedded` (zones of this service)."
    ),
    "address": (
        "Address or hostname that updates are sent to. `ad_gsstsig` needs a hostname, because a "
        "Kerberos ticket names a host. Null: the adapter needs none."
    ),
    "port": "Port of updates. Null: 53.",
    "url": "For `powerdns_http`: URL of the API, without credentials. Null: for other adapters.",
    "server_id": "For `powerdns_http`: the server's id in the API. Null: localhost.",
    "key_name": "Name of the TSIG key. Null: updates are not signed by TSIG.",
    "key_algorithm": "Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256.",
    "principal": (
        "For `ad_gsstsig`: the principal that sends updates, such as svc-dhcp@EXAMPLE.NET. Null: the "
        "principal of the ticket cache."
    ),
    "realm": "For `ad_gsstsig`: the Kerberos realm. Null: the realm of the principal.",
    "keytab": (
        "For `ad_gsstsig`: absolute path of the principal's keytab on each host that sends updates. "
        "Null: keys have another source."
    ),
    "ticket_cache": (
        "For `ad_gsstsig`: ticket cache on each host that sends updates; another program renews its "
        "tickets. Null: keys have another source."
    ),
    "secret": (
        "TSIG key in base64, API key, or the principal's password. It is stored encrypted and never "
        "shown. Left out: the stored secret is kept. Null: it is deleted."
    ),
    "has_secret": "Whether a secret is stored.",
    "ok": "Whether the step succeeded.",
    "steps": "Steps of the test, in order.",
    "takes_dhcid": "Whether the server supports DHCID records (RFC 4701). Null: the test did not get that far.",
    "detail": "Result of the step, as a sentence.",
}
