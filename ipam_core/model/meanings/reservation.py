"""What fields mean: addresses of one client or host."""

MEANINGS = {
    "NewReservation.ip": (
        "The address that its client gets. Left out, the next free one of the subnet; null: none, the reservation "
        "gives host name, options and class alone."
    ),
    "Reservation.ip": (
        "The address that its client gets. Null: none; it gives host name, options and class, or a prefix."
    ),
    "Assignment.ip": "The address of the host.",
    "AssignmentFields.ip": (
        "The address of the host; it may lie inside an exclude. Left out, the next free one of the subnet."
    ),
    "Reservation.subnet_id": "The subnet that it stands in. Null: it holds in all subnets of its tenant.",
    "NewReservationAnywhere.subnet_id": (
        "The subnet that it stands in. Left out: it holds in all subnets of the tenant, and has no address."
    ),
    "NewAssignment.subnet_id": (
        "The subnet that it stands in. Left out: the one of the tenant that its address lies in."
    ),
    "Reservation.tenant_id": "The tenant in all of whose subnets it holds. Null where it stands in one subnet.",
    "NewReservationAnywhere.tenant_id": (
        "The tenant in all of whose subnets it holds. Left out: the token's, else the default one."
    ),
    "prefix": "IPv6 prefix that is delegated to its client. Null: none.",
    "excluded_prefix": (
        "Part of the prefix that its client leaves to the link by which it got it (RFC 6603), told to clients that ask "
        "for it. Null: that of the delegation pool around the prefix, if any."
    ),
    "mac": (
        "Hardware address that the client is known by, in any notation; unique in the subnet. One of the identities "
        "is needed."
    ),
    "duid": (
        "DUID that the client is known by (RFC 8415 section 11), 3 to 130 octets in hex; in IPv4 subnets that of an "
        "RFC 4361 client id."
    ),
    "client_id": (
        "DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such as "
        "01:aa:bb:cc:dd:ee:ff."
    ),
    "circuit_id": (
        "Circuit that the client is behind (option 82.1, or DHCPv6's Interface-Id of the relay next to it), as text "
        "or 0x octets."
    ),
    "remote_id": (
        "Remote id that the relay says (option 82.2, or DHCPv6 option 37, there with the enterprise number or "
        "without), as text or 0x octets."
    ),
    "subscriber_id": "Subscriber that the relay says (option 82.6, or DHCPv6 option 38), as text or 0x octets.",
    "hostname": (
        "Host name that the client is given (option 12), and that its DNS records bear. Null: the client's own."
    ),
    "AssignmentFields.hostname": "Name of the host; its DNS records bear it.",
    "Assignment.hostname": "Name of the host; its DNS records bear it.",
    "aliases": (
        "Further names of the address, at most 32, in lower case and each once: one label in the subnet's domain, or a "
        "name in a zone of the tenant. They do not count as managed addresses. Written, the list replaces the one "
        "before."
    ),
    "alias_records": (
        "How aliases are published: `cname` as CNAME records to the host name, which stand alone at their names; "
        "`address` as A or AAAA records, which several objects may share."
    ),
    "class_id": "Client class that its client is put into, whatever the class asks for. Null: none.",
}
