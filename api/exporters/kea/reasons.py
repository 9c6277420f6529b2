"""Reasons why a field is not in Kea's configuration."""

from api.exporters.said import DDNS_FIELDS

DDNS = "dynamic DNS of Kea is a server of its own (kea-dhcp-ddns), to be set up by hand"
FLEX_ID = "Kea knows clients by it with the hook flex-id only"
REASONS = dict.fromkeys(DDNS_FIELDS, DDNS) | {
    "remote_id": FLEX_ID,
    "subscriber_id": FLEX_ID,
    "excluded_prefix": "Kea 2.2 has it for pools only; versions since 2.7 know excluded-prefixes of reservations",
    "cache_threshold": "Kea's cache-threshold sets when a lease is written; choose it for your database",
    "ping_check": "needs a hook of Kea (libdhcp_ping_check)",
    "decline_quarantine_seconds": "Kea has decline-probation-period for the whole server only",
    "allocation": "Kea 2.2 has no word for it: it goes through its pools in order",
}
