"""What fields mean: tenants."""

MEANINGS = {
    "name": "What people call it, unique; also its virtual network's name (RFC 6607) towards DHCP relays.",
    "dns_suffixes": (
        "Names at or below which the tenant may enable DNS zones, also reverse ones (20.10.in-addr.arpa). "
        "An admin without a tenant sets them. Suffixes of different tenants never lie at, above or below each other. "
        "The default tenant needs none."
    ),
    "is_default": "Whether creates without tenant_id go here.",
}
