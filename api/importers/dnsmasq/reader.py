"""A dnsmasq.conf as a plan.

What dnsmasq gives to everybody is written into each subnet. A tag that a range sets is the range's; any other is a
class.
"""

from collections.abc import Callable

from api.importers.clashes import settle
from api.importers.conditions import CannotSay
from api.importers.dnsmasq import hosts, reasons
from api.importers.dnsmasq.offer import Offer
from api.importers.dnsmasq.options import Given, NoOption, gathered, given
from api.importers.dnsmasq.ranges import Network, NoRange, Range, guess, range_of
from api.importers.dnsmasq.records import Records
from api.importers.dnsmasq.syntax import Statement, statements, tagged
from api.importers.dnsmasq.tags import RELAY, Tags
from api.importers.faults import SourceError
from api.importers.lines import counted, lose
from api.importers.networks import Networks
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner, Reason

RULES = ("dhcp-match", "dhcp-vendorclass", "dhcp-userclass", "dhcp-mac", *RELAY)
DEFAULTS: dict[int, Fields] = {
    4: {"lease_time_seconds": 3600, "match_client_id": True, "authoritative": False, "ping_check": True},
    6: {"lease_time_seconds": 86400},
}
"""dnsmasq's own, where they are not ours."""
FLAGS: dict[str, Fields] = {
    "dhcp-authoritative": {"authoritative": True},
    "dhcp-rapid-commit": {"rapid_commit": True},
    "no-ping": {"ping_check": False},
    "dhcp-ignore-clid": {"match_client_id": False},
}
LEAST_LEASE = 120
BOOT = ("boot_file", "server_name", "next_server")
ROUTER, RESOLVER, DOMAIN = 3, 6, 15
EVERYBODY_UNKNOWN = "!known"


def read(text: str) -> Plan:
    """Raise SourceError for a file without a line of DHCP."""
    lines = list(statements(text))
    if not any(each.name.startswith(("dhcp-", "host-record", "address")) for each in lines):
        raise SourceError(1, "has no line of DHCP: dhcp-range, dhcp-host, dhcp-option")
    converter = Dnsmasq()
    converter.whole(lines)
    plan = converter.finish()
    plan.statements = counted(lines)
    return plan


