"""The groups in which the help of `ipam`, its manual page and docs/reference/cli.md list the commands."""

SECTIONS = {
    "Run": "up api dhcp dns worker",
    "Look": "status search who where history free map explain tail events audit",
    "Plan": "create update patch delete get apply next-subnet tenants prefixes subnets pools excludes reservations "
    "assignments options global-options option-definitions client-classes trusted-relays",
    "Leases": "leases lease-events release reserve server-duid",
    "DNS": "dns-servers dns-zones dns-records ddns-updates",
    "Move in and out": "import export netbox",
    "Maintain": "token tokens nodes webhooks deliveries migrate backup restore secrets relays zones rebuild-search",
    "Test": "probe trace bench replay",
    "Help": "help version completion",
}
"""Each section with its commands, the most used first."""

UNLISTED = ("patch", "tokens")
"""Commands that the help leaves out, because others do the same."""
