"""Examples of request bodies, by their schema: plausible bodies that the API accepts."""

from typing import Any

ID = "0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e"
MAC = "aa:bb:cc:dd:ee:ff"
DUID = "00:03:00:01:aa:bb:cc:dd:ee:ff"
NETBOX = {
    "url": "https://netbox.example.net",
    "token": "nbt_4F9DAouzURLb.zjebxBPzICiPbWz0Wtx0fTL7bCKXKGTYhNzkgC2S",
}

OPTION = {"code": 6, "payload": {"addresses": ["192.0.2.53"]}}

REQUESTS: dict[str, dict[str, Any]] = {
    "NewTenant": {"name": "acme", "description": "Customer 4711"},
    "NewPrefix": {"cidr": "192.0.2.0/24", "description": "Berlin", "tags": ["berlin"]},
    "NewSubnet": {
        "prefix_id": ID,
        "cidr": "192.0.2.0/25",
        "name": "office",
        "gateway": "192.0.2.1",
        "lease_time_seconds": 28800,
        "vlan_id": 20,
        "site": "Berlin",
        "tags": ["staff"],
        "custom": {"owner": "network team"},
    },
    "NextSubnet": {"prefix_length": 26, "name": "guests", "gateway_at": "first"},
    "NewPool": {"name": "staff", "start_ip": "192.0.2.100", "end_ip": "192.0.2.119"},
    "NewExclude": {"start_ip": "192.0.2.100", "end_ip": "192.0.2.199"},
    "NewReservation": {"ip": "192.0.2.10", "mac": MAC, "hostname": "printer-1"},
    "NewReservationAnywhere": {"mac": MAC, "hostname": "laptop-7"},
    "NewAssignment": {
        "ip": "192.0.2.11",
        "hostname": "server-1.example.net",
        "aliases": ["www", "mail.example.net"],
    },
    "NewOption": OPTION,
    "NewGlobalOption": OPTION,
    "Bulk": {
        "operations": [
            {"op": "create", "path": "/prefixes", "body": {"cidr": "192.0.2.0/24"}, "ref": "site"},
            {"op": "create", "path": "/subnets", "body": {"prefix_id": "$site", "cidr": "192.0.2.0/26"}},
        ]
    },
    "NewOptionDefinition": {"code": 224, "name": "printer-pins", "kind": "uint16", "array": True},
    "NewClientClass": {"name": "phones", "vendor_class": "ACME phone", "priority": 10},
    "NewTrustedRelay": {"cidr": "192.0.2.1/32", "description": "Router of building 3"},
    "NewDnsServer": {
        "name": "ns1",
        "adapter": "bind_tsig",
        "address": "192.0.2.53",
        "key_name": "dhcp",
        "key_algorithm": "hmac-sha256",
        "secret": "c2VjcmV0IHNlY3JldCBzZWNyZXQ=",
    },
    "NewDnsZone": {"name": "example.net", "dns_enabled": True},
    "NewDnsRecord": {"name": "www", "type": "A", "data": "192.0.2.80", "ttl": 3600},
    "ZoneImport": {"zone_file": "www 3600 IN A 192.0.2.80\n", "mode": "merge", "dry_run": True},
    "ZoneReconcile": {"dry_run": True},
    "NetBoxImport": {**NETBOX, "within": "192.0.2.0/24", "dry_run": True},
    "NetBoxExport": {**NETBOX, "within": "192.0.2.0/24", "dry_run": True},
    "NewWebhook": {"url": "https://hooks.example.net/ipam", "events": ["pool.*", "ddns.failed"]},
    "NewNotification": {
        "name": "noc",
        "kind": "mail",
        "recipients": ["noc@example.net"],
        "severity": "warning",
    },
    "NewToken": {"name": "import", "role": "admin"},
    "ReserveLease": {"hostname": "printer-1"},
    "ServerDuidChange": {"duid": "00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01"},
    "ReconfigureLease": {"message": "renew"},
    "Question": {"relay": "192.0.2.1", "mac": MAC, "requested_options": [1, 3, 6, 15]},
    "Question6": {"link_address": "2001:db8::1", "duid": DUID, "requested_options": [23, 24]},
}

PATCHES: dict[str, dict[str, Any]] = {
    "SubnetFields": {"lease_time_seconds": 3600, "custom": {"owner": None, "rack": "r17"}},
    "NewPool": {"end_ip": "192.0.2.129"},
    "NewReservation": {"hostname": "printer-2"},
    "OptionFields": {"payload": {"addresses": ["192.0.2.54"]}},
    "OptionDefinitionFields": {"name": "pins"},
    "TokenFields": {"expires_at": "2027-01-31T12:00:00Z"},
}
ANY_PATCH = {"description": "Second floor"}
