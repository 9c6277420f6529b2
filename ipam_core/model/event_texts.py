"""Events of the service itself: when each is raised, the fields of its data, and an example of them."""

from typing import Any, NamedTuple

POOL = {
    "pool_id": "The pool.",
    "name": "Name of the pool. Null: none.",
    "start_ip": "First address; absent for a pool of delegated prefixes.",
    "end_ip": "Last address; absent for a pool of delegated prefixes.",
    "subnet_id": "Subnet of the pool.",
    "cidr": "Network of the subnet.",
}
LEVEL = {
    "used": "Addresses or prefixes in use.",
    "usable": "Addresses or prefixes that the pool can lease.",
    "utilisation": "Used divided by usable, 0 to 1.",
}
UPDATE = {
    "id": "The DNS update in /ddns-updates. Null: the event concerns a subnet.",
    "action": "`add` or `remove`.",
    "ip": "Address of the name. Null: the event concerns a subnet.",
    "fqdn": "The name, fully qualified. Null: the event concerns a subnet.",
    "error": "Reason that the DNS server or the service gave. Null: none.",
}
NODE = {
    "node_id": "The process in /nodes.",
    "name": "Name of the node.",
    "role": "`dhcp` (DHCPv4), `dhcp6` or `worker`.",
    "version": "Version of the process.",
}
POOL_EXAMPLE = {
    "pool_id": "0199c2f4-7d2e-7b1c-9d43-5d1c33b3a6f1",
    "name": "office",
    "start_ip": "10.40.10.100",
    "end_ip": "10.40.10.199",
    "subnet_id": "0199c2f4-7c11-7e02-8a51-0f6a1be1d0c4",
    "cidr": "10.40.10.0/24",
}
UPDATE_EXAMPLE = {
    "id": "0199c2f5-02aa-7c4e-b7a9-6a0d2f6f9b11",
    "action": "add",
    "ip": "10.40.10.107",
    "fqdn": "printer.example.net.",
    "error": None,
}
NODE_EXAMPLE = {
    "node_id": "0199c2f3-9a01-7d5f-8c1e-2b7f0d9e4c35",
    "name": "dhcp-a/4242",
    "role": "dhcp",
    "version": "0.1.0",
}


class EventText(NamedTuple):
    """`fields` has a meaning for each field of the data, `example` a value."""

    when: str
    fields: dict[str, str]
    example: dict[str, Any]


SECONDARY = {
    "zone_id": "The zone.",
    "zone": "Name of the zone.",
    "dns_server_id": "The secondary.",
    "name": "Name of the secondary.",
    "address": "Address of the secondary.",
    "port": "Port of the secondary.",
    "state": "`behind`, `ahead` or `unknown` (`dns.secondary_behind`), or `current`.",
    "serial": "Last reported serial of the secondary. Null: none.",
    "zone_serial": "Serial of the zone.",
    "serials_behind": "Serials that the secondary is behind. Null: it is not behind.",
    "behind_since": "When the first of these was published. Null: it is not behind.",
    "last_refusal": "Last refusal by the secondary or by this server. Null: none.",
}
SECONDARY_EXAMPLE = {
    "zone_id": "0192f0c1-6f00-7000-8000-000000000007",
    "zone": "example.net",
    "dns_server_id": "0192f0c1-6f00-7000-8000-000000000008",
    "name": "ns2",
    "address": "192.0.2.53",
    "port": 53,
    "state": "behind",
    "serial": 2026112701,
    "zone_serial": 2026112707,
    "serials_behind": 6,
    "behind_since": "2026-11-27T10:15:00.000Z",
    "last_refusal": "192.0.2.53 answered NOTIFY with REFUSED",
}


