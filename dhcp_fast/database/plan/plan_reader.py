"""Reader that compiles the database's configuration for the engine.

It reads rows, turns options into wire data and addresses into numbers, and gives the engine one
description per subnet. So the packet path does not depend on the format of the database. A row that
cannot be used (written by a later version, for example) is reported and left out; its subnet is
served without it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

from dhcp_fast.database.plan.class_conditions import conditions
from dhcp_fast.database.plan.in_use import relay_room, withheld
from dhcp_fast.database.plan.placing import Numbers
from dhcp_fast.database.plan.plan_rows import Rows, by, hash_key
from dhcp_fast.engine.engine import Engine
from dhcp_fast.plan.compile import ServedView, SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.relays import TrustedRelay
from dhcp_fast.plan.reservation_set import ReservationSet
from dhcp_fast.plan.tenant_view import MOST_CLASSES, TenantView
from ipam_core.dhcp.compile import WITHHELD, CompiledOption, compile_scope, compile_subnet
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import MAX_DATA
from ipam_core.dhcp.registry import definition_from
from ipam_core.dhcp.server_duid import effective
from ipam_core.errors import ValidationError
from ipam_core.host_labels import host_label
from ipam_core.settings import Settings

BROADCAST_ADDRESS = 28
LONGEST_WITH_BROADCAST = 30
ANY_CLASS = -1

Option = tuple[int, bytes | None, bool, bytes | None]
Address = IPv4Address | IPv6Address


class CompiledSubnet(NamedTuple):
    """A subnet for the engine, the relay addresses that choose it, and the interface that it names."""

    view: ServedView
    relay_addresses: tuple[int, ...]
    network: IPv4Network | IPv6Network
    interface: str | None


class CompiledPlan(NamedTuple):
    """`subnets` by number: all, or those asked for. `position`: from there on the changes are still to be read."""

    subnets: dict[int, CompiledSubnet]
    relays: list[TrustedRelay]
    default_tenant: int
    hash_key: tuple[int, int]
    problems: list[str]
    position: str
    tenants: dict[int, str]
    linkless: list[ServedView]
    server_duid: bytes


def number(address: Any) -> int:
    return int(IPv4Address(address))


IDENTIFIED = (124, 125)  # DHCPv4 options that name enterprises (RFC 3925)
MOST_CODES = {4: 255, 6: 65536}  # of DHCPv4 without END


def wire(options: Iterable[CompiledOption], family: int) -> list[Option]:
    return [
        (option.code, option.data, option.always_send, encoded(option.vendor_class))
        for option in options
        if option.code < MOST_CODES[family]
    ]


def encoded(text: str | None) -> bytes | None:
    return text.encode() if text else None


def boot_server(row: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return server_name (sname and option 66), and next_server as text (in its place, in sname only where it is a
    name) and, where it is an address, as siaddr."""
    name = fitting(row, "next_server", problems)
    try:
        address = int(IPv4Address(name)) if name else None
    except ValueError:
        address = None
    return {
        "server_name": encoded(fitting(row, "server_name", problems)),
        "next_server": encoded(name),
        "next_server_address": address,
        "boot_file": encoded(fitting(row, "boot_file", problems)),
    }


def fitting(row: Mapping[str, Any], field: str, problems: list[str]) -> str | None:
    """Return the field, unless it is longer than any option: the API accepts no such value, but a
    direct write to the row may contain one.
    """
    text: str | None = row[field]
    if text is None or len(text.encode()) <= MAX_DATA:
        return text
    problems.append(f"{field} of {row['name'] or row['no']}: longer than {MAX_DATA} octets")
    return None


