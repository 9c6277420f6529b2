"""ISC dhcpd.conf, of DHCPv4 and DHCPv6.

What dhcpd inherits, from the whole file, groups and shared networks, is written into each subnet. Hosts are dhcpd's
whole plan's, wherever they are declared: each goes to the subnet in which its address lies.
"""

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from types import MappingProxyType
from typing import Any, NamedTuple

from api.importers.clashes import settle
from api.importers.conditions import CannotSay
from api.importers.isc import reasons, server_id, syntax
from api.importers.isc.classes import ClassReader
from api.importers.isc.options import OptionReader
from api.importers.isc.syntax import Statement
from api.importers.options import Option, by_code, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner
from ipam_core.model.lifetimes import INFINITE

NUMBERS = {
    "default-lease-time": "lease_time_seconds",
    "max-lease-time": "max_lease_time_seconds",
    "min-lease-time": "min_lease_time_seconds",
    "preferred-lifetime": "preferred_lifetime_seconds",
}
TEXTS = {"next-server": "next_server", "filename": "boot_file", "server-name": "server_name"}
DEFAULTS: dict[int, Fields] = {
    4: {"lease_time_seconds": 43200, "match_client_id": True, "authoritative": False},
    6: {"lease_time_seconds": 43200},
}
"""dhcpd's own, where they are not ours."""
HOST_NAME = 12
CLIENT_ID = 61


class Scope(NamedTuple):
    """Inherited settings: fields of a subnet, options, and whether hosts are called as they are declared. Of these,
    what groups say goes before what the subnet of a host says, so it is the host's own."""

    fields: Fields
    options: dict[int, Option]
    host_names: bool = False
    group_fields: Mapping[str, Any] = MappingProxyType({})
    group_options: Mapping[int, Option] = MappingProxyType({})

    def grouped(self, around: "Scope") -> "Scope":
        """Return this scope as inherited by hosts declared in a group."""
        fields = {name: each for name, each in self.fields.items() if around.fields.get(name) != each}
        options = {code: each for code, each in self.options.items() if around.options.get(code) != each}
        return self._replace(
            group_fields={**around.group_fields, **fields}, group_options={**around.group_options, **options}
        )


class Host(NamedTuple):
    statement: Statement
    scope: Scope


class Range(NamedTuple):
    """Addresses that are given, of a pool or a subnet; `options`: the pool's own."""

    statement: Statement
    class_: str | None
    options: dict[int, Option]


def read(text: str) -> Plan:
    """Raise SourceError for a file that is no dhcpd.conf."""
    statements = syntax.load(text)
    converter = Isc(6 if re.search(r"^[ \t]*+(?:subnet6|range6|prefix6)\s", text, re.MULTILINE) else 4)
    converter.whole(statements)
    return converter.finish(statements)


