"""What fields mean: networks and how clients in them are served."""

MEANINGS = {
    "prefix_id": "The prefix that it lies in. It never changes.",
    "cidr": (
        "The layer-3 network that the relay's or the server's address lies in, without host bits; inside its "
        "prefix, apart from the tenant's other subnets. It changes only while pools, excludes, reservations and "
        "assignments fit."
    ),
    "prefix_length": (
        "How large: the length of the subnet's CIDR, such as 26. The first free network of that size is taken."
    ),
    "gateway_at": (
        "Where the gateway of the network that is found stands: at its first or its last address for hosts. Null: as "
        "`gateway` says."
    ),
    "name": "What people call it; the search finds it by its beginning.",
    "vlan_id": "IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: none is known.",
    "site": (
        "Where the network is, in your own words; lists filter by the whole text, the search finds its beginning. "
        "Empty: nowhere in particular."
    ),
    "gateway": (
        "The router that clients are given (option 3); nobody else gets its address. A stored option 3 wins. Null: "
        "none."
    ),
    "shared_network": (
        "Subnets of one wire bear the same name here: a client may get an address from any of them. Null: the "
        "subnet has its wire alone."
    ),
    "relay_addresses": (
        "Addresses of relays (giaddr, or link-address in DHCPv6) that choose this subnet although it does not "
        "contain them. Of several subnets with the same link-local one that is chosen which also names the address "
        "that the relay sends from. Admins without a tenant only."
    ),
    "interface": (
        "Name of a server's interface on which the subnet is served although no address there lies in it. Null: "
        "chosen by address alone. Admins without a tenant only."
    ),
    "interface_id": (
        "Interface-Id of the relay (RFC 8415 section 21.18) that chooses this subnet among those of one link- "
        "address, as text or 0x octets. Null: any."
    ),
    "dhcp_enabled": "False: nobody is answered here, reservations included; for networks without DHCP.",
    "authoritative": (
        "True: an unknown client that names an address (REBINDING, INIT-REBOOT) gets a NAK and starts anew. False: "
        "silence, for networks with another server."
    ),
    "lease_time_seconds": (
        "Valid lifetime of leases in seconds (option 51), if the client does not ask for another within the bounds "
        "below. At most 2147483647, or 4294967295: infinite; so are the other lifetimes."
    ),
    "min_lease_time_seconds": (
        "Shortest lifetime in seconds that a client may ask for. Null: what it asks for does not make it shorter "
        "than lease_time_seconds."
    ),
    "max_lease_time_seconds": (
        "Longest lifetime in seconds that a client may ask for. Null: what it asks for does not make it longer than "
        "lease_time_seconds."
    ),
    "renew_time_seconds": (
        "T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5). Null: half of the lease, "
        "in DHCPv6 half of the shortest preferred lifetime."
    ),
    "rebind_time_seconds": (
        "T2: seconds after which a client asks any server (RFC 2131 section 4.4.5). Null: 0.875 of the lease, in "
        "DHCPv6 0.8 of the shortest preferred lifetime."
    ),
    "preferred_lifetime_seconds": (
        "DHCPv6: seconds for which an address is preferred for new connections (RFC 8415 section 21.6). Null: five "
        "eighths of the valid lifetime."
    ),
    "ntp_servers": (
        "Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option of that code wins."
    ),
    "match_client_id": (
        "True: option 61 tells leases apart where it differs, so that several systems of one MAC have a lease each. "
        "False: the MAC does."
    ),
    "decline_quarantine_seconds": (
        "For how long an address that a client declined, or that answered a ping, is given to nobody; in seconds, 0 "
        "not at all."
    ),
    "ping_check": (
        "True: a new IPv4 address is pinged before it is offered; it costs the client the wait for an answer."
    ),
    "rapid_commit": (
        "True: a client that asks for it has its lease in two messages instead of four (RFC 4039; RFC 8415 section "
        "18.2.1)."
    ),
    "address_registration": (
        "True: DHCPv6 clients are told that they may register addresses of their own (RFC 9686, option 148)."
    ),
    "cache_threshold": (
        "Share of a lease, from its beginning, in which a renewal is answered with what remains of it and nothing "
        "is written; 0 writes each renewal."
    ),
    "reuse_margin_seconds": "Seconds after the end of a lease before its address is given to another client.",
    "ddns_enabled": "True: leases make DNS records.",
    "ddns_adapter": (
        "How updates are sent: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http` (its "
        "API), `embedded` (zones of this service). Null: that of the DNS server."
    ),
    "ddns_dns_server_id": "The DNS server that takes the updates. Null: that of the zone.",
    "ddns_forward_zone": "Zone of A and AAAA records. Null: the nearest zone of the tenant that holds the name.",
    "ddns_reverse_zone": "Zone of PTR records. Null: the nearest zone of the tenant that holds the address.",
    "ddns_domain": (
        "Domain of the clients' names: a client gets one label below it, whatever name it sends. Null: the forward "
        "zone; without both, clients get no name."
    ),
    "ddns_client_domains": (
        "Further domains in which clients may choose their name: a client that sends host.lab.example.net keeps it if "
        "lab.example.net is listed."
    ),
    "ddns_ttl": "TTL of the records in seconds. Null: a third of the lease, at least 600.",
    "ddns_override_no_update": "True: records are made although the client wants none (N of options 81 and 39).",
    "ddns_override_client_update": (
        "True: the server makes the forward record also where the client wants to (option 81, bit S clear)."
    ),
    "ddns_replace_client_name": (
        "When the client's own name gives way to a made one: `never`, `always`, `when_present`, or "
        "`when_not_present` for clients that bring none."
    ),
    "ddns_generated_prefix": "What made names begin with: `host` makes host-10-0-0-7.",
    "ddns_conflict_mode": (
        "Whose names are overwritten, told by DHCID records (RFC 4701, RFC 4703): `check_dhcid` one's own only; "
        "`check_exists_dhcid` any that has a DHCID; the others look at none, and write one or not."
    ),
    "utilisation": "Share of the addresses in use when they were counted last, 0 to 1. Null: not counted yet.",
    "as_of": "When leases were counted for utilisation. Null: not yet.",
}
