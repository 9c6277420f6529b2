"""What fields mean: tenants."""

MEANINGS = {
    "name": "What people call it, unique; also its virtual network's name (RFC 6607) towards DHCP relays.",
    "dns_suffixes": (
        "Names at or below which the tenant may enable DNS zones, also reverse ones (20.10.in-addr.arpa). "
        "An admin without a tenant sets them. Suffixes of different tenants never lie at, above or below each other. "
        "The default tenant needs none."
    ),
    "is_default": "Whether creates without tenant_id go here.",
    "limits": (
        "Limits that a global admin has set: webhooks (default 20), streams (200), streams_per_token (10), "
        "objects_per_family (100,000), deliveries_per_second (50), ddns_updates_per_second (200). 0 is no limit; "
        "one that is null or left out has its default, which is none for the default tenant."
    ),
    "webhooks": "Webhooks.",
    "streams": "Live streams of events, over all API processes.",
    "streams_per_token": "Live streams of one token.",
    "objects_per_family": "Objects of each family, and kept idempotency keys.",
    "deliveries_per_second": "Webhook deliveries a second; more wait.",
    "ddns_updates_per_second": "DDNS updates a second; more wait.",
    "objects": "Objects by family; DNS records that follow leases, reservations or assignments do not count.",
    "used": "How many there are.",
    "limit": "The limit that applies. Null: there is none.",
    "usage": "The limits that apply to the tenant, default or set, and the current use of each.",
}
