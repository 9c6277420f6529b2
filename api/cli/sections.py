"""The groups in which the help of `ipam`, its manual page and docs/reference/cli.md list the commands."""

SECTIONS = {
    "Run": "up api dhcp dns worker",
    "Look": "status search who where history free map explain tail events audit",
    "Plan": "create update patch delete get apply next-subnet tenants prefixes subnets pools excludes reservations "
    "assignments options global-options option-definitions client-classes trusted-relays",
    "Leases": "leases lease-events release reserve server-duid",
    "DNS": "dns-servers dns-zones dns-records ddns-updates",
    "Move in and out": "import export netbox",
    "Maintain": "token tokens nodes webhooks notifications deliveries migrate backup restore secrets relays zones "
    "rebuild-search",
    "Test": "probe trace bench replay",
    "Help": "help version completion",
}
"""Each section with its commands, the most used first."""

UNLISTED = ("patch", "tokens")
"""Commands that the help leaves out, because others do the same."""

MEANINGS = {
    "assignments": "Static addresses without DHCP",
    "audit": "Changes, with time and token",
    "client-classes": "Classes of clients, by what they send",
    "ddns-updates": "Names of leases on their way into DNS",
    "deliveries": "Messages of webhooks, and how their delivery ended",
    "dns-records": "Records of the zones",
    "dns-servers": "DNS servers that take updates or copies",
    "dns-zones": "Zones, forward and reverse",
    "events": "Events, as webhooks deliver them",
    "excludes": "Addresses that no client gets",
    "global-options": "DHCP options of all subnets",
    "lease-events": "The history of leases",
    "leases": "Which client has which address",
    "nodes": "The running processes; drain and undrain DHCP servers",
    "notifications": "Messages to chat and mail",
    "option-definitions": "Definitions of your own DHCP options",
    "options": "DHCP options of subnets, pools, classes and reservations",
    "pools": "Ranges of addresses for clients",
    "prefixes": "Networks of the address plan, in which subnets are made",
    "reservations": "Addresses kept for one client",
    "subnets": "Networks with DHCP, and their settings",
    "tenants": "Separate address plans",
    "tokens": "API tokens",
    "trusted-relays": "Relay agents that are served",
    "webhooks": "URLs that events are sent to",
}
"""What each family contains, for the help."""
