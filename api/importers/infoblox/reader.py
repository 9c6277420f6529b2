"""An export of Infoblox: networks first, wherever they stand, then what lies in them.

What the grid gives to its networks is not in the file. Rows come one by one, and are forgotten once they are planned.
"""

import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network

from api.importers.clashes import settle
from api.importers.infoblox import reasons
from api.importers.infoblox.blocks import Blocks
from api.importers.infoblox.options import is_option, options_of
from api.importers.lines import lose
from api.importers.networks import Networks
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner, Reason
from api.importers.rows import Row, aliases_among
from ipam_core.model.values import parse_hostname

NOBODY = "00:00:00:00:00:00"
"""The hardware address of what Infoblox calls a reservation."""
BOOT = {"next_server": "next_server", "boot_file": "boot_file", "boot_server": "server_name"}
CONTAINERS = ("networkcontainer", "ipv6networkcontainer")
NETWORKS = ("network", "ipv6network")
IDENTITIES = {
    "mac_address": "mac",
    "dhcp_client_identifier": "client_id",
    "circuit_id": "circuit_id",
    "remote_id": "remote_id",
    "duid": "duid",
}
MATCHED = {
    "MAC_ADDRESS": "mac_address",
    "CLIENT_ID": "dhcp_client_identifier",
    "CIRCUIT_ID": "circuit_id",
    "REMOTE_ID": "remote_id",
    "DUID": "duid",
}
HOST = (*IDENTITIES, "match_option", "comment", "disabled", "network_view", "name", "ddns_hostname")
KNOWN_CLIENTS = {
    ("known_clients_option", "allow"): True,
    ("unknown_clients_option", "deny"): True,
    ("unknown_clients_option", "allow"): False,
    ("known_clients_option", "deny"): False,
}
SERVED_BY = "server_association_type"
FILTERS = tuple(f"{each}_filter_rules" for each in ("mac", "nac", "option", "relay_agent", "fingerprint"))
RANGE = (
    *FILTERS,
    SERVED_BY,
    *("start_address", "end_address", "exclusion_ranges", "name", "network_view", "disabled"),
    *("known_clients_option", "unknown_clients_option", "deny_all_clients"),
)
COLUMNS = {
    "networkcontainer": ("address", "netmask", "comment", "network_view"),
    "ipv6networkcontainer": ("address", "cidr", "comment", "network_view"),
    "network": ("address", "netmask", "comment", "network_view", "disabled", "lease_time", *BOOT),
    "ipv6network": ("address", "cidr", "comment", "network_view", "disabled"),
    "dhcprange": RANGE,
    "ipv6dhcprange": RANGE,
    "fixedaddress": ("ip_address", *HOST),
    "ipv6fixedaddress": ("ip_address", *HOST),
    "hostaddress": ("parent", "address", "configure_for_dhcp", *HOST),
    "ipv6hostaddress": ("parent", "address", "configure_for_dhcp", *HOST),
    "hostrecord": (
        "fqdn",
        "addresses",
        "ipv6_addresses",
        "aliases",
        "comment",
        "disabled",
        "network_view",
        "mac_address",
    ),
}
LATE = ("hostrecord",)
WITHIN = tuple(kind for kind in COLUMNS if kind not in (*CONTAINERS, *NETWORKS, *LATE))
EXCLUDED = re.compile(r"\s*([0-9a-fA-F.:]+)\s*-\s*([0-9a-fA-F.:]+)\s*(?:/\s*(?:'([^']*)')?)?\s*(?:,|$)")


def read(text: str) -> Plan:
    """Raise SourceError for a file that is no export."""
    return Infoblox(text).whole()


def known(kind: str, name: str) -> bool:
    return name in COLUMNS.get(kind, ()) or (kind in COLUMNS and kind != "hostrecord" and is_option(name))


