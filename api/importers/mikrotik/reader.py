"""An export as a plan. `/ip dhcp-server network` says which subnets there are and what they give; a server reaches them
by the ranges of its pool, by its relay and by the addresses of its interface, and says how long leases are.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import NamedTuple

from api.importers.clashes import settle
from api.importers.mikrotik import commands, reasons, values
from api.importers.mikrotik.commands import ADDRESSES, Command
from api.importers.mikrotik.options import Options
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner, Reason

VERSION = re.compile(r"^# .*RouterOS (\d{1,3})", re.MULTILINE)
USUAL = {6: 600, 7: 1800}
"""Seconds of a lease, which an export leaves out."""
EVERYWHERE = IPv4Network("0.0.0.0/0")
NO_RELAY = "0.0.0.0"  # noqa: S104 - RouterOS's way to say none
BOOT = {"next-server": "next_server", "boot-file-name": "boot_file"}
BLOCKED = "make a class with its hardware address that denies"
NO_POOL = ("static-only", None)


class Network(NamedTuple):
    """A subnet to be. `fields`: its own, and what a server says of it."""

    cidr: IPv4Network
    line: int
    fields: Fields
    options: dict[int, Option]


def read(text: str) -> Plan:
    """Raise SourceError, which names the line."""
    found = VERSION.search(text)
    version = int(found[1]) if found else 7
    return Mikrotik(list(commands.load(text)), USUAL.get(version, USUAL[7])).plan()


class Mikrotik:
    """One router."""

    def __init__(self, all_: list[Command], lease_time: int) -> None:
        self.planner = Planner("mikrotik")
        self.commands = [each for each in all_ if each.section != ADDRESSES]
        self.addresses = [each for each in all_ if each.section == ADDRESSES and each.verb == "add"]
        self.lease_time = lease_time
        self.options = Options(self.planner)
        self.pools: dict[str, Command] = {}
        self.given: set[int] = set()
        """Lines of pools that are made already: several servers may give from one."""
        self.networks: list[Network] = []
        self.made: dict[IPv4Network, Planned] = {}
        self.places: dict[str, list[Network]] = {}
        """Of a server's name: the networks that it reaches."""

    def plan(self) -> Plan:
        for command in self.commands:
            if command.verb != "add" or command.section in reasons.SECTIONS:
                command.tell()
                reason, why = reasons.SECTIONS.get(command.section, reasons.CHANGES)
                self.planner.warn(command.line, reason, f"/{command.section} {command.verb}", why)
        for command in self.of("ip dhcp-server option"):
            self.options.define(command)
        for command in self.of("ip dhcp-server option sets"):
            self.options.put_together(command)
        self.pools = {each.text("name") or "": each for each in self.of("ip pool")}
        for command in self.of("ip dhcp-server network"):
            self.network(command)
        servers = list(self.of("ip dhcp-server"))
        for command in servers:
            self.reach(command)
        self.make()
        for command in servers:
            self.ranges(command)
        for command in self.of("ip dhcp-server lease"):
            self.lease(command)
        return self.finish()

    def of(self, section: str) -> Iterator[Command]:
        return (each for each in self.commands if each.section == section and each.verb == "add")

    def finish(self) -> Plan:
        settle(self.planner)
        for command in self.commands:
            for unread in command.unread():
                reason, why = reasons.of(unread.name)
                self.planner.warn(unread.line, reason, f"{unread.name}={command[unread.name]}", why)
        plan = self.planner.finish()
        plan.statements.warned = sum(each.warned() for each in self.commands)
        plan.statements.read = sum(each.statements() for each in self.commands) - plan.statements.warned
        return plan

    # --- networks

    def network(self, command: Command) -> None:
        address = command.text("address") or ""
        try:
            cidr = IPv4Network(address)
        except ValueError:
            return self.lose(command, "dropped", f"network {address}", "is no network: nothing in it is made")
        if cidr == EVERYWHERE:
            return self.lose(
                command, "manual", f"network {address}", "is for all networks: say it of each subnet"
            )
        mask = command.text("netmask")
        if mask not in (None, "0", str(cidr.prefixlen)):
            why = f"clients get the mask /{mask}; here they get that of the subnet"
            self.planner.warn(command.line, "approximated", f"network {cidr}", why)
        fields: Fields = {ours: command.text(name) for name, ours in BOOT.items()}
        fields["description"] = command.text("comment")
        options = self.options.read(command)
        if command.flag_of("dns-none") is None and 6 not in options:
            why = "RouterOS sends its own DNS servers if dns-server is not set: set option 6"
            self.planner.warn(command.line, "manual", f"network {cidr}", why)
        self.networks.append(Network(cidr, command.line, described(fields), options))
        return None

    def lose(self, command: Command, reason: Reason, what: str, why: str) -> None:
        command.tell()
        self.planner.warn(command.line, reason, what, why)

    def around(self, address: IPv4Address) -> Network | None:
        found = [each for each in self.networks if address in each.cidr]
        return max(found, key=lambda each: each.cidr.prefixlen, default=None)

    def reach(self, server: Command) -> None:
        """Read the networks that a server serves, with its settings for them."""
        name, relay, interface = (server.text(each) for each in ("name", "relay", "interface"))
        relays = [relay] if relay and relay != NO_RELAY else []
        found: list[Network] = []
        direct = () if relays else self.interface_addresses(interface)
        for address in (*direct, *self.pool_starts(server.text("address-pool"))):
            network = self.around(address.ip) or self.of_interface(address, server.line)
            if network and network not in found:
                found.append(network)
        found += [each for each in map(self.relay_network, relays) if each and each not in found]
        fields = self.settings(server) | ({"relay_addresses": relays} if relays else {})
        for network in found:
            network.fields.update(fields)
        self.places[name or ""] = found
        if not found:
            self.planner.warn(server.line, "dropped", f"server {name}", "reaches no network of the file")

    def relay_network(self, relay: str) -> Network | None:
        try:
            return self.around(IPv4Address(relay))
        except ValueError:
            return None

    def of_interface(self, address: IPv4Interface, line: int) -> Network | None:
        """Return the network of an interface; its mask tells one where none is given."""
        if address.network.prefixlen == 32:
            return None
        self.networks.append(Network(address.network, line, {}, {}))
        return self.networks[-1]

    def interface_addresses(self, interface: str | None) -> Iterator[IPv4Interface]:
        for each in self.addresses:
            if each.get("interface") == interface and each.get("disabled") != "yes":
                try:
                    yield IPv4Interface(str(each.get("address")))
                except ValueError:
                    continue

    def settings(self, server: Command) -> Fields:
        """Return the settings. `authoritative`: yes, or no but after some seconds."""
        fields: Fields = {"dhcp_enabled": not server.flag_of("disabled"), "match_client_id": True}
        lease_time, authoritative = server.text("lease-time"), server.text("authoritative")
        try:
            fields["lease_time_seconds"] = values.seconds(lease_time) if lease_time else self.lease_time
        except ValueError:
            self.planner.warn(server.line, "dropped", f"lease-time={lease_time}", "is no time")
        fields["authoritative"] = authoritative in (None, "yes")
        if authoritative not in (None, "yes", "no"):
            why = "others are waited for with authoritative=no alone"
            self.planner.warn(server.line, "approximated", f"authoritative={authoritative}", why)
        return fields

    def make(self) -> None:
        for network in self.networks:
            fields = {"dhcp_enabled": False} | network.fields | {"cidr": str(network.cidr)}
            rest = into_fields(network.options, fields)
            prefix = self.planner.add("prefixes", network.line, {"cidr": str(network.cidr)})
            made = prefix and self.planner.add("subnets", network.line, fields, prefix)
            if made is None:
                continue
            self.made.setdefault(network.cidr, made)
            self.place(rest, made)

    def place(self, options: dict[int, Option], inside: Planned) -> None:
        for option in options.values():
            self.planner.add("options", option.line, option.fields, inside)

    def subnet_of(self, address: IPv4Address) -> Planned | None:
        network = self.around(address)
        return self.made.get(network.cidr) if network else None

    # --- pools

    def chain(self, name: str | None) -> Iterator[Command]:
        """Yield a pool, and those that are taken when it is exhausted."""
        seen: set[str] = set()
        while name and name not in seen and name in self.pools:
            seen.add(name)
            yield self.pools[name]
            name = self.pools[name].text("next-pool")

    def pool_starts(self, name: str | None) -> Iterator[IPv4Interface]:
        for pool in self.chain(name):
            for each in pool.list_of("ranges"):
                try:
                    yield IPv4Interface(values.span(each)[0])
                except ValueError:
                    continue

    def ranges(self, server: Command) -> None:
        name = server.text("address-pool")
        if name not in NO_POOL and name not in self.pools:
            self.planner.warn(server.line, "dropped", f"address-pool={name}", "is nowhere")
        for pool in self.chain(name):
            fields = {"name": pool.text("name")}
            if pool.line not in self.given:
                self.given.add(pool.line)
                for each in pool.list_of("ranges"):
                    self.range(pool, each, fields)

    def range(self, pool: Command, text: str, fields: Fields) -> None:
        what = f"pool {fields['name']} {text}"
        try:
            first, last = values.span(text)
        except ValueError:
            self.planner.warn(pool.line, "dropped", what, "is no range of addresses")
            return
        subnet = self.subnet_of(first)
        if subnet is None:
            self.planner.warn(pool.line, "dropped", what, "lies in no network of the file")
            return
        self.planner.add("pools", pool.line, fields | {"start_ip": str(first), "end_ip": str(last)}, subnet)

    # --- leases

    def lease(self, command: Command) -> None:
        address, mac, identifier = (command.text(each) for each in ("address", "mac-address", "client-id"))
        what = f"lease {address or mac or identifier}"
        if command.flag_of("disabled"):
            return self.lose(command, "dropped", what, "is disabled")
        if command.get("block-access") == "yes":
            return self.lose(command, "manual", what, BLOCKED)
        try:
            place = self.place_of(command, address)
        except ValueError as reason:
            return self.lose(command, "dropped", what, str(reason))
        fields: Fields = {"ip": address if address not in self.pool_names() else None, "mac": mac}
        octets = values.client_id(identifier) if identifier else None
        if octets and octets != "01" + re.sub("[:-]", "", mac or "").lower():
            fields["client_id"] = octets
        fields["description"] = command.text("comment")
        made = self.planner.add("reservations", command.line, described(fields) | {"ip": fields["ip"]}, place)
        if made:
            self.place(self.options.read(command), made)
        return None

    def pool_names(self) -> set[str | None]:
        return {None, *(each.get("name") for each in self.of("ip pool"))}

    def place_of(self, command: Command, address: str | None) -> Planned:
        """Return the subnet of its address, else that of its server. Raises ValueError."""
        server = command.text("server")
        if address in self.pool_names():
            reached = self.places.get(server or "", [])
            found = [self.made[each.cidr] for each in reached if each.cidr in self.made]
            if not found:
                raise ValueError("has no address, and no server that reaches a network")
            return found[0]
        subnet = self.subnet_of(IPv4Address(address))
        if subnet is None:
            raise ValueError("lies in no network of the file")
        return subnet


def described(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value}
