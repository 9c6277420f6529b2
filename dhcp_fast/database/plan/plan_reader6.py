"""Reader of IPv6: the rows of one reading into the descriptions of plan/compile6.pyx.

Delegation pools are outside of their subnet. Everything else of a subnet is inside it, or is
reported and left out.
"""

from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import Any

from dhcp_fast.database.plan.in_use import relay_room, withheld
from dhcp_fast.database.plan.placing import Numbers
from dhcp_fast.database.plan.plan_reader import (
    ANY_CLASS,
    CompiledSubnet,
    Option,
    Reader,
    encoded,
    fitting,
    naming,
    without,
)
from dhcp_fast.database.plan.plan_rows import by
from dhcp_fast.plan.compile import ServedView
from dhcp_fast.plan.compile6 import SubnetView6, TenantView6

VENDOR_OPTIONS = 17
WHOLE = 128  # the length of an address as a prefix
BY_HARDWARE, BY_CIRCUIT, BY_DUID, BY_REMOTE_ID, BY_SUBSCRIBER_ID = 1, 3, 4, 8, 9  # leases/client_identity.pxd
ETHERNET = 1

LINKLESS: dict[str, Any] = {
    **dict.fromkeys(("no", "fence", "first", "last", "lease_time_seconds", "min_lease_time_seconds"), 0),
    **dict.fromkeys(("max_lease_time_seconds", "decline_quarantine_seconds", "reuse_margin_seconds"), 0),
    **dict.fromkeys(("preferred_lifetime_seconds", "renew_time_seconds", "rebind_time_seconds")),
    **dict.fromkeys(
        ("boot_file", "interface_id", "ddns_domain", "ddns_client_domains", "ddns_generated_prefix")
    ),
    **dict.fromkeys(("authoritative", "rapid_commit", "address_registration"), False),
    **dict.fromkeys(("ddns_enabled", "ddns_override_no_update", "ddns_override_client_update"), False),
    **{name: [] for name in ("pools", "forbidden", "reservations")},
    "dhcp_enabled": True,
    "ddns_replace_client_name": "never",
    "cache_threshold": 0.0,
}
"""A subnet without addresses (plan/compile6.pyx)."""