class Infoblox:
    """One file."""

    def __init__(self, text: str) -> None:
        self.planner = Planner("infoblox")
        self.blocks = Blocks(text, known)
        self.prefixes, self.subnets = Networks(), Networks()
        self.view: str | None = None
        self.classes: set[str] = set()
        self.hosts: dict[tuple[str, str], Planned | None] = {}
        self.readers: dict[str, Callable[[Row], None]] = {
            "dhcprange": self.range,
            "fixedaddress": self.fixed,
            "hostaddress": self.host_address,
        }

    def whole(self) -> Plan:
        """Read the whole file in as many passes as kinds of rows depend on others."""
        self.containers()
        self.each(self.subnet, NETWORKS)
        self.each(lambda row: self.readers[row.kind.removeprefix("ipv6")](row), WITHIN)
        self.each(self.host_record, LATE)
        self.rest()
        self.planner.plan.statements.read += self.blocks.headers
        settle(self.planner)
        return self.planner.finish()

    def each(self, take: Callable[[Row], None], kinds: tuple[str, ...]) -> None:
        """Visit rows of these kinds that are of the view that is read."""
        statements = self.planner.plan.statements
        for row in self.blocks.rows(kinds):
            if self.of_view(row):
                take(row)
            statements.warned += row.told
            statements.read += not row.told

    def of_view(self, row: Row) -> bool:
        """Return whether the row is of the view that is read, the first that is named."""
        view = row.said("network_view") or self.view
        self.view = self.view or view
        if view != self.view:
            why = (
                f"is of the network view {view}, not {self.view}: put it into a file of its own, for --tenant"
            )
            self.lose(row, "manual", why)
        return view == self.view

    def lose(self, row: Row, reason: Reason, why: str) -> None:
        named = ("address", "start_address", "ip_address", "fqdn")
        what = next((row.said(name) for name in named if row.said(name)), "")
        lose(self.planner, row, reason, f"{row.kind} {what}".strip(), why)

    def rest(self) -> None:
        """Report rows of other types, and columns that nothing reads."""
        for kind, (line, count) in self.blocks.kinds.items():
            if kind not in COLUMNS:
                reason, why = reasons.of_type(kind)
                self.planner.warn(line, reason, f"{kind} (rows: {count})", why)
                self.planner.plan.statements.warned += count
        for kind, columns in self.blocks.columns:
            for name, unread in columns.unread.items():
                reason, why = reasons.of_column(name)
                what = f"column {name} of {kind} (rows: {unread.rows})"
                self.planner.warn(unread.line, reason, what, why)

    # --- networks

    def containers(self) -> None:
        """Make the outermost of containers in one another, because prefixes contain no prefixes."""
        found: list[tuple[IPv4Network | IPv6Network, Row]] = []
        self.each(lambda row: self.container(row, found), CONTAINERS)
        for network, row in sorted(found, key=lambda each: each[0].prefixlen):
            around = self.prefixes.around(network.network_address)
            if around:
                self.lose(row, "dropped", f"lies in {around.fields['cidr']}, and prefixes hold no prefixes")
                continue
            fields = {"cidr": str(network), "description": row.said("comment") or None}
            made = self.planner.add("prefixes", row.line, fields)
            if made:
                self.prefixes.add(network, made)

    def container(self, row: Row, found: list[tuple[IPv4Network | IPv6Network, Row]]) -> None:
        try:
            found.append((ip_network(cidr_of(row)), row))
        except ValueError as error:
            self.lose(row, "dropped", str(error))

    def subnet(self, row: Row) -> None:
        try:
            network = ip_network(cidr_of(row))
        except ValueError as error:
            self.lose(row, "dropped", f"{error}; nothing in it is made")
            return
        fields = {
            "cidr": str(network),
            "description": row.said("comment") or None,
            "dhcp_enabled": not row.flag("disabled"),
            "lease_time_seconds": int(row.said("lease_time")) if row.said("lease_time").isdecimal() else None,
        }
        if "lease_time" in row.cells and fields["lease_time_seconds"] is None:
            self.lose(row, "dropped", f"lease_time {row.said('lease_time')} is no number of seconds")
        fields |= {ours: row.said(name) or None for name, ours in BOOT.items()}
        fields |= {"match_client_id": True} if network.version == 4 else {}
        options = options_of(self.planner, row, network.version)
        if network.version == 4:
            options = into_fields(options, fields)
        prefix = self.prefixes.around(network.network_address) or self.planner.add(
            "prefixes", row.line, {"cidr": str(network)}
        )
        made = prefix and self.planner.add("subnets", row.line, fields, prefix)
        if made:
            self.subnets.add(network, made)
            self.place(options, made)
        else:
            row.tell()

    def place(self, options: dict[int, Option], inside: Planned) -> None:
        for each in options.values():
            self.planner.add("options", each.line, each.fields, inside)

    def give(self, row: Row, inside: Planned) -> None:
        """Give boot options to an object without fields for the files to boot from."""
        boot: Fields = {}
        family = 6 if row.kind.startswith("ipv6") else 4
        options = options_of(self.planner, row, family)
        rest = into_fields(options, boot, boot_only=True) if family == 4 else options
        for name, value in boot.items():
            why = f"{name} {value} is of a subnet or a class: make a class for it, and give the class"
            self.planner.warn(row.line, "manual", inside.what, why)
        self.place(rest, inside)

    # --- ranges

    def range(self, row: Row) -> None:
        subnet = self.subnets.of_text(row.said("start_address"))
        if subnet is None:
            self.lose(row, "dropped", "lies in no network of the file")
            return
        self.exclude(row, subnet)
        if row.flag("disabled") or row.flag("deny_all_clients") or row.said(SERVED_BY).upper() == "NONE":
            self.lose(row, "dropped", "is given to nobody")
            return
        if any(row.said(name) for name in FILTERS):
            self.lose(row, "manual", f"is for some clients alone: {reasons.WHOM}")
            return
        fields: Fields = {"start_ip": row.said("start_address"), "end_ip": row.said("end_address")}
        fields |= {"name": row.said("name") or None, "class": self.class_of(row)}
        made = self.planner.add("pools", row.line, fields, subnet)
        if made:
            self.give(row, made)
        else:
            row.tell()

    def exclude(self, row: Row, subnet: Planned) -> None:
        """Read 10.1.0.200-10.1.0.254/'printers',10.2.3.3-10.2.3.30/"""
        cell = row.said("exclusion_ranges")
        for start, end, comment in EXCLUDED.findall(cell):
            fields = {"start_ip": start, "end_ip": end, "description": comment or None}
            self.planner.add("excludes", row.line, fields, subnet)
        if rest := EXCLUDED.sub("", cell):
            self.planner.warn(
                row.line, "dropped", f"{row.kind} {row.said('start_address')}", f"{rest!r} excludes nothing"
            )

    def class_of(self, row: Row) -> str | None:
        """Return the class of known clients, or of unknown ones, if the range is for these alone."""
        said = [each for each in KNOWN_CLIENTS if row.said(each[0]).lower() == each[1]]
        if not said:
            return None
        known = KNOWN_CLIENTS[said[0]]
        name = "known clients" if known else "unknown clients"
        if name not in self.classes:
            self.classes.add(name)
            fields = {"name": name, "priority": len(self.classes), "known": known}
            self.planner.add("client-classes", row.line, fields)
        return name

    # --- addresses

    def fixed(self, row: Row) -> None:
        self.address(row, row.said("ip_address"), row.said("ddns_hostname") or row.said("name"))

    def host_address(self, row: Row) -> None:
        take = self.address if row.flag("configure_for_dhcp") else self.assign
        self.hosts[row.said("parent"), row.said("address")] = take(
            row, row.said("address"), row.said("parent")
        )

    def host_record(self, row: Row) -> None:
        """Read a host record, whose addresses may have more detailed rows of their own."""
        addresses = [*row.several("addresses"), *row.several("ipv6_addresses")]
        aliases = self.aliases(row) if addresses else []
        for each in addresses:
            host = row.said("fqdn"), each
            if host not in self.hosts:
                is_alone = row.said("mac_address") and len(addresses) == 1
                self.hosts[host] = (self.address if is_alone else self.assign)(row, each, row.said("fqdn"))
            made = self.hosts[host]
            if made is not None and aliases:
                made.fields["aliases"] = aliases

    def aliases(self, row: Row) -> list[str]:
        """Return the further names that the host can have, at each of its addresses."""
        aliases, others = aliases_among(row.several("aliases"), named(row.said("fqdn"), "").get("hostname"))
        if others:
            self.lose(row, "dropped", f"{', '.join(others)}: no aliases that the host can have")
        return aliases

    def address(self, row: Row, ip: str, name: str) -> Planned | None:
        if row.flag("disabled"):
            self.lose(row, "dropped", "is switched off")
            return None
        subnet = self.subnets.of_text(ip)
        if subnet is None:
            self.lose(row, "dropped", f"{ip or 'nothing'} lies in no network of the file")
            return None
        identity = identity_of(row)
        if identity.get("mac") == NOBODY or row.said("match_option").upper() == "RESERVED":
            return self.assign(row, ip, name)
        fields = {"ip": ip} | named(name, row.said("comment")) | identity
        made = self.planner.add("reservations", row.line, fields, subnet)
        if made:
            self.give(row, made)
        else:
            row.tell()
        return made

    def assign(self, row: Row, ip: str, name: str) -> Planned | None:
        """Return an assignment of an address without DHCP; None if it has no name and is excluded."""
        subnet = self.subnets.of_text(ip)
        if subnet is None or row.flag("disabled"):
            self.lose(row, "dropped", f"{ip or 'nothing'} lies in no network of the file, or is switched off")
            return None
        fields = named(name, row.said("comment"))
        if fields.get("hostname"):
            made = self.planner.add("assignments", row.line, {"ip": ip} | fields, subnet)
        else:
            made = self.planner.add("excludes", row.line, {"start_ip": ip, "end_ip": ip} | fields, subnet)
        if made is None:
            row.tell()
        return made


def cidr_of(row: Row) -> str:
    """Return the network; the mask is dotted, or a length."""
    return f"{row.said('address')}/{row.said('netmask') or row.said('cidr')}"


def identity_of(row: Row) -> Fields:
    """Return the one that is matched, where the file says which; else all."""
    wanted = MATCHED.get(row.said("match_option").upper())
    names = [wanted] if wanted in row.cells else list(IDENTITIES)
    found = {IDENTITIES[name]: row.said(name) for name in names if name in row.cells}
    if client := found.get("client_id"):
        found["client_id"] = (
            client if re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+", client) else client.encode().hex()
        )
    return found


def named(name: str, comment: str) -> Fields:
    """Return the name; one that no host can have goes before the description."""
    try:
        return {"hostname": parse_hostname(name), "description": comment or None}
    except ValueError:
        return {"description": ": ".join(filter(None, (name, comment))) or None}