def naming(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of a subnet's clients, as octets without the last dot.

    The domain names made of them by ipam_core/dns/host_names.py are both in DNS and in the replies
    to clients.
    """
    return {
        "ddns_domain": encoded((row["ddns_domain"] or row["ddns_forward_zone"] or "").rstrip(".")),
        "ddns_client_domains": encoded("\n".join(each.rstrip(".") for each in row["ddns_client_domains"])),
        "ddns_generated_prefix": encoded(host_label(row["ddns_generated_prefix"])),
    }


class Reader:
    """Reader that compiles the rows of one reading, of IPv4; plan_reader6.py has the differences for IPv6.

    Raises UnfinishedSchemaError if there is no default tenant; a row that cannot be used is
    reported in `problems`. `interfaces`: numbers of the interfaces that classes name, else those of
    this host.
    """

    FAMILY = 4
    passing: Collection[int] = ()
    """Subnets of whose description a part ends by itself, so that they are to be read again."""

    def __init__(self, rows: dict[str, Any], interfaces: Numbers | None = None) -> None:
        self.rows = rows
        self.interfaces = interfaces
        self.problems: list[str] = []
        self.definitions = self.read_definitions()
        self.default_tenant = next(row["no"] for row in rows["tenants"] if row["is_default"])
        self.hash_key = hash_key(rows["tenants"])
        self.options = self.group_options()
        self.binding = {row["tenant_no"] for row in rows["options"] if self.is_bound(row)}
        self.reserved_options = self.group_reserved()
        self.children = {name: by(rows[name], "subnet_no") for name in CHILDREN}
        self.classes = {no: self.first(classes) for no, classes in by(rows["classes"], "tenant_no").items()}
        self.class_indexes = {
            row["no"]: index for classes in self.classes.values() for index, row in enumerate(classes)
        }
        self.tenants = {row["no"]: self.tenant(row) for row in rows["tenants"]}
        self.everywhere = {no: self.compiled(("global", no), no) for no in self.tenants}

    def compile(self) -> CompiledPlan:
        subnets = {row["no"]: self.subnet(row) for row in self.rows["subnets"]}
        position = self.rows["position"]
        return CompiledPlan(
            subnets,
            self.relays,
            self.default_tenant,
            self.hash_key,
            self.problems,
            position,
            self.tenant_names,
            self.linkless(),
            self.server_duid,
        )

    def linkless(self) -> list[ServedView]:
        """Return each tenant's options for clients on links without a subnet; none in DHCPv4."""
        return []

    @property
    def server_duid(self) -> bytes:
        """Under which the DHCPv6 servers answer."""
        row = self.rows["tenants"][0]
        return effective(row["hash_key"], row["server_duid"])

    @property
    def relays(self) -> list[TrustedRelay]:
        return [relay_of(row) for row in self.rows["relays"]]

    @property
    def tenant_names(self) -> dict[int, str]:
        return {row["no"]: row["name"] for row in self.rows["tenants"]}

    def wires(self) -> Iterable[list[Mapping[str, Any]]]:
        """Return the rows of the subnets, those of a shared network together."""
        found: dict[Any, list[Mapping[str, Any]]] = defaultdict(list)
        for row in self.rows["subnets"]:
            name = row["shared_network"]
            found[row["no"] if name is None else (row["tenant_no"], name)].append(row)
        return found.values()

    def first(self, classes: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the first by priority, as many as the engine can represent."""
        self.problems += [
            f"client class {row['name']}: more than {MOST_CLASSES}" for row in classes[MOST_CLASSES:]
        ]
        return classes[:MOST_CLASSES]

    def read_definitions(self) -> dict[int, list[OptionDef]]:
        found: dict[int, list[OptionDef]] = defaultdict(list)
        for row in self.rows["definitions"]:
            try:
                found[row["tenant_no"]].append(definition_from(row))
            except ValidationError as error:
                self.problems.append(f"option definition {row['name']}: {error}")
        return found

    def group_reserved(self) -> Rows:
        """Return the reservations that have options, by subnet."""
        found = {
            (row["subnet_no"], row["reservation_no"]) for row in self.rows["options"] if row["reservation_no"]
        }
        return by([{"subnet_no": subnet, "no": no} for subnet, no in found], "subnet_no")

    def group_options(self) -> dict[tuple[str, int], list[Any]]:
        """Return rows as the compiler takes them, by scope."""
        grouped: dict[tuple[str, int], list[Any]] = defaultdict(list)
        for row in self.rows["options"]:
            payload = WITHHELD if row["never_send"] else row["payload"]
            entry = (row["code"], row["vendor_class"], payload, row["always_send"])
            grouped[scope_of(row)].append(entry)
        return grouped

    def is_bound(self, row: Mapping[str, Any]) -> bool:
        """Return whether an option is only for clients of a vendor class; DHCPv4's by enterprise number are not."""
        named = row["vendor_class"] or ""
        return named != "" and not (self.FAMILY == 4 and row["code"] in IDENTIFIED and named.isdigit())

    def compiled(self, scope: tuple[str, int], tenant_no: int) -> list[Option]:
        result = compile_scope(self.FAMILY, self.options.get(scope, ()), self.definitions[tenant_no])
        self.problems += result.problems
        return wire(result.options, self.FAMILY)

    def tenant(self, row: Mapping[str, Any]) -> TenantView:
        classes = [self.client_class(found) for found in self.classes.get(row["no"], ())]
        return TenantView(
            row["no"], classes, self.reserved(-row["no"], row["no"]), binds=row["no"] in self.binding
        )

    def client_class(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "vendor_class": encoded(row["vendor_class"]),
            "user_class": encoded(row["user_class"]),
            "mac_prefix": row["mac_prefix"],
            "locally_administered": row["locally_administered"],
            "known": row["known"],
            "match": conditions(row, self.classes[row["tenant_no"]], self.problems, self.interfaces),
            "no": row["no"],
            "name": encoded(row["name"]),
            "template": row["template"],
            "deny": row["deny"],
            "options": self.compiled(("class", row["no"]), row["tenant_no"]),
            **boot_server(row, self.problems),
        }

    def subnet(self, row: Mapping[str, Any]) -> CompiledSubnet:
        cidr: IPv4Network = row["cidr"]
        fields = {
            **dict(row),
            "network": int(cidr.network_address),
            "mask": int(cidr.netmask),
            "gateway": number(row["gateway"]) if row["gateway"] else None,
            "options": self.subnet_options(row),
            "pools": [
                self.pool(pool, row["tenant_no"])
                for pool in self.children["pools"].get(row["no"], ())
                if self.can_serve(pool, cidr)
            ],
            "forbidden": self.forbidden(row),
            "relay_room": relay_room(self.in_use(row["no"])),
            "reservations": self.reserved(row["no"], row["tenant_no"]) or [],
            **boot_server(row, self.problems),
            **naming(row),
        }
        view = SubnetView(self.tenants[row["tenant_no"]], self.hash_key, fields)
        return CompiledSubnet(view, self.relay_addresses(row), cidr, row["interface"])

    def relay_addresses(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        addresses = [ip_address(str(address)) for address in row["relay_addresses"]]
        return tuple(int(address) for address in addresses if address.version == self.FAMILY)

    def subnet_options(self, row: Mapping[str, Any]) -> list[Option]:
        """Return the subnet's own, and behind them the global ones and the broadcast address; a /31 and a /32 have none
        (RFC 3021 section 2.2)."""
        own = self.own_options(row)
        own += without(self.everywhere[row["tenant_no"]], own)
        if row["cidr"].prefixlen > LONGEST_WITH_BROADCAST:
            return own
        broadcast = (BROADCAST_ADDRESS, row["cidr"].broadcast_address.packed, False, None)
        return own + without([broadcast], own)

    def own_options(self, row: Mapping[str, Any]) -> list[Option]:
        stored = self.options.get(("subnet", row["no"]), ())
        result = compile_subnet(row, stored, self.definitions[row["tenant_no"]])
        self.problems += result.problems
        return wire(result.options, self.FAMILY)

    def can_serve(self, pool: Mapping[str, Any], cidr: IPv4Network) -> bool:
        """Return whether the pool can serve: not when it leaves its subnet, or is for a class that was left out."""
        fits = pool["start_ip"] in cidr and pool["end_ip"] in cidr
        if fits and (pool["class_no"] is None or pool["class_no"] in self.class_indexes):
            return True
        self.problems.append(f"pool {pool['start_ip']} to {pool['end_ip']} of {cidr}")
        return False

    def pool(self, row: Mapping[str, Any], tenant_no: int) -> PoolRow:
        class_index = ANY_CLASS if row["class_no"] is None else self.class_indexes[row["class_no"]]
        options = self.compiled(("pool", row["no"]), tenant_no)
        sequential = row["allocation"] == "sequential"
        return PoolRow(
            row["no"], number(row["start_ip"]), number(row["end_ip"]), class_index, sequential, options
        )

    def forbidden(self, row: Mapping[str, Any]) -> list[tuple[int, int]]:
        """Return the ranges that no pool allocates, apart from reservations: network and broadcast
        address (up to /30), gateway, excludes and assignments.
        """
        cidr: IPv4Network = row["cidr"]
        no = row["no"]
        ranges = [(number(r["start_ip"]), number(r["end_ip"])) for r in self.children["excludes"].get(no, ())]
        single = [r["ip"] for r in self.children["assignments"].get(no, ())]
        single += withheld(self.in_use(no))
        if row["gateway"]:
            single.append(row["gateway"])
        if cidr.prefixlen <= LONGEST_WITH_BROADCAST:
            single += [cidr.network_address, cidr.broadcast_address]
        return ranges + [(number(address), number(address)) for address in single]

    def in_use(self, subnet_no: int) -> list[Mapping[str, Any]]:
        """Return addresses in its pools that machines visibly use."""
        return self.children["in_use"].get(subnet_no, [])

    def reserved(self, place: int, tenant_no: int) -> ReservationSet | None:
        """Return the reserved addresses. `place`: the number of a subnet, or minus that of the tenant."""
        found: ReservationSet | None = self.rows["reservations"].get(place)
        if found is None:
            return None
        for reservation in self.reserved_options.get(place, ()):
            options = self.compiled(("reservation", reservation["no"]), tenant_no)
            found.put_options(reservation["no"], options)
        return found


CHILDREN = ("pools", "excludes", "assignments", "in_use")


def scope_of(row: Mapping[str, Any]) -> tuple[str, int]:
    for scope in ("pool", "class", "reservation", "subnet"):
        if row[f"{scope}_no"] is not None:
            return scope, row[f"{scope}_no"]
    return "global", row["tenant_no"]


def without(options: list[Option], stored: list[Option]) -> list[Option]:
    """Return the options whose code, for the same vendor class, a nearer scope does not have; one for everybody there
    wins."""
    taken = {(code, vendor_class) for code, _, _, vendor_class in stored}
    return [o for o in options if (o[0], o[3]) not in taken and (o[0], None) not in taken]


def network_numbers(cidr: Any) -> tuple[int, int]:
    network = ip_network(cidr)
    return int(network.network_address), int(network.netmask)


def relay_of(row: Mapping[str, Any]) -> TrustedRelay:
    """Return the relay, without sources of the other family, which the API refuses."""
    sources = tuple(network_numbers(source) for source in row["sources"])
    numbers = network_numbers(row["cidr"])
    return TrustedRelay(*numbers, row["tenant_no"], row["no"], sources, row["vss"], row["client_vss"])


def own_relays(settings: Settings, family: int = 4) -> list[TrustedRelay]:
    """Return the networks of the setting, whose relays are the default tenant's."""
    return [
        TrustedRelay(*network_numbers(cidr)) for cidr in settings.trusted_relays if cidr.version == family
    ]


def set_relays(
    engine: Engine, relays: Iterable[TrustedRelay], default_tenant: int, names: Mapping[int, str]
) -> None:
    """Set the tenants of each relay; `names`: of all tenants, which are those of virtual networks."""
    named = {no: name.encode() for no, name in names.items()}
    engine.plan.set_relays(list(relays), default_tenant, named)