class Isc:
    """One file."""

    def __init__(self, family: int) -> None:
        self.family = family
        self.planner = Planner(f"isc{family}")
        self.options = OptionReader(self.planner, family)
        self.classes = ClassReader(self.planner, self.options)
        self.subnets: dict[IPv4Network | IPv6Network, Planned] = {}
        self.hosts: list[Host] = []
        self.ranges: list[Range] = []

    def whole(self, statements: list[Statement]) -> None:
        every = [each for top in statements for each in top.whole()]
        for each in every:
            if each.starts("option") and each.word(2) == "code" and each.word(4) == "=":
                self.options.define(each)
        self.classes.read(every)
        self.block(statements, self.inside(statements, Scope(DEFAULTS[self.family], {})))
        for wanted in self.ranges:
            self.range(wanted)
        for host in self.hosts:
            self.host(host)
        self.switch_off()

    def finish(self, statements: list[Statement]) -> Plan:
        plan = self.planner.plan
        settle(self.planner)
        for top in statements:
            self.tell_unread(top)
        every = [each for top in statements for each in top.whole()]
        plan.statements.warned = sum(each.fate == "warned" for each in every)
        plan.statements.read = len(every) - plan.statements.warned
        return self.planner.finish()

    def tell_unread(self, statement: Statement) -> None:
        if not statement.fate and statement.name == server_id.STATEMENT:
            self.options.tell(statement, "manual", statement.name, server_id.advice(statement))
        elif not statement.fate:
            reason, why = reasons.of(statement.name)
            self.options.tell(statement, reason, f"{statement.name} {statement.word(1)}".strip(), why)
        for each in statement.block or ():
            self.tell_unread(each)

    # --- scopes

    def block(self, statements: list[Statement], scope: Scope) -> None:
        """Read the declarations at the top, in a group or in a shared network."""
        for each in statements:
            if each.name == "group" and each.block is not None:
                each.settle("read")
                self.block(each.block, self.inside(each.block, scope).grouped(scope))
            elif each.name == "shared-network" and each.block is not None:
                each.settle("read")
                inner = self.inside(each.block, scope)
                self.block(each.block, inner._replace(fields=inner.fields | {"shared_network": each.word(1)}))
            elif each.name in ("subnet", "subnet6") and each.block is not None:
                self.subnet(each, scope)
            else:
                self.content(each, scope)

    def content(self, statement: Statement, scope: Scope) -> None:
        if statement.name == "host" and statement.block is not None:
            self.hosts.append(Host(statement, scope))
        elif statement.name in ("pool", "pool6") and statement.block is not None:
            self.pool(statement)
        elif statement.name in ("range", "range6", "prefix6"):
            self.ranges.append(Range(statement, None, {}))

    def inside(self, statements: list[Statement], around: Scope) -> Scope:
        fields, host_names = dict(around.fields), around.host_names
        options: list[Option | None] = []
        for each in statements:
            if each.block is not None or each.fate:
                continue
            if each.name == "option":
                options.append(self.options.read(each))
            elif each.name == "use-host-decl-names":
                host_names = self.flag(each)
            else:
                fields |= self.setting(each)
        found = {**around.options, **by_code(options)}
        return around._replace(fields=fields, options=found, host_names=host_names)

    def setting(self, statement: Statement) -> Fields:
        name, value = statement.name, statement.word(1)
        if name in NUMBERS and (seconds := seconds_of(value)) is not None:
            statement.settle("read")
            return {NUMBERS[name]: seconds}
        if name in TEXTS and value and self.family == 4:
            statement.settle("read")
            return {TEXTS[name]: value}
        if name == "authoritative" or statement.starts("not", "authoritative"):
            statement.settle("read")
            return {"authoritative": name == "authoritative"}
        if name == "ignore-client-uids":
            return {"match_client_id": not self.flag(statement)}
        if name == "ping-check":
            return {"ping_check": self.flag(statement)}
        return {}

    def flag(self, statement: Statement) -> bool:
        statement.settle("read")
        return statement.word(1).lower() in ("true", "on")

    # --- subnets

    def subnet(self, statement: Statement, around: Scope) -> None:
        statement.settle("read")
        assert statement.block is not None
        cidr = statement.word(1)
        if statement.name == "subnet":
            cidr = f"{cidr}/{statement.word(3)}" if statement.word(2) == "netmask" else cidr
        try:
            network = ip_network(cidr)
        except ValueError:
            why = "is no network: nothing in it is made"
            self.planner.warn(statement.line, "dropped", f"subnet {cidr}", why)
            for each in statement.block:
                each.settle("warned", below=True)
            return
        scope = self.inside(statement.block, around)
        fields = scope.fields | {"cidr": str(network)}
        most = fields.get("max_lease_time_seconds")
        if most is not None and most < fields["lease_time_seconds"]:
            fields["lease_time_seconds"] = most
        rest = into_fields(scope.options, fields) if self.family == 4 else scope.options
        prefix = self.planner.add("prefixes", statement.line, {"cidr": str(network)})
        made = prefix and self.planner.add("subnets", statement.line, fields, prefix)
        if made:
            self.subnets[network] = made
            self.place(rest, made)
        for each in statement.block:
            self.content(each, scope)

    def place(self, options: dict[int, Option], inside: Planned) -> None:
        for option in options.values():
            self.planner.add("options", option.line, option.fields, inside)

    def around(self, address: IPv4Address | IPv6Address) -> Planned | None:
        lengths = {each.prefixlen for each in self.subnets if each.version == address.version}
        found = (self.subnets.get(ip_network(f"{address}/{each}", strict=False)) for each in lengths)
        return next(filter(None, found), None)

    def switch_off(self) -> None:
        """Switch DHCP off where the subnet has no addresses to give."""
        used = {each.inside for each in self.planner.plan.objects if each.family in ("pools", "reservations")}
        for subnet in self.subnets.values():
            if subnet.ref not in used:
                subnet.fields["dhcp_enabled"] = False

    # --- pools

    def pool(self, statement: Statement) -> None:
        block = statement.block or []
        try:
            class_ = self.classes.permitted(statement)
        except CannotSay as reason:
            why = f"its clients cannot be selected by conditions ({reason}): it is not made"
            self.options.tell(statement, "manual", "pool", why)
            return
        statement.settle("read")
        fields, options, *_ = self.inside(block, Scope({}, {}))
        self.tell_misplaced(statement, "pool", fields)
        self.ranges += [
            Range(each, class_, options) for each in block if each.name in ("range", "range6", "prefix6")
        ]

    def range(self, wanted: Range) -> None:
        statement = wanted.statement
        words = [each.text for each in statement.words[1:]]
        if words[:1] == ["dynamic-bootp"]:
            words = words[1:]
            self.planner.warn(
                statement.line, "approximated", f"range {words[0] if words else ''}", "not for BOOTP too"
            )
        fields = ends_of(statement.name, words)
        try:
            start = ip_address(words[0] if "prefix" in fields else fields["start_ip"])
        except (ValueError, IndexError):
            self.options.tell(statement, "dropped", f"range {statement.text}", "is no range of addresses")
            return
        subnet = self.around(start)
        if subnet is None and "prefix" in fields and self.subnets:
            subnet = next(iter(self.subnets.values()))
        if subnet is None:
            self.options.tell(
                statement, "dropped", f"range {statement.text}", "lies in no subnet of the file"
            )
            return
        statement.settle("read")
        made = self.planner.add("pools", statement.line, fields | {"class": wanted.class_}, subnet)
        if made:
            self.place(wanted.options, made)

    # --- hosts

    def host(self, host: Host) -> None:
        statement, block = host.statement, host.statement.block or []
        statement.settle("read")
        name, what = statement.word(1), f"host {statement.word(1)}"
        fields = self.identity(block, what) | {"description": name}
        scope = host.scope
        own = self.inside(block, Scope(dict(scope.group_fields), dict(scope.group_options), scope.host_names))
        options = dict(own.options)
        identifier = options.pop(CLIENT_ID, None)
        if identifier:
            fields["client_id"] = identifier.fields["payload"].get("hex")
        called = options.pop(HOST_NAME, None) if self.family == 4 else None
        if called:
            fields["hostname"] = called.fields["payload"].get("string")
        elif own.host_names:
            fields["hostname"] = name
        self.tell_misplaced(statement, "host", own.fields)
        self.reserve(statement, fields, options)

    def tell_misplaced(self, statement: Statement, what: str, fields: Fields) -> None:
        """Report fields that hosts and pools do not have."""
        for name, value in fields.items():
            why = "is of a subnet or a class: make a class for it, and give the class"
            self.planner.warn(statement.line, "manual", f"{what} with {name} {value}", why)

    def identity(self, block: list[Statement], what: str) -> Fields:
        found: Fields = {}
        for each in block:
            if each.starts("hardware", "ethernet"):
                each.settle("read")
                found["mac"] = each.word(2)
            elif each.starts("host-identifier", "option", "dhcp6.client-id"):
                each.settle("read")
                found["duid"] = each.word(3)
            elif each.name == "fixed-prefix6":
                each.settle("read")
                found["prefix"] = each.word(1)
            elif each.name in ("hardware", "host-identifier"):
                self.options.tell(each, "manual", what, f"{each.name} {each.text}: name its client otherwise")
        return found

    def reserve(self, statement: Statement, fields: Fields, options: dict[int, Option]) -> None:
        """Make one reservation for each subnet in which the host has an address; without any, one that applies
        everywhere."""
        what = f"host {statement.word(1)}"
        addresses = self.addresses(statement, what)
        places = [(None, None)] if addresses is None else addresses
        for address, subnet in places:
            made = self.planner.add("reservations", statement.line, fields | {"ip": address}, subnet)
            if made:
                self.place(options, made)

    def addresses(self, statement: Statement, what: str) -> "list[Any] | None":
        """Return None: it has no fixed address."""
        said = [each for each in statement.block or () if each.name in ("fixed-address", "fixed-address6")]
        if not said:
            return None
        found: dict[str, tuple[str, Planned]] = {}
        for each in said:
            each.settle("read")
            for word in (word.text for word in each.words[1:] if word.text != ","):
                subnet = self.subnet_of(word)
                if subnet is None:
                    why = f"{word} is no address in a subnet of the file (names are not resolved)"
                    self.planner.warn(each.line, "manual", what, why)
                elif subnet.ref in found:
                    self.planner.warn(each.line, "manual", what, f"{word} is one more of it in its subnet")
                else:
                    found[subnet.ref] = word, subnet
        return list(found.values())

    def subnet_of(self, text: str) -> Planned | None:
        try:
            return self.around(ip_address(text))
        except ValueError:
            return None


