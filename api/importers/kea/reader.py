"""Kea's configuration, of DHCPv4 and DHCPv6: a file, or the answer of config-get.

What Kea inherits, from the whole server and from shared networks, is written into each subnet, options too: so it
reaches these subnets and no others. Kea has no excludes; what lies between its pools is given to nobody here either.
"""

from ipaddress import ip_network
from typing import Any, NamedTuple

from api.importers.clashes import settle
from api.importers.conditions import CannotSay
from api.importers.faults import SourceError
from api.importers.kea import reasons, relaxed_json, server_id
from api.importers.kea.classes import ClassReader, boot_of
from api.importers.kea.context import SUBNET_ID, described
from api.importers.kea.options import OptionReader
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner
from api.importers.source import Entry

NUMBERS = {
    "valid-lifetime": "lease_time_seconds",
    "min-valid-lifetime": "min_lease_time_seconds",
    "max-valid-lifetime": "max_lease_time_seconds",
    "renew-timer": "renew_time_seconds",
    "rebind-timer": "rebind_time_seconds",
}
FLAGS = {"match-client-id": "match_client_id", "authoritative": "authoritative"}
TEXTS = {"interface": "interface", "interface-id": "interface_id"}
DEFAULTS: dict[int, Fields] = {
    4: {"lease_time_seconds": 7200, "match_client_id": True, "authoritative": False},
    6: {"lease_time_seconds": 7200},
}
"""Kea's own, where they are not ours."""
SHARES: dict[int, Fields] = {
    4: {"calculate-tee-times": True, "t1-percent": 0.5, "t2-percent": 0.875},
    6: {"calculate-tee-times": True, "t1-percent": 0.5, "t2-percent": 0.8},
}
OF_SUBNET = ("name", "vlan_id", "site", "tags", "custom", "dhcp_enabled")
OF_POOL = ("name", "tags", "custom")
OF_RESERVATION = ("tags", "custom")
IDENTITIES = {
    "hw-address": "mac",
    "duid": "duid",
    "client-id": "client_id",
    "circuit-id": "circuit_id",
}


class Scope(NamedTuple):
    """Settings that a subnet inherits."""

    fields: Fields
    options: dict[int, Option]

    def inside(self, fields: Fields, options: dict[int, Option]) -> "Scope":
        return Scope(self.fields | fields, self.options | options)


def read(text: str) -> Plan:
    """Raise SourceError for a file that is no configuration of Kea."""
    document = relaxed_json.load(text)
    top = unwrapped(document)
    family = 6 if "Dhcp6" in top else 4
    server = top.entry(f"Dhcp{family}")
    if server is None:
        raise SourceError(top.line, "has neither Dhcp4 nor Dhcp6")
    converter = Kea(family)
    converter.server(server)
    return converter.finish(top)


def unwrapped(document: Any) -> Entry:
    """Return the configuration in an answer of config-get: a list of {"result": 0, "arguments": {...}}."""
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if not isinstance(document, Entry):
        raise SourceError(1, 'is no configuration of Kea: {"Dhcp4": ...}, or an answer of config-get')
    inner = document.get("arguments")
    return inner if isinstance(inner, Entry) else document


