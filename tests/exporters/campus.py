"""A campus in both families, with all that Kea can say of it."""

from typing import Any

CAMPUS4: dict[str, Any] = {
    "option_definitions": [
        {"code": 224, "name": "door", "kind": "uint16", "array": True},
        {"code": 225, "name": "rack", "kind": "binary"},
        {"code": 226, "name": "floor", "kind": "string"},
        {"code": 227, "name": "controller", "kind": "address"},
    ],
    "client_classes": [
        {
            "name": "closed",
            "priority": 1,
            "match": {"option": 1, "relay": True, "equals": "closed"},
            "deny": True,
        },
        {
            "name": "uefi",
            "priority": 5,
            "match": {"all": [{"option": 60, "prefix": "PXEClient"}, {"option": 93, "in": [7, 9]}]},
            "next_server": "10.40.1.5",
            "boot_file": "ipxe.efi",
        },
        {
            "name": "phones",
            "priority": 10,
            "mac_prefix": "00:1a:2b",
            "description": "desk phones",
            "match": {"not": {"class": "uefi"}},
            "options": [{"code": 150, "payload": {"addresses": ["10.40.1.6"]}}],
        },
        {"name": "random cards", "priority": 20, "locally_administered": True, "known": False},
        {"name": "fixed cards", "priority": 21, "locally_administered": False},
        {"name": "docsis", "priority": 30, "vendor_class": "docsis3.0", "user_class": "iPXE"},
        {
            "name": "cable",
            "priority": 40,
            "match": {
                "any": [
                    {"option": 125, "vendor": 4491, "suboption": 1, "exists": True},
                    {"option": 43, "suboption": 5, "equals": "0x0102"},
                    {"option": 61, "offset": 2, "length": 2, "equals": "ab"},
                    {"field": "giaddr", "equals": "10.40.1.1"},
                    {"field": "hw_type", "equals": 1},
                    {"field": "interface", "equals": "lo"},
                    {"option": 12, "exists": False},
                ]
            },
        },
    ],
    "global_options": [{"code": 6, "payload": {"addresses": ["10.40.0.53", "10.40.0.54"]}}],
    "prefixes": [
        {
            "cidr": "10.40.1.0/24",
            "subnets": [
                {
                    "cidr": "10.40.1.0/24",
                    "name": "office",
                    "description": "first floor",
                    "vlan_id": 1,
                    "site": "Bern",
                    "tags": ["blue"],
                    "custom": {"cost": {"centre": [1, 2]}},
                    "gateway": "10.40.1.1",
                    "lease_time_seconds": 3600,
                    "min_lease_time_seconds": 600,
                    "max_lease_time_seconds": 7200,
                    "renew_time_seconds": 900,
                    "rebind_time_seconds": 1800,
                    "relay_addresses": ["10.99.0.1"],
                    "match_client_id": True,
                    "authoritative": False,
                    "next_server": "10.40.1.5",
                    "server_name": "boot.example.net",
                    "boot_file": "pxelinux.0",
                    "ntp_servers": ["10.40.0.123"],
                    "pools": [
                        {"start_ip": "10.40.1.160", "end_ip": "10.40.1.169", "class": "uefi", "name": "boot"},
                        {
                            "start_ip": "10.40.1.100",
                            "end_ip": "10.40.1.149",
                            "name": "desks",
                            "tags": ["a"],
                            "options": [
                                {"code": 6, "payload": {"addresses": ["10.40.1.53"]}, "always_send": True}
                            ],
                        },
                    ],
                    "reservations": [
                        {
                            "ip": "10.40.1.10",
                            "mac": "02:00:00:00:00:01",
                            "hostname": "printer",
                            "class": "phones",
                            "description": "second floor",
                            "options": [{"code": 12, "payload": {"string": "printer"}}],
                        },
                        {"ip": "10.40.1.11", "client_id": "01:02:00:00:00:00:02", "tags": ["x"]},
                        {"ip": None, "circuit_id": "eth0/1", "hostname": "port-1"},
                        {"ip": "10.40.1.12", "circuit_id": "0x00ff"},
                        {"ip": "10.40.1.13", "duid": "00:03:00:01:aa:bb:cc:dd:ee:ff"},
                    ],
                    "options": [
                        {"code": 15, "payload": {"string": "example.net"}, "always_send": True},
                        {"code": 119, "payload": {"names": ["a.example.net", "b.example.net"]}},
                        {
                            "code": 121,
                            "payload": {"routes": [{"destination": "10.0.0.0/8", "router": "10.40.1.2"}]},
                        },
                        {"code": 43, "payload": {"suboptions": [{"code": 1, "hex": "c0000201"}]}},
                        {"code": 19, "payload": {"flag": True}},
                        {"code": 2, "payload": {"value": -3600}},
                        {"code": 17, "payload": {"string": "/srv, or else"}},
                        {"code": 252, "payload": {"string": "http://wpad"}},
                        {"code": 224, "payload": {"values": [7, 8]}},
                        {"code": 225, "payload": {"hex": "016162"}},
                        {"code": 226, "payload": {"string": "two"}},
                        {"code": 227, "payload": {"addresses": ["10.40.1.9"]}},
                        {"code": 240, "payload": {"hex": "00ff"}},
                    ],
                }
            ],
        },
        {
            "cidr": "10.40.2.0/25",
            "subnets": [{"cidr": "10.40.2.0/25", "shared_network": "floor-2", "interface": "lo"}],
        },
        {
            "cidr": "10.40.2.128/25",
            "subnets": [
                {
                    "cidr": "10.40.2.128/25",
                    "shared_network": "floor-2",
                    "interface": "lo",
                    "next_server": "10.40.1.5",
                }
            ],
        },
        {
            "cidr": "10.40.3.0/24",
            "subnets": [{"cidr": "10.40.3.0/24", "dhcp_enabled": False, "server_name": "tftp.example.net"}],
        },
    ],
    "reservations": [{"ip": None, "mac": "02:00:00:00:00:30", "hostname": "roamer"}],
}