class Reader6(Reader):
    FAMILY = 6

    def __init__(self, rows: dict[str, Any], interfaces: Numbers | None = None) -> None:
        super().__init__(rows, interfaces)
        self.delegations = by(rows["delegations"], "subnet_no")
        self.passing = self.delegations.keys()

    def tenant(self, row: Mapping[str, Any]) -> TenantView6:
        classes = [self.client_class(found) for found in self.classes.get(row["no"], ())]
        reserved = self.reservations6(-row["no"], row["no"])
        return TenantView6(row["no"], classes, reserved, self.hash_key, row["no"] in self.binding)

    def client_class(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the class. `boot_file` is a URL here (option 59); no server is named beside it."""
        return super().client_class(row) | {
            "server_name": None,
            "next_server": None,
            "next_server_address": None,
        }

    def subnet(self, row: Mapping[str, Any]) -> CompiledSubnet:
        cidr: IPv6Network = row["cidr"]
        first, last = int(cidr.network_address), int(cidr.broadcast_address)
        fields = {
            **dict(row),
            "first": first,
            "last": last,
            "options": self.subnet_options(row),
            "pools": [
                self.pool6(pool, row["tenant_no"])
                for pool in self.children["pools"].get(row["no"], ())
                if self.can_serve(pool, cidr)
            ],
            "forbidden": self.forbidden(row),
            "relay_room": relay_room(self.in_use(row["no"])),
            "reservations": self.reservations6(row["no"], row["tenant_no"]),
            "boot_file": encoded(fitting(row, "boot_file", self.problems)),
            **naming(row),
        }
        view = SubnetView6(self.tenants[row["tenant_no"]], self.hash_key, fields)
        return CompiledSubnet(view, self.relay_addresses(row), cidr, row["interface"])

    def linkless(self) -> list[ServedView]:
        """Return the global options of each tenant, for INFORMATION-REQUESTs from links without a subnet."""
        return [
            SubnetView6(view, self.hash_key, LINKLESS | {"options": self.everywhere[no]})
            for no, view in self.tenants.items()
        ]

    def subnet_options(self, row: Mapping[str, Any]) -> list[Option]:
        """Return the subnet's own, and behind them the global ones."""
        own = self.own_options(row)
        everywhere = self.everywhere[row["tenant_no"]]
        vendors = [option for option in everywhere if option[0] == VENDOR_OPTIONS]
        others = [option for option in everywhere if option[0] != VENDOR_OPTIONS]
        return own + without(others, own) + without_vendors(vendors, own)

    def can_serve(self, pool: Mapping[str, Any], cidr: Any) -> bool:
        if pool["prefix"] is None:
            return super().can_serve(pool, cidr)
        if pool["class_no"] is None or pool["class_no"] in self.class_indexes:
            return True
        self.problems.append(f"delegation pool {pool['prefix']} of {cidr}")
        return False

    def pool6(self, row: Mapping[str, Any], tenant_no: int) -> dict[str, Any]:
        prefix = row["prefix"]
        if prefix is None:
            first, last, length = int(row["start_ip"]), int(row["end_ip"]), WHOLE
        else:
            first, last, length = int(prefix[0]), int(prefix[-1]), row["delegated_length"]
        return {
            "no": row["no"],
            "first": first,
            "last": last,
            "prefix_length": length,
            "class_index": ANY_CLASS if row["class_no"] is None else self.class_indexes[row["class_no"]],
            "sequential": row["allocation"] == "sequential",
            "excluded": excluded(row),
            "options": self.compiled(("pool", row["no"]), tenant_no),
        }

    def forbidden(self, row: Mapping[str, Any]) -> list[tuple[int, int]]:
        """Return the addresses that no pool allocates, apart from reservations.

        They are the subnet-router anycast address (RFC 4291 section 2.6.1; not of a /127, RFC
        6164), the gateway, excludes and assignments, and active delegations of another length than
        their pool's.
        """
        no, cidr = row["no"], row["cidr"]
        ranges = [(int(r["start_ip"]), int(r["end_ip"])) for r in self.children["excludes"].get(no, ())]
        single = [r["ip"] for r in self.children["assignments"].get(no, ())]
        single += withheld(self.in_use(no))
        ranges += [ends(delegated(held)) for held in self.delegations.get(no, ())]
        if row["gateway"]:
            single.append(row["gateway"])
        if cidr.prefixlen < WHOLE - 1:
            single.append(cidr.network_address)
        return ranges + [(int(IPv6Address(address)), int(IPv6Address(address))) for address in single]

    def reservations6(self, place: int, tenant_no: int) -> list[dict[str, Any]]:
        """Return the reservations. `place`: the number of a subnet, or minus that of the tenant."""
        return [self.reservation(found, tenant_no) for found in self.rows["reservations"].get(place, ())]

    def reservation(self, row: Mapping[str, Any], tenant_no: int) -> dict[str, Any]:
        prefix = None if row["prefix"] is None else IPv6Network(row["prefix"])
        return {
            "no": row["no"],
            "address": None if row["ip"] is None else int(IPv6Address(row["ip"])),
            "prefix": None if prefix is None else (int(prefix.network_address), prefix.prefixlen),
            "excluded": excluded(row),
            "holders": [] if prefix is None else self.holders(row["subnet_no"], prefix),
            "identities": identities(row),
            "hostname": encoded(row["hostname"]),
            "class_no": row["class_no"] or 0,
            "options": self.compiled(("reservation", row["no"]), tenant_no),
        }

    def holders(self, subnet_no: int, prefix: IPv6Network) -> list[tuple[int, bytes, bytes | None]]:
        """Return the first address, client key and DUID of the leases in and around a reserved prefix; its own row is
        none."""
        return [
            (int(held["address"]), held["client_key"], held["duid"])
            for held in self.delegations.get(subnet_no, ())
            if delegated(held).overlaps(prefix) and delegated(held) != prefix
        ]


def delegated(row: Mapping[str, Any]) -> IPv6Network:
    return IPv6Network((int(row["address"]), row["prefix_length"]))


def ends(network: IPv6Network) -> tuple[int, int]:
    return int(network[0]), int(network[-1])


def without_vendors(vendors: list[Option], own: list[Option]) -> list[Option]:
    """Return the same as `without`, for option 17, which occurs once per enterprise; a withheld one
    is removed for all enterprises.
    """
    nearer = [option for option in own if option[0] == VENDOR_OPTIONS]
    if any(value is None and vendor_class is None for _, value, _, vendor_class in nearer):
        return []
    taken = {(enterprise(option), option[3]) for option in nearer}
    return [o for o in vendors if not {(enterprise(o), o[3]), (enterprise(o), None)} & taken]


def enterprise(option: Option) -> bytes | None:
    """Return the enterprise as the option's first octets; None: it is withheld."""
    return option[1] and option[1][:4]


def excluded(row: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return length of the prefix that each client leaves to the link, and its bits behind the delegated ones (RFC
    6603)."""
    if row["excluded_prefix"] is None:
        return None
    kept = ip_network(row["excluded_prefix"])
    return kept.prefixlen, int(kept.network_address) - int(ip_network(row["prefix"]).network_address)


def identities(row: Mapping[str, Any]) -> list[bytes]:
    """Return the identities as client keys have them."""
    found = []
    if row["duid"]:
        found.append(bytes([BY_DUID]) + row["duid"])
    if row["mac"] is not None:
        found.append(bytes([BY_HARDWARE, ETHERNET]) + octets_of(row["mac"]))
    lines = ((BY_CIRCUIT, "circuit_id"), (BY_REMOTE_ID, "remote_id"), (BY_SUBSCRIBER_ID, "subscriber_id"))
    return found + [bytes([kind]) + row[name] for kind, name in lines if row[name]]


def octets_of(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))
