"""Reasons why a member of Kea's configuration is not taken over."""

from api.importers.plan import Reason

BY_HAND: dict[str, str] = {
    "interfaces-config": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "hooks-libraries": "hooks have no counterpart; see docs/how-to/cutover-kea.md for what does their work",
    "dhcp-ddns": "dynamic DNS is set up anew: ddns_ fields of subnets, and an adapter (docs/how-to/ddns.md)",
    "multi-threading": "servers choose by themselves",
    "config-control": "the configuration is in a database: export it by config-get, and import the answer",
    "flex-id": "a hook decides its content",
    "require-client-classes": "give the class a condition, so that its clients are in it by themselves",
    "evaluate-additional-classes": "give the class a condition, so that its clients are in it by themselves",
    "user-context": "only its comment is taken over",
    "4o6-subnet": "DHCPv4 over DHCPv6 is not served",
}
DROPPED: dict[str, str] = {
    "lease-database": "leases are never imported, and are kept in PostgreSQL",
    "hosts-database": "reservations in a database are not in the file: export them by reservation-get-all",
    "hosts-databases": "reservations in a database are not in the file: export them by reservation-get-all",
    "control-socket": "the management API takes its place",
    "control-sockets": "the management API takes its place",
    "loggers": "logging is a setting of the servers",
    "expired-leases-processing": "leases expire by themselves",
    "host-reservation-identifiers": "identities are looked for in one order: mac, client_id, circuit_id",
    "reservations-global": "reservations of all subnets hold beside those of a subnet",
    "reservations-in-subnet": "reservations of a subnet hold beside those of all subnets",
    "allocator": "pools give the same client the same address (allocation: hashed), or go lowest first (sequential)",
    "pool-id": "is a number of Kea's own",
    "id": "is a number of Kea's own",
}
DDNS = "ddns-"


def of(name: str) -> tuple[Reason, str]:
    if name.startswith(DDNS) or name.startswith("hostname-char"):
        return "manual", BY_HAND["dhcp-ddns"]
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart, or not in this place or with this value")
