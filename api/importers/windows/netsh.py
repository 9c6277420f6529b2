"""`netsh dhcp server dump`: commands that make a server what it is."""

from collections.abc import Callable
from ipaddress import ip_network

from api.importers.faults import SourceError
from api.importers.lines import counted, lose
from api.importers.plan import Plan, Reason
from api.importers.windows import reasons
from api.importers.windows.commands import Command, commands
from api.importers.windows.making import Making
from api.importers.windows.model import Class, Definition, Filter, Reservation, Scope, Server, Span, Value

USER, VENDOR = "0", "1"
ENABLED = ("1", "3")
"""3 is 1 for a scope whose clients are told so at once; likewise 2 is 0."""
BY_HAND = {
    "set dnsconfig": reasons.DDNS,
    "set dnscredentials": reasons.DDNS,
    "set superscope": "if its networks are on one link, set shared_network of their subnets",
}
LISTS = {"enforceallowlist": "allow", "enforcedenylist": "deny"}


def read(text: str) -> Plan:
    """Raise SourceError for a file without any such command."""
    lines = list(commands(text))
    if not any(each.words for each in lines):
        raise SourceError(1, "has no line that begins with Dhcp Server")
    making = Making("netsh")
    dump = Dump(making)
    for each in lines:
        dump.command(each)
    for server in dump.servers.values():
        making.server(server)
    plan = making.finish()
    plan.statements = counted(lines)
    return plan


class Dump:
    """The servers of both families as far as they were read."""

    def __init__(self, making: Making) -> None:
        self.planner = making.planner
        self.servers = {4: Server(4), 6: Server(6)}
        self.scopes: dict[str, Scope] = {}
        self.reserved: dict[str, Reservation] = {}
        self.of_server: dict[str, Callable[[Command], None]] = {
            "add scope": self.add_scope,
            "add class": self.add_class,
            "add optiondef": self.add_definition,
            "set optionvalue": self.set_option,
            "set detectconflictretry": self.set_ping_check,
            "add filter": self.add_filter,
            "set filter": self.set_filters,
        }
        self.of_scope: dict[str, Callable[[Command, Scope], None]] = {
            "set state": self.set_state,
            "set name": self.set_name,
            "set comment": self.set_comment,
            "add iprange": self.add_range,
            "add excluderange": self.add_excluded,
            "set optionvalue": self.set_scope_option,
            "add reservedip": self.add_reservation,
            "set reservedoptionvalue": self.set_reserved_option,
        }

    def command(self, each: Command) -> None:
        if not each.scope and each.name in self.of_server:
            self.of_server[each.name](each)
        elif each.scope in self.scopes and each.name in self.of_scope:
            self.of_scope[each.name](each, self.scopes[each.scope])
        elif each.scope and each.scope not in self.scopes:
            self.lose(each, "dropped", f"there is no scope {each.scope} before it")
        elif each.name in BY_HAND:
            self.lose(each, "manual", BY_HAND[each.name])
        else:
            self.lose(each, "dropped", "has no counterpart, or is no command of a dump")

    def lose(self, command: Command, reason: Reason, why: str) -> None:
        lose(self.planner, command, reason, (command.name or command.text)[:80], why)

    # --- of the server

    def add_scope(self, command: Command) -> None:
        """Read a scope: add scope ADDRESS MASK NAME COMMENT; of DHCPv6 with numbers in place of the mask, or none."""
        rest = command.words[3:]
        if command.family == 6:
            rest = ["64", *(each for each in rest if not each.isdecimal())]
        cidr = f"{command.word(0)}/{rest[0] if rest else ''}"
        scope = Scope(command, canonical(cidr), enabled=command.family == 6)
        scope.name, scope.description = [*rest[1:3], "", ""][:2]
        self.scopes[command.word(0)] = scope
        self.servers[command.family].scopes.append(scope)

    def add_class(self, command: Command) -> None:
        """Read a class: add class NAME COMMENT OCTETS 0|1 b"""
        made = Class(command, command.word(0), command.word(2), command.word(3) == VENDOR)
        self.servers[command.family].classes.append(made)

    def add_definition(self, command: Command) -> None:
        """Read a definition: add optiondef CODE NAME TYPE 0|1 [vendor=] [comment=] DEFAULTS"""
        made = Definition(
            command,
            command.number(0),
            command.word(1),
            command.word(2),
            command.word(3) == "1",
            command.said.get("vendor", ""),
        )
        self.servers[command.family].definitions.append(made)

    def set_option(self, command: Command) -> None:
        self.servers[command.family].options.append(value(command, 0))

    def set_ping_check(self, command: Command) -> None:
        self.servers[4].ping_check = command.word(0) != "0"

    def add_filter(self, command: Command) -> None:
        """Read a filter: add filter allow|deny MAC COMMENT"""
        allow = command.word(0).lower() == "allow"
        self.servers[4].filters.append(Filter(command, allow, command.word(1), command.word(2)))

    def set_filters(self, command: Command) -> None:
        """Read the use of filters: set filter enforceallowlist=1 enforcedenylist=0"""
        said = dict(each.lower().partition("=")[::2] for each in command.words[2:])
        if not said or not set(said) <= set(LISTS):
            self.lose(command, "dropped", "is no list of filters")
            return
        self.servers[4].lists = {**self.servers[4].lists} | {
            LISTS[name]: each == "1" for name, each in said.items()
        }

    # --- of a scope

    def set_state(self, command: Command, scope: Scope) -> None:
        scope.enabled = command.word(0) in ENABLED

    def set_name(self, command: Command, scope: Scope) -> None:
        scope.name = command.word(0)

    def set_comment(self, command: Command, scope: Scope) -> None:
        scope.description = command.word(0)

    def add_range(self, command: Command, scope: Scope) -> None:
        """Read a range: add iprange FIRST LAST [DHCP|BOOTP|BOTH]"""
        if command.word(2).lower() == "bootp":
            self.lose(command, "dropped", "BOOTP is not served")
            return
        scope.ranges.append(Span(command, command.word(0), command.word(1)))

    def add_excluded(self, command: Command, scope: Scope) -> None:
        scope.excluded.append(Span(command, command.word(0), command.word(1)))

    def set_scope_option(self, command: Command, scope: Scope) -> None:
        scope.options.append(value(command, 0))

    def add_reservation(self, command: Command, scope: Scope) -> None:
        """Read a reservation: add reservedip ADDRESS CLIENT NAME COMMENT TYPE; of DHCPv6 ADDRESS DUID IAID NAME
        COMMENT"""
        ip, client, *rest = [command.word(at) for at in range(6)]
        iaid = rest.pop(0) if command.family == 6 else ""
        name, description, type_ = rest[:3]
        made = Reservation(command, ip, client, name, description, type_.title(), iaid)
        self.reserved[ip] = made
        scope.reservations.append(made)

    def set_reserved_option(self, command: Command, scope: Scope) -> None:
        found = self.reserved.get(command.word(0))
        if found is None or found not in scope.reservations:
            self.lose(command, "dropped", f"there is no reservation {command.word(0)} before it")
            return
        found.options.append(value(command, 1))


def value(command: Command, at: int) -> Value:
    """Read the value: ... CODE TYPE [user=] [vendor=] VALUES CODE TYPE [user=] [vendor=] VALUES"""
    values = command.words[at + 4 :]
    said = command.said
    return Value(command, command.number(at), values, said.get("vendor", ""), said.get("user", ""))


def canonical(cidr: str) -> str:
    """Return the canonical network; another text is returned as it is, for the model to refuse."""
    try:
        return str(ip_network(cidr))
    except ValueError:
        return cidr