class Kea:
    """One server. What is not asked for is told at the end."""

    def __init__(self, family: int) -> None:
        self.family = family
        self.planner = Planner(f"kea{family}")
        self.options = OptionReader(self.planner, family)
        self.classes = ClassReader(self.planner, self.options)

    def finish(self, top: Entry) -> Plan:
        plan = self.planner.plan
        settle(self.planner)
        for unread in top.unread():
            reason, why = reasons.of(unread.name)
            self.planner.warn(unread.line, reason, unread.name, why)
        plan.statements.warned = top.warned()
        plan.statements.read = top.statements() - plan.statements.warned
        return self.planner.finish()

    def server(self, entry: Entry) -> None:
        read_as_ours(entry, self.family)
        self.options.define(entry.entries("option-def"))
        self.classes.read(entry.entries("client-classes"))
        scope = Scope(DEFAULTS[self.family], {}).inside(self.settings(entry), self.options.read(entry))
        self.subnets(entry, scope)
        for network in entry.entries("shared-networks"):
            name = {"shared_network": network.text("name")}
            self.subnets(network, scope.inside(self.settings(network) | name, self.options.read(network)))
        for each in entry.entries("reservations"):
            self.reservation(each, None)
        if self.family == 6:
            server_id.tell(self.planner, entry)

    def subnets(self, holder: Entry, scope: Scope) -> None:
        for entry in holder.entries(f"subnet{self.family}"):
            self.subnet(entry, scope.inside(self.settings(entry), self.options.read(entry)))

    def settings(self, entry: Entry) -> Fields:
        """Return the members that are inherited, as fields of a subnet."""
        found: Fields = {ours: entry.number(name) for name, ours in NUMBERS.items()}
        if self.family == 4:
            found |= {ours: entry.flag(name) for name, ours in FLAGS.items()} | boot_of(entry)
        else:
            found |= {
                "preferred_lifetime_seconds": entry.number("preferred-lifetime"),
                "rapid_commit": entry.flag("rapid-commit"),
            }
        found |= {ours: entry.text(name) or None for name, ours in TEXTS.items()}
        relay = entry.entry("relay")
        if relay is not None:
            found["relay_addresses"] = relay.texts("ip-addresses") or None
        return {name: value for name, value in found.items() if value is not None}

    def subnet(self, entry: Entry, scope: Scope) -> None:
        cidr, number = entry.text("subnet"), entry.number("id")
        what = f"subnet {cidr or ''}".strip()
        fields = scope.fields | described(entry, *OF_SUBNET) | {"cidr": canonical(cidr or "")}
        options = into_fields(scope.options, fields) if self.family == 4 else scope.options
        class_ = None
        try:
            class_ = self.classes.chosen(entry, what)
        except CannotSay as reason:
            fields["dhcp_enabled"] = False
            self.planner.warn(
                entry.line, "manual", what, f"{reason}: nobody is answered there (dhcp_enabled false)"
            )
        if number:
            fields["custom"] = fields.get("custom", {}) | {SUBNET_ID: number}
        prefix = self.planner.add("prefixes", entry.line, {"cidr": fields["cidr"]})
        subnet = prefix and self.planner.add("subnets", entry.line, fields, prefix, lines_of(entry))
        if subnet is None:
            entry.tell()
            self.planner.warn(entry.line, "dropped", what, "is not made, and nothing in it")
            return
        self.contents(entry, subnet, options, class_)

    def contents(self, entry: Entry, subnet: Planned, options: dict[int, Option], class_: str | None) -> None:
        self.options.place(options, subnet)
        for each in entry.entries("pools"):
            self.pool(each, subnet, class_)
        for each in entry.entries("pd-pools"):
            self.delegation(each, subnet, class_)
        for each in entry.entries("reservations"):
            self.reservation(each, subnet)

    # --- pools

    def pool(self, entry: Entry, subnet: Planned, class_: str | None) -> None:
        start, end = ends(entry.text("pool") or "")
        self.make_pool(entry, subnet, class_, {"start_ip": start, "end_ip": end}, f"pool {start} - {end}")

    def delegation(self, entry: Entry, subnet: Planned, class_: str | None) -> None:
        prefix, length = entry.text("prefix"), entry.number("prefix-len")
        fields: Fields = {"prefix": f"{prefix}/{length}", "delegated_length": entry.number("delegated-len")}
        excluded, excluded_length = entry.text("excluded-prefix"), entry.number("excluded-prefix-len")
        if excluded and excluded_length:
            fields["excluded_prefix"] = f"{excluded}/{excluded_length}"
        self.make_pool(entry, subnet, class_, fields, f"pd-pool {prefix}/{length}")

    def make_pool(self, entry: Entry, subnet: Planned, class_: str | None, fields: Fields, what: str) -> None:
        try:
            own = self.classes.chosen(entry, what)
        except CannotSay as reason:
            entry.tell()
            self.planner.warn(entry.line, "manual", what, f"{reason}; it is not made")
            return
        if own and class_ and own != class_:
            why = f"is for the class {own}; that its clients must be in {class_} too is not taken over"
            self.planner.warn(entry.line, "approximated", what, why)
        fields |= described(entry, *OF_POOL) | {"class": own or class_}
        pool = self.planner.add("pools", entry.line, fields, subnet)
        options = self.options.read(entry)
        if pool:
            self.options.place(options, pool)

    # --- reservations

    def reservation(self, entry: Entry, subnet: Planned | None) -> None:
        fields: Fields = {ours: identity(ours, entry.text(name)) for name, ours in IDENTITIES.items()}
        fields |= (
            {"hostname": entry.text("hostname") or None}
            | described(entry, *OF_RESERVATION)
            | self.addresses(entry)
        )
        what = f"reservation {fields['ip'] or fields['hostname'] or ''}".strip()
        fields["class"] = self.class_of(entry, what)
        for name in boot_of(entry):
            why = f"{name} is of a subnet or a class: make a class for it, and name it in the reservation"
            self.planner.warn(entry.line, "manual", what, why)
        if "flex-id" in entry:
            self.planner.warn(entry.line_of("flex-id"), "manual", what, "flex-id: a hook decides its content")
            entry.text("flex-id")
        options = self.options.read(entry)
        if subnet is None and fields["ip"]:
            why = f"holds in all subnets, so its address {fields['ip']} is not taken over"
            self.planner.warn(entry.line, "dropped", what, why)
            fields |= {"ip": None}
        made = self.planner.add("reservations", entry.line, fields, subnet, entry.lines)
        if made:
            self.options.place(options, made)

    def addresses(self, entry: Entry) -> Fields:
        """Return the address, and of DHCPv6 the prefix with what is excluded of it; of several the first."""
        found = {"ip": entry.text("ip-address") or None}
        for name, ours in (("ip-addresses", "ip"), ("prefixes", "prefix")):
            values = entry.texts(name)
            if values:
                found[ours] = values[0]
            for each in values[1:]:
                why = f"{each} is one more of its client: a reservation has one"
                self.planner.warn(entry.line_of(name), "manual", f"reservation {values[0]}", why)
        # In the order of the prefixes, and empty where nothing is excluded.
        excluded = entry.texts("excluded-prefixes")
        if excluded and excluded[0]:
            found["excluded_prefix"] = excluded[0]
        return found

    def class_of(self, entry: Entry, what: str) -> str | None:
        names = entry.texts("client-classes")
        known = [each for each in names if each in self.classes.names]
        for each in names:
            if each not in known[:1]:
                why = f"its client is not put into the class {each}: " + (
                    "a reservation names one" if each in known else "the plan does not have it"
                )
                self.planner.warn(entry.line_of("client-classes"), "manual", what, why)
        return known[0] if known else None