class Dnsmasq:
    """One file."""

    def __init__(self) -> None:
        self.planner = Planner("dnsmasq")
        self.tags = Tags(self.planner)
        self.subnets = Networks()
        self.ranges: list[Range] = []
        self.options = Offer(self.planner)
        self.hosts: list[Statement] = []
        self.records = Records(self.planner, self.subnets)
        self.boot: list[tuple[list[str], Statement, Fields]] = []
        self.settings: Fields = {}
        self.allocation: str | None = None
        self.readers: dict[str, Callable[[Statement], None]] = {
            "dhcp-range": self.read_range,
            "dhcp-option": self.read_option,
            "dhcp-option-force": self.read_option,
            "dhcp-host": self.read_host,
            "dhcp-boot": self.read_boot,
            "dhcp-ignore": self.read_ignored,
            "dhcp-sequential-ip": self.read_sequential,
            "domain": self.read_domain,
            "address": self.records.every.append,
            "host-record": self.records.every.append,
        } | dict.fromkeys(RULES, self.tags.rule)

    def whole(self, lines: list[Statement]) -> None:
        for each in lines:
            if each.name in FLAGS:
                self.settings |= FLAGS[each.name]
            elif each.name in self.readers:
                self.readers[each.name](each)
            else:
                self.lose(each, *reasons.of(each.name))
        for tags, _, fields in self.boot:
            if len(tags) == 1 and not self.of_ranges(tags):
                self.tags.fields.setdefault(tags[0], {}).update(fields)
        self.tags.make(self.wanted())
        for network, some in self.networks().items():
            self.subnet(network, some)
        self.class_options()
        for each in self.hosts:
            self.host(hosts.host_of(each))
            each.words.clear()  # there may be a million of them
        self.records.make()

    def finish(self) -> Plan:
        settle(self.planner)
        return self.planner.finish()

    def lose(self, statement: Statement, reason: Reason, why: str) -> None:
        lose(self.planner, statement, reason, statement.text, why)

    # --- lines

    def read_range(self, statement: Statement) -> None:
        try:
            self.ranges.append(range_of(statement))
        except NoRange as reason:
            self.lose(statement, "manual", str(reason))

    def read_option(self, statement: Statement) -> None:
        try:
            self.options.every.append(given(statement))
        except NoOption as reason:
            self.lose(statement, "manual", str(reason))

    def read_host(self, statement: Statement) -> None:
        host = hosts.host_of(statement)
        if host.asked:
            self.lose(statement, "manual", f"is for clients with the tag {host.asked[0]} alone")
            return
        if host.ignored:
            self.deny_host(host)
            return
        self.hosts.append(statement)
        for tag in host.tags[:1]:
            self.tags.named(tag, statement)
        for tag in host.tags[1:]:
            self.planner.warn(statement.line, "manual", f"set:{tag}", "a reservation names one class")

    def deny_host(self, host: hosts.Host) -> None:
        try:
            criteria = hosts.denied(host)
        except CannotSay as reason:
            self.lose(
                host.source, "manual", f"the ignored clients cannot be selected by conditions: {reason}"
            )
            return
        name = f"ignored {'/'.join(host.cards + host.ids)}"
        if not self.tags.add(host.source, {"name": name, "deny": True} | criteria):
            host.source.tell()

    def read_boot(self, statement: Statement) -> None:
        """Read dhcp-boot=[tag:x,]file[,name[,address]]"""
        tags, _, words = tagged(statement.words)
        fields: Fields = {name: word for name, word in zip(BOOT, words, strict=False) if word}
        if "next_server" not in fields:
            why = "the file is got from the machine that dnsmasq runs on: set next_server"
            self.planner.warn(statement.line, "approximated", statement.text, why)
        self.boot.append((tags, statement, fields))

    def read_ignored(self, statement: Statement) -> None:
        tags, _, words = tagged(statement.words)
        if tags == [EVERYBODY_UNKNOWN]:
            fields = {"name": "unknown clients", "known": False, "deny": True}
            if not self.tags.add(statement, fields):
                statement.tell()
        elif len(tags) == 1 and not words and not tags[0].startswith("!"):
            self.tags.fields.setdefault(tags[0], {})["deny"] = True
        else:
            self.lose(
                statement, "manual", "is for several tags, or for who has none: make a class that denies"
            )

    def read_sequential(self, _: Statement) -> None:
        self.allocation = "sequential"

    def read_domain(self, statement: Statement) -> None:
        """Read the name that every client gets, if it is for all."""
        if len(statement.words) != 1 or statement.words[0] in ("", "#"):
            self.lose(statement, *reasons.of("domain"))
            return
        payload = {"string": statement.words[0]}
        option = Option(statement.line, {"code": DOMAIN, "payload": payload, "family": 4})
        self.options.every.insert(0, Given(statement, [], 4, option))

    # --- networks

    def networks(self) -> dict[Network, list[Range]]:
        found: dict[Network, list[Range]] = {}
        for each in self.ranges:
            if each.network is None:
                each.network = guess(each, self.ranges)
                why = f"has no mask: {each.network} is taken; dnsmasq has the mask of its interface"
                self.planner.warn(each.source.line, "approximated", each.source.text, why)
            found.setdefault(each.network, []).append(each)
        return found

    def of_ranges(self, tags: list[str]) -> bool:
        return any(tag in each.given for each in self.ranges for tag in tags)

    def wanted(self) -> set[str]:
        """Return tags for which there is something."""
        asked = [tag for each in self.ranges for tag in each.asked]
        return {*asked, *(tag for each in self.options.every for tag in each.tags)}

    def subnet(self, network: Network, some: list[Range]) -> None:
        common = set.intersection(*(set(each.given) for each in some))
        fields = DEFAULTS[network.version] | self.settings | {"cidr": str(network)}
        if network.version == 6:
            fields = {
                name: each
                for name, each in fields.items()
                if name not in ("authoritative", "ping_check", "match_client_id")
            }
        lease = next((each.lease for each in some if each.lease), None)
        fields["lease_time_seconds"] = max(lease or fields["lease_time_seconds"], LEAST_LEASE)
        for each in some:
            if each.lease and each.lease != lease:
                why = f"its lease time {each.lease} s is that of the subnet here, {lease} s"
                self.planner.warn(each.source.line, "approximated", each.source.text, why)
        options = self.options.standard(network.version, common)
        if network.version == 4:
            for tags, _, boot in self.boot:
                fields |= boot if set(tags) <= common else {}
            self.tell_own_address(options, some[0].source)
            options = into_fields(options, fields)
        prefix = self.planner.add("prefixes", some[0].source.line, {"cidr": str(network)})
        made = prefix and self.planner.add("subnets", some[0].source.line, fields, prefix)
        if made is None:
            for each in some:
                self.lose(each.source, "dropped", "its network is not made")
            return
        self.subnets.add(network, made)
        self.place([*options.values(), *self.options.encapsulated(network.version, common)], made)
        for each in some:
            self.pool(each, made, common)

    def tell_own_address(self, options: dict[int, Option], source: Statement) -> None:
        names = {ROUTER: "router", RESOLVER: "resolver"}
        missing = [name for code, name in names.items() if code not in options]
        if missing:
            why = f"dnsmasq sends its own address as {' and '.join(missing)}: write it there, or another"
            self.planner.warn(source.line, "manual", source.text, why)

    def pool(self, wanted: Range, subnet: Planned, common: set[str]) -> None:
        if not wanted.gives:
            return
        classes = [self.tags.made.get(tag) for tag in wanted.asked]
        if len(wanted.asked) > 1 or None in classes:
            tags = " and ".join(wanted.asked)
            self.lose(
                wanted.source,
                "manual",
                f"is for the tag {tags}, which is no class of the plan: it is not made",
            )
            return
        fields = {"start_ip": str(wanted.start), "end_ip": str(wanted.end), "allocation": self.allocation}
        for class_ in filter(None, classes):
            fields["class"] = class_.fields["name"]
        made = self.planner.add("pools", wanted.source.line, fields, subnet)
        if made is None:
            wanted.source.tell()
            return
        version, given_ = wanted.start.version, set(wanted.given)
        options = self.options.standard(version, given_, beyond=common)
        self.place([*options.values(), *self.options.encapsulated(version, given_, beyond=common)], made)

    def place(self, options: list[Option], inside: Planned) -> None:
        for each in options:
            self.planner.add("options", each.line, each.fields, inside)

    # --- for some clients only

    def class_options(self) -> None:
        """Read options for a tag that no range sets, and report those that no client gets."""
        for each in self.options.every:
            if not each.tags or set(each.tags) <= self.set_by_one_range(each.tags):
                continue
            class_ = self.tags.made.get(each.tags[0]) if len(each.tags) == 1 else None
            if class_ is None:
                why = f"is for the tag {' and '.join(each.tags)}, which is no class of the plan"
                self.lose(each.source, "manual", why)
            else:
                self.place([each.option] if each.option else gathered([each]), class_)
        for tags, statement, _ in self.boot:
            if tags and not self.of_ranges(tags) and not (len(tags) == 1 and tags[0] in self.tags.made):
                self.lose(statement, "manual", "is for tags that are no class of the plan")
        if not self.ranges:
            for each in self.options.every:
                self.lose(each.source, "dropped", "there is no range whose clients would get it")

    def set_by_one_range(self, tags: list[str]) -> set[str]:
        return next((set(each.given) for each in self.ranges if set(tags) <= set(each.given)), set())

    # --- hosts

    def host(self, host: hosts.Host) -> None:
        class_ = self.tags.made.get(host.tags[0]) if host.tags else None
        fields: Fields = {"hostname": host.name or None, "class": class_.fields["name"] if class_ else None}
        for each in (*host.cards[1:], *host.ids[1:], *host.four[1:], *host.six[1:]):
            self.planner.warn(
                host.source.line, "manual", host.source.text, f"{each} is one more: a reservation has one"
            )
        if host.lease:
            why = f"its lease time {host.lease} is that of its subnet"
            self.planner.warn(host.source.line, "approximated", host.source.text, why)
        try:
            self.reserve(host, fields)
        except CannotSay as reason:
            self.lose(host.source, "manual", str(reason))

    def reserve(self, host: hosts.Host, fields: Fields) -> None:
        """Make one reservation of each family that has an address; without any, one that applies everywhere."""
        if not host.four and not host.six:
            self.keep(host, fields | hosts.identity(host, None) | {"ip": None}, None)
        if host.four:
            self.keep(
                host, fields | hosts.identity(host, 4) | {"ip": host.four[0]}, self.subnet_of(host.four[0])
            )
        if host.six:
            subnet, ip = self.six(host.six[0])
            self.keep(host, fields | hosts.identity(host, 6) | {"ip": ip}, subnet)

    def subnet_of(self, ip: str) -> Planned:
        """Raise CannotSay."""
        found = self.subnets.of_text(ip)
        if found is None:
            raise CannotSay(f"{ip} lies in no network of the file")
        return found

    def six(self, text: str) -> tuple[Planned, str]:
        """Return the IPv6 address; part of an address is in the one network of IPv6. Raises CannotSay."""
        networks = {str(each.network) for each in self.ranges if each.network and each.network.version == 6}
        ip = hosts.whole(text, next(iter(networks))) if len(networks) == 1 else text
        if text.startswith("::") and ip == text:
            raise CannotSay(f"{text} is a part of an address, and the file has not one network of IPv6")
        return self.subnet_of(ip), ip

    def keep(self, host: hosts.Host, fields: Fields, subnet: Planned | None) -> None:
        if not self.planner.add("reservations", host.source.line, fields, subnet):
            host.source.tell()
        elif subnet:
            self.records.reserved.add(fields["ip"])
