"""What fields mean: networks and how clients in them are served."""

MEANINGS = {
    "prefix_id": "Prefix that contains the subnet. It cannot be changed.",
    "cidr": (
        "Network without host bits, inside its prefix, that contains the relay agent's or server's "
        "address. Subnets of a tenant do not overlap. It can be changed only while pools, "
        "exclusions, reservations and static assignments fit."
    ),
    "prefix_length": (
        "Prefix length of the new subnet, such as 26. The first free network of that size is used."
    ),
    "gateway_at": (
        "Place of the gateway in the new subnet: its first or its last host address. Null: the address in "
        "`gateway`."
    ),
    "name": "Name of the subnet. The search matches its beginning.",
    "vlan_id": "IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: unknown.",
    "site": (
        "Where the network is, in your own words; lists filter by the whole text, the search finds its beginning. "
        "Empty: nowhere in particular."
    ),
    "gateway": (
        "Router of the clients (option 3); no client gets its address. A stored option 3 takes "
        "precedence. Null: none."
    ),
    "shared_network": (
        "Name of the link. Subnets with the same name share a link, and a client may get an address "
        "from any of them. Null: the subnet has its own link."
    ),
    "relay_addresses": (
        "Addresses of relay agents (giaddr, or link-address in DHCPv6) that select this subnet "
        "although it does not contain them. If several subnets have the same link-local address, the "
        "one that also lists the relay agent's source address is selected. Only admins without a "
        "tenant may set it."
    ),
    "interface": (
        "Name of a server's interface on which the subnet is served although the interface has no "
        "address in it. Null: selected by address alone. Only admins without a tenant may set it."
    ),
    "interface_id": (
        "Interface-Id from the relay agent (RFC 8415 section 21.18) that selects this subnet among "
        "those with the same link-address, as text or 0x octets. Null: any."
    ),
    "dhcp_enabled": (
        "False: the server answers no client here, not even clients with reservations. For networks "
        "without DHCP."
    ),
    "authoritative": (
        "True: an unknown client that requests a certain address (REBINDING, INIT-REBOOT) gets a NAK "
        "and starts again. False: no answer, for networks with another DHCP server."
    ),
    "lease_time_seconds": (
        "Lease time (valid lifetime) in seconds (option 51), if the client does not request another "
        "within the limits below. At most 2147483647, or 4294967295: infinite. The same applies to "
        "the other lifetimes."
    ),
    "min_lease_time_seconds": (
        "Shortest lease time in seconds that a client may request. Null: requests do not shorten "
        "lease_time_seconds."
    ),
    "max_lease_time_seconds": (
        "Longest lease time in seconds that a client may request. Null: requests do not extend "
        "lease_time_seconds."
    ),
    "renew_time_seconds": (
        "T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5). Null: "
        "half of the lease time; in DHCPv6 half of the shortest preferred lifetime."
    ),
    "rebind_time_seconds": (
        "T2: seconds after which a client rebinds with any server (RFC 2131 section 4.4.5). Null: "
        "0.875 of the lease time; in DHCPv6 0.8 of the shortest preferred lifetime."
    ),
    "preferred_lifetime_seconds": (
        "DHCPv6: preferred lifetime of addresses in seconds (RFC 8415 section 21.6). Null: five "
        "eighths of the valid lifetime."
    ),
    "ntp_servers": (
        "Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option with "
        "that code takes precedence."
    ),
    "match_client_id": (
        "True: option 61 identifies leases, so that several systems with one MAC address have a "
        "lease each. False: the MAC address identifies them."
    ),
    "decline_quarantine_seconds": (
        "Quarantine in seconds of an address that a client declined or that answered a ping. 0: none."
    ),
    "ping_check": (
        "True: the server pings a new IPv4 address before it offers it, which delays the offer by "
        "the wait for an answer."
    ),
    "rapid_commit": (
        "True: clients that request it get a lease in two messages instead of four (RFC 4039; RFC "
        "8415 section 18.2.1)."
    ),
    "address_registration": (
        "True: DHCPv6 clients learn that they may register their own addresses (RFC 9686, option 148)."
    ),
    "cache_threshold": (
        "Share of a lease, from its beginning, in which a renewal is answered with the remaining "
        "time and not written. 0: every renewal is written."
    ),
    "reuse_margin_seconds": "Grace period in seconds after a lease expires, before another client can get its address.",
    "ddns_enabled": "True: leases create DNS records.",
    "ddns_adapter": (
        "Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), "
        "`powerdns_http` (its API), `embedded` (zones of this service). Null: the protocol of the "
        "DNS server."
    ),
    "ddns_dns_server_id": "DNS server that receives the updates. Null: the server of the zone.",
    "ddns_forward_zone": "Zone of A and AAAA records. Null: the closest zone of the tenant that contains the name.",
    "ddns_reverse_zone": "Zone of PTR records. Null: the closest zone of the tenant that contains the address.",
    "ddns_domain": (
        "Domain of the clients' names: a client gets one label below it, whatever name it sends. "
        "Null: the forward zone; without both, clients get no name."
    ),
    "ddns_client_domains": (
        "Further domains in which clients may choose their name: a client that sends "
        "host.lab.example.net keeps it if lab.example.net is listed."
    ),
    "ddns_ttl": "TTL of the records in seconds. Null: a third of the lease time, at least 600.",
    "ddns_override_no_update": (
        "True: records are created even if the client requests none (flag N of options 81 and 39)."
    ),
    "ddns_override_client_update": (
        "True: the server creates the forward record even if the client intends to (option 81, flag S clear)."
    ),
    "ddns_replace_client_name": (
        "When a generated name replaces the client's own: `never`, `always`, `when_present`, or "
        "`when_not_present` for clients that send none."
    ),
    "ddns_generated_prefix": "First part of generated names: `host` generates host-10-0-0-7.",
    "ddns_conflict_mode": (
        "Names that an update may overwrite, by their DHCID records (RFC 4701, RFC 4703). "
        "`check_dhcid`: only the client's own. `check_exists_dhcid`: any name with a DHCID record. "
        "The other two check none, and write a DHCID record or not."
    ),
    "utilisation": "Share of the addresses in use when leases were last counted, 0 to 1. Null: not counted yet.",
    "as_of": "When leases were counted for `utilisation`. Null: not yet.",
}
