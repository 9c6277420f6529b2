"""What fields mean that many families share."""

MEANINGS = {
    "id": "Names the object in paths. Opaque: made by the service and never given to another.",
    "created_at": "When it was made, in UTC with milliseconds (RFC 3339).",
    "updated_at": "When it was changed last, in UTC with milliseconds (RFC 3339).",
    "description": "For people; the service reads nothing into it.",
    "tenant_id": (
        "The tenant that it belongs to. In a create, left out or null: the token's tenant, else the default one. It "
        "never changes."
    ),
    "subnet_id": "The subnet that it stands in. It never changes.",
    "tags": (
        "Words to find it by, in lower case and each once; at most 32, of 64 characters, without commas. Written, "
        "the list replaces the one before."
    ),
    "custom": (
        "Fields of your own: members named by letters, digits, underscores and hyphens, nested four levels deep at "
        "most, 16 KiB of JSON together. A patch merges them one by one, null takes a member away, and lists are "
        "filtered by custom.NAME."
    ),
    "next_server": (
        "Where a client loads its boot file from: an IPv4 address goes into the header's siaddr and option 66, a "
        "host name into sname and option 66. Null: nothing is said."
    ),
    "server_name": (
        "The boot server's name (sname and option 66) beside an address in next_server, at most 255 characters. One of "
        "more than 63 is sent in option 66 only. Null: what next_server says."
    ),
    "boot_file": (
        "The boot file's path or URL (the header's file and option 67; DHCPv6 option 59), at most 255 octets. One "
        "of more than 127 octets is sent in option 67 only. "
        "Null: nothing is said."
    ),
    "dry_run": "True: say what would be done, and do nothing.",
    "state": "The state that it is in.",
    "mac": "Hardware address of the client, in any notation; it comes back in lower case with colons.",
    "hostname": "Host name: labels of up to 63 letters, digits, hyphens and underscores, 253 characters together.",
    "family": "4 for DHCPv4, 6 for DHCPv6.",
    "name": "What people call it.",
}