def ends_of(name: str, words: list[str]) -> Fields:
    """Return the ends of range A [B]; range6 A B, or a network; prefix6 A B /LENGTH, which is one prefix from A on."""
    if name == "prefix6":
        return delegated(words)
    if len(words) == 1 and "/" in words[0]:
        try:
            network = ip_network(words[0], strict=False)
        except ValueError:
            return {"start_ip": words[0], "end_ip": words[0]}
        return {"start_ip": str(network[0]), "end_ip": str(network[-1])}
    first = words[0] if words else ""
    return {"start_ip": first, "end_ip": words[1] if len(words) > 1 else first}


def delegated(words: list[str]) -> Fields:
    """Return the first prefix of the range; the pool is as long as both ends have in common."""
    try:
        first, last = (IPv6Address(each) for each in words[:2])
        length = int(words[2].removeprefix("/"))
        common = 128 - (int(first) ^ (int(last) | ((1 << (128 - length)) - 1))).bit_length()
        return {"prefix": str(ip_network((int(first), common))), "delegated_length": length}
    except (ValueError, IndexError):
        return {"start_ip": "", "end_ip": ""}


def seconds_of(text: str) -> int | None:
    """Return a lease time; -1, and dhcpd's word for it, never ends."""
    if text in ("-1", "infinite"):
        return INFINITE
    return int(text) if text.isdecimal() and len(text) < 12 else None
