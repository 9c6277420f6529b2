"""Client classes of dhcpd.conf. One that no expression can say is left out, and what is for it too: it would be for
others."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from api.exporters.isc.expressions import Expressions
from api.exporters.isc.options import OptionWriter
from api.exporters.isc.text import block, constant, quoted
from api.exporters.said import Losses, Said
from api.importers.conditions import CannotSay
from ipam_core.model.values import parse_mac_prefix

FIRST_PRIORITY = 100
LAST_DIGIT = 'suffix(binary-to-ascii(16, 8, "", substring(hardware, 1, 1)), 1)'
LOCALLY_ADMINISTERED = " or ".join(f'{LAST_DIGIT} = "{each}"' for each in "26ae")
BOOT = {"next_server": "next-server", "server_name": "server-name", "boot_file": "filename"}


class ClassWriter:
    """`tests`: what the classes that dhcpd has ask for. `denied`: those whose clients are not answered."""

    def __init__(self, losses: Losses, options: OptionWriter) -> None:
        self.losses = losses
        self.options = options
        self.family = options.family
        self.tests: dict[str, str] = {}
        self.denied: list[str] = []

    def all(self, entries: Iterable[Said]) -> list[str]:
        ordered = sorted(entries, key=lambda each: each.fields.get("priority", FIRST_PRIORITY))
        return [line for each in ordered for line in self.made(each)]

    def made(self, said: Said) -> list[str]:
        name = said.take("name")
        try:
            if said.take("template"):
                raise CannotSay("spawn with makes classes by their values, which no pool can name")
            test = " and ".join(f"({each})" for each in self.criteria(said))
        except CannotSay as reason:
            self.losses.whole(said, f"no expression of dhcpd selects its clients: {reason}")
            return []
        said.take("priority")
        self.tests[name] = test
        if said.take("deny"):
            self.denied.append(name)
            self.losses.tell(
                f"{said.what}: deny", "its clients get no address of a pool; clients with a host are answered"
            )
        lines = [f"match if {test};", *boot(said, self.family), *boot_options(said, self.options)]
        lines += self.options.all(said.below("options"))
        self.losses.rest(said)
        return block(f"class {quoted(name.encode())}", lines)

    def criteria(self, said: Said) -> Iterable[str]:
        expressions = Expressions(self.family, self.options.name, self.tests)
        for name, say in CRITERIA.items():
            value = said.take(name)
            if value is not None:
                yield say(value, self.family)
        match = said.take("match")
        if match is not None:
            yield expressions.said(match)


def known(value: bool, _family: int) -> str:
    return "known" if value else "not known"


def mac_prefix(value: str, family: int) -> str:
    of_version4(family)
    octets = parse_mac_prefix(value)
    return f"substring(hardware, 1, {len(octets)}) = {constant(octets)}"


def locally_administered(value: bool, family: int) -> str:
    of_version4(family)
    return LOCALLY_ADMINISTERED if value else f"not ({LOCALLY_ADMINISTERED})"


def of_version4(family: int) -> None:
    if family != 4:
        raise CannotSay("its expressions do not see the hardware address in DHCPv6")


def vendor_class(value: str, family: int) -> str:
    of_version4(family)
    return f"substring(option vendor-class-identifier, 0, {len(value.encode())}) = {constant(value.encode())}"


def user_class(value: str, family: int) -> str:
    """Return the user class behind its length (RFC 3004 section 4), or bare as boot loaders send it."""
    of_version4(family)
    counted = bytes([len(value.encode())]) + value.encode()
    part = f"substring(option user-class, 0, {len(counted)})"
    return f"option user-class = {constant(value.encode())} or {part} = {constant(counted)}"


CRITERIA: Mapping[str, Callable[[Any, int], str]] = {
    "known": known,
    "mac_prefix": mac_prefix,
    "locally_administered": locally_administered,
    "vendor_class": vendor_class,
    "user_class": user_class,
}


# --- boot servers and files, of subnets too


def boot(said: Said, family: int) -> list[str]:
    found = {theirs: said.fields.get(ours) for ours, theirs in BOOT.items()} if family == 4 else {}
    lines = [
        f"{name} {quoted(value.encode())};"
        for name, value in found.items()
        if value and name != "next-server"
    ]
    server = found.get("next-server")
    if server and server.replace(".", "").isdecimal():
        lines.insert(0, f"next-server {server};")
    elif server and not found["server-name"]:
        lines.insert(0, f"server-name {quoted(server.encode())};")
    return lines


def boot_options(said: Said, options: OptionWriter) -> list[str]:
    if options.family == 6:
        return []
    server, name, file = (said.take(each) for each in ("next_server", "server_name", "boot_file"))
    values = {66: name or server, 67: file}
    return [options.line(code, {"string": value}) for code, value in values.items() if value]
