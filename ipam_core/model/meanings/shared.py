"""What fields mean that many families share."""

MEANINGS = {
    "id": "Identifies the object in paths. Opaque; assigned by the service and never reused.",
    "created_at": "When the object was created, in UTC with milliseconds (RFC 3339).",
    "updated_at": "When the object was last changed, in UTC with milliseconds (RFC 3339).",
    "description": "Free text; the service does not interpret it.",
    "tenant_id": (
        "Tenant of the object. In a create, left out or null: the tenant of the token, else the "
        "default tenant. It cannot be changed."
    ),
    "subnet_id": "Subnet of the object. It cannot be changed.",
    "tags": (
        "Words for searches and filters, unique and in lower case; at most 32, of 64 characters, "
        "without commas. A change replaces the whole list."
    ),
    "custom": (
        "Your own fields. Names consist of letters, digits, underscores and hyphens; at most four "
        "levels deep, 16 KiB of JSON together. A patch merges them one by one, and null deletes a "
        "member. Filter lists by custom.NAME."
    ),
    "next_server": (
        "Where a client loads its boot file from: an IPv4 address goes into the header's siaddr and option 66, a "
        "host name into sname and option 66. Null: nothing is said."
    ),
    "server_name": (
        "Name of the boot server (sname and option 66), in addition to an address in next_server; at "
        "most 255 characters. A name longer than 63 characters is sent in option 66 only. Null: the "
        "name in next_server, if any."
    ),
    "boot_file": (
        "Path or URL of the boot file (header field file and option 67; DHCPv6 option 59), at most "
        "255 octets. A value longer than 127 octets is sent in option 67 only. Null: none is sent."
    ),
    "dry_run": "True: report the effects and change nothing.",
    "state": "State of the object.",
    "mac": "Hardware address of the client, in any notation. Answers have it in lower case with colons.",
    "hostname": (
        "Hostname: labels of up to 63 letters, digits, hyphens and underscores, 253 characters together."
    ),
    "family": "4 for DHCPv4, 6 for DHCPv6.",
    "name": "Name of the object.",
}