CAMPUS6: dict[str, Any] = {
    "option_definitions": [{"code": 4000, "name": "door6", "kind": "address", "array": True, "family": 6}],
    "client_classes": [
        {
            "name": "cable",
            "priority": 1,
            "match": {
                "any": [
                    {"option": 16, "family": 6, "exists": True},
                    {"option": 17, "family": 6, "vendor": 4491, "suboption": 1, "equals": "x"},
                    {"option": 18, "family": 6, "relay": True, "equals": "port 1"},
                    {"option": 61, "family": 6, "in": [7, 9]},
                ]
            },
        },
    ],
    "global_options": [{"code": 23, "family": 6, "payload": {"addresses": ["2001:db8::53"]}}],
    "prefixes": [
        {
            "cidr": "2001:db8:1::/64",
            "subnets": [
                {
                    "cidr": "2001:db8:1::/64",
                    "interface_id": "eth0/1",
                    "rapid_commit": True,
                    "lease_time_seconds": 4000,
                    "preferred_lifetime_seconds": 3000,
                    "renew_time_seconds": 1000,
                    "rebind_time_seconds": 2000,
                    "relay_addresses": ["2001:db8:1::1"],
                    "description": "first floor",
                    "pools": [
                        {"start_ip": "2001:db8:1::100", "end_ip": "2001:db8:1::1ff", "class": "cable"},
                        {
                            "prefix": "2001:db8:8::/48",
                            "delegated_length": 56,
                            "excluded_prefix": "2001:db8:8::/64",
                            "name": "homes",
                        },
                    ],
                    "reservations": [
                        {
                            "ip": "2001:db8:1::10",
                            "prefix": "2001:db8:9::/56",
                            "duid": "01:02:03:04:05:0a",
                            "hostname": "router",
                        },
                        {"ip": None, "mac": "00:01:02:03:04:05", "prefix": "2001:db8:9:100::/56"},
                    ],
                    "options": [
                        {"code": 24, "payload": {"names": ["example.net"]}},
                        {
                            "code": 56,
                            "payload": {"suboptions": [{"code": 1, "addresses": ["2001:db8::7"]}]},
                        },
                        {"code": 59, "payload": {"string": "tftp://[2001:db8::5]/x"}},
                        {"code": 82, "payload": {"value": 120}},
                        {"code": 4000, "payload": {"addresses": ["2001:db8::1", "2001:db8::2"]}},
                    ],
                }
            ],
        },
        {"cidr": "2001:db8:2::/64", "subnets": [{"cidr": "2001:db8:2::/64"}]},
    ],
}
