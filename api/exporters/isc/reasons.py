"""Reasons why a field is not in dhcpd.conf."""

from api.exporters.said import DDNS_FIELDS

DDNS = "dynamic DNS of dhcpd is to be set up by hand (zone, key, ddns-update-style)"
PEOPLE = "dhcpd keeps nothing for people"
REASONS = (
    dict.fromkeys(DDNS_FIELDS, DDNS)
    | dict.fromkeys(("name", "description", "vlan_id", "site", "tags", "custom"), PEOPLE)
    | {
        "relay_addresses": "dhcpd chooses the subnet by the relay's address, or by option 118 or 82.5",
        "class": "dhcpd puts clients into classes by what they send alone",
        "cache_threshold": "dhcpd has dhcp-cache-threshold for the whole server; choose it for your disk",
        "decline_quarantine_seconds": "dhcpd has abandon-lease-time for the whole server",
        "allocation": "dhcpd gives the address that was free for longest",
        "excluded_prefix": "dhcpd delegates prefixes whole",
    }
)
