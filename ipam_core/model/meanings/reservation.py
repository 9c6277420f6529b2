"""What fields mean: addresses of one client or host."""

MEANINGS = {
    "NewReservation.ip": (
        "Address that the client gets. Left out: the next free address of the subnet. Null: none; "
        "the reservation only sets hostname, options and class."
    ),
    "Reservation.ip": (
        "Address that the client gets. Null: none; the reservation only sets hostname, options, "
        "class or prefix."
    ),
    "Assignment.ip": "The address of the host.",
    "AssignmentFields.ip": (
        "The address of the host, which may be in an exclusion. Left out: the next free address of "
        "the subnet."
    ),
    "Reservation.subnet_id": "Subnet of the reservation. Null: it applies in all subnets of its tenant.",
    "NewReservationAnywhere.subnet_id": (
        "Subnet of the reservation. Left out: it applies in all subnets of the tenant and has no address."
    ),
    "NewAssignment.subnet_id": (
        "Subnet of the address. Left out: the subnet of the tenant that contains the address."
    ),
    "Reservation.tenant_id": "Tenant of a reservation for all subnets. Null if the reservation belongs to one subnet.",
    "NewReservationAnywhere.tenant_id": (
        "Tenant of a reservation for all subnets. Left out: the tenant of the token, else the default tenant."
    ),
    "prefix": "IPv6 prefix that is delegated to the client. Null: none.",
    "excluded_prefix": (
        "Part of the prefix that is excluded from delegation (RFC 6603); it is sent to clients that "
        "request it. Null: that of the delegation pool around the prefix, if any."
    ),
    "mac": (
        "Hardware address of the client, in any notation; unique in the subnet. At least one "
        "identity is required."
    ),
    "duid": (
        "DUID of the client (RFC 8415 section 11), 3 to 130 octets in hex. In IPv4 subnets: the DUID "
        "in an RFC 4361 client identifier."
    ),
    "client_id": (
        "DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such as "
        "01:aa:bb:cc:dd:ee:ff."
    ),
    "circuit_id": (
        "Circuit ID of the client's line (option 82.1, or the Interface-Id from the DHCPv6 relay "
        "agent nearest to the client), as text or 0x octets."
    ),
    "remote_id": (
        "Remote ID from the relay agent (option 82.2, or DHCPv6 option 37, with or without the "
        "enterprise number), as text or 0x octets."
    ),
    "subscriber_id": "Subscriber ID from the relay agent (option 82.6, or DHCPv6 option 38), as text or 0x octets.",
    "hostname": (
        "Hostname that the client gets (option 12) and that its DNS records have. Null: the client's own."
    ),
    "AssignmentFields.hostname": "Hostname of the host, used for its DNS records.",
    "Assignment.hostname": "Hostname of the host, used for its DNS records.",
    "aliases": (
        "Further names of the address, at most 32, unique and in lower case: one label in the "
        "subnet's domain, or a name in a zone of the tenant. They do not count as managed addresses. "
        "A change replaces the whole list."
    ),
    "alias_records": (
        "How aliases are published. `cname`: as CNAME records to the hostname; no other record may "
        "have such a name. `address`: as A or AAAA records, and several objects may share a name."
    ),
    "class_id": "Client class of the client, in addition to those whose conditions match. Null: none.",
}