TEXTS = {
    "client.identity_shared": EventText(
        "Two clients use one identity at the same time: a MAC address under two client ids, or one reservation. At "
        "most once per hour and MAC address.",
        {
            "mac": "MAC address that the clients share. Null: unknown.",
            "identities": "Client ids or DUIDs in hex that used the lease within a day, the latest first.",
            "ip": "Address of the lease.",
            "subnet_id": "Subnet of the address.",
            "cidr": "Network of the subnet.",
        },
        {
            "mac": "02:00:00:00:00:07",
            "identities": ["01020000000007", "ff00000007"],
            "ip": "10.40.10.107",
            "subnet_id": POOL_EXAMPLE["subnet_id"],
            "cidr": "10.40.10.0/24",
        },
    ),
    "ddns.applied": EventText("A DNS update succeeded.", UPDATE, UPDATE_EXAMPLE),
    "ddns.conflict": EventText(
        "A DNS update was refused because the name belongs to another client or to an operator.",
        UPDATE,
        UPDATE_EXAMPLE | {"error": "printer.example.net. belongs to another client"},
    ),
    "ddns.failed": EventText(
        "A DNS update failed for good. Also raised once for a subnet whose clients get no name because it has no "
        "domain; the data then has `subnet_id` too.",
        UPDATE | {"subnet_id": "The subnet without a domain; absent for an update."},
        UPDATE_EXAMPLE | {"error": "REFUSED by 192.0.2.53"},
    ),
    "dns.secondary_behind": EventText(
        "A secondary of a zone is behind for five minutes, considers its serial newer, or refused and reported no "
        "serial. Raised once per change of `state`.",
        SECONDARY,
        SECONDARY_EXAMPLE,
    ),
    "dns.secondary_current": EventText(
        "A secondary of which `dns.secondary_behind` was raised has the zone's serial.",
        SECONDARY,
        SECONDARY_EXAMPLE
        | {"state": "current", "serial": 2026112707, "serials_behind": None, "behind_since": None},
    ),
    "license.threshold": EventText(
        "The number of managed addresses passed 80 or 95 % of `managed_ip_cap`.",
        {
            "percent": "The threshold: 80 or 95.",
            "managed_ips": "Managed addresses now.",
            "managed_ips_limit": "The managed address limit.",
        },
        {"percent": 80, "managed_ips": 800, "managed_ips_limit": 1000},
    ),
    "node.degraded": EventText(
        "A DHCP server or a worker reports a problem and keeps running.",
        NODE | {"detail": "The problem. Null: none was given."},
        NODE_EXAMPLE | {"detail": "the database is unavailable"},
    ),
    "node.down": EventText(
        "A DHCP server or a worker sent no heartbeat for 30 seconds.",
        NODE
        | {
            "state": "Last state that the process reported.",
            "silent_seconds": "Seconds since the last heartbeat.",
        },
        NODE_EXAMPLE | {"state": "ready", "silent_seconds": 31},
    ),
    "node.up": EventText(
        "A DHCP server or a worker is ready, for the first time or again.",
        NODE | {"detail": "Always null."},
        NODE_EXAMPLE | {"detail": None},
    ),
    "notification.summary": EventText(
        "A notification had more than ten events within five minutes. Only that notification receives it.",
        {
            "since": "Beginning of the time.",
            "until": "End of the time.",
            "events": "Number of events without a message of their own, by type.",
            "count": "Sum of these numbers.",
        },
        {
            "since": "2026-11-27T10:15:00.000Z",
            "until": "2026-11-27T10:20:00.000Z",
            "events": {"lease.granted": 812, "node.degraded": 1},
            "count": 813,
        },
    ),
    "notification.test": EventText(
        "Somebody tests a notification with `POST /notifications/{id}/test`. Only that notification receives it.",
        {"notification_id": "The notification.", "name": "Name of the notification."},
        {"notification_id": "0199c2f6-11d0-7f3a-a6f0-8d2b7c5e1f21", "name": "noc"},
    ),
    "pool.decline_storm": EventText(
        "A client or a line declined so many addresses of a pool that the server keeps further ones in service. At "
        "most once per hour and pool.",
        POOL | {"ip": "The last declined address."},
        POOL_EXAMPLE | {"ip": "10.40.10.142"},
    ),
    "pool.exhausted": EventText(
        "A pool has no free address left. Raised again only after it had room.",
        POOL | LEVEL,
        POOL_EXAMPLE | {"used": 100, "usable": 100, "utilisation": 1.0},
    ),
    "pool.utilization_high": EventText(
        "A pool passed `pool_high_percent`. Raised again only after it had room.",
        POOL | LEVEL,
        POOL_EXAMPLE | {"used": 91, "usable": 100, "utilisation": 0.91},
    ),
    "relay.untrusted": EventText(
        "A relay that no trusted relay contains sent its first packet. At most ten events at a time.",
        {
            "address": "Address of the relay.",
            "count": "Packets that were dropped.",
            "first_seen_at": "Time of the first packet.",
        },
        {"address": "10.66.0.1", "count": 3, "first_seen_at": "2026-11-25T04:00:36.652Z"},
    ),
    "webhook.ping": EventText(
        "Somebody tests a webhook with `POST /webhooks/{id}/test`. Only that webhook receives it.",
        {"webhook_id": "The webhook."},
        {"webhook_id": "0199c2f6-11d0-7f3a-a6f0-8d2b7c5e1f20"},
    ),
}