def read_as_ours(entry: Entry, family: int) -> None:
    """Read T1 and T2 as shares of the lease, where these are ours."""
    for name, ours in SHARES[family].items():
        if entry.get(name) == ours:
            entry.read.add(name)


def canonical(cidr: str) -> str:
    """Return the canonical network; another text is returned as it is, for the model to refuse."""
    try:
        return str(ip_network(cidr))
    except ValueError:
        return cidr


def ends(pool: str) -> tuple[str, str]:
    """Return the ends of "a - b" or a network; a text that is neither comes back for the model to refuse."""
    if "/" in pool:
        try:
            network = ip_network(pool.strip(), strict=False)
        except ValueError:
            return pool, pool
        return str(network[0]), str(network[-1])
    start, _, end = pool.partition("-")
    return start.strip(), end.strip() or start.strip()


def identity(ours: str, value: str | None) -> str | None:
    """Return the identity; a circuit id is text in quotes, or hexadecimal without a mark, and a client id may be either
    too."""
    if not value:
        return None
    plain = value.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        text = plain[1:-1]
        return text if ours == "circuit_id" else text.encode().hex()
    if ours == "circuit_id":
        return "0x" + plain.removeprefix("0x").replace(":", "")
    return plain


def lines_of(entry: Entry) -> dict[str, int]:
    """Return the lines of a subnet's fields, under our names."""
    ours = NUMBERS | FLAGS | TEXTS | {"subnet": "cidr", "relay": "relay_addresses", "option-data": "gateway"}
    return {name: entry.lines[theirs] for theirs, name in ours.items() if theirs in entry.lines}
