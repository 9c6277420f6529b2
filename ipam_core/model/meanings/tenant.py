"""What fields mean: tenants."""

MEANINGS = {
    "name": "What people call it, unique; also its virtual network's name (RFC 6607) towards DHCP relays.",
    "is_default": "Whether creates without tenant_id go here.",
}
