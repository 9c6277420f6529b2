"""What fields mean: tenants."""

MEANINGS = {
    "name": "Unique name of the tenant, and of its virtual network (RFC 6607) for DHCP relay agents.",
    "dns_suffixes": (
        "Names at or below which the tenant may enable DNS zones, also reverse zones "
        "(20.10.in-addr.arpa). Set by admins without a tenant. Suffixes of different tenants never "
        "lie at, above or below each other. The default tenant needs none."
    ),
    "is_default": "Whether creates without tenant_id use this tenant.",
    "limits": (
        "Limits, set by admins without a tenant: webhooks (default 20), which also "
        "limits notifications, streams (200), "
        "streams_per_token (10), objects_per_family (100,000), deliveries_per_second (50), "
        "ddns_updates_per_second (200). 0: no limit. Null or left out: the default, which is no "
        "limit for the default tenant."
    ),
    "webhooks": "Webhooks; the same limit applies to notifications.",
    "notifications": "Notifications, at most as many as `webhooks` allows.",
    "streams": "Live event streams, over all API processes.",
    "streams_per_token": "Live event streams of one token.",
    "objects_per_family": "Objects of each family, and stored idempotency keys.",
    "deliveries_per_second": "Deliveries of webhooks and notifications per second; further deliveries wait.",
    "ddns_updates_per_second": "DDNS updates per second; further updates wait.",
    "objects": (
        "Objects by family. DNS records that follow leases, reservations or static assignments do not count."
    ),
    "used": "Current number.",
    "limit": "Limit that applies. Null: no limit.",
    "usage": "Limits of the tenant, default or set, with the current use of each.",
}
