"""Options of dhcpd.conf: those whose names and layouts are sure by name, all others as octets under a name of ours."""

from collections.abc import Iterable, Mapping
from typing import Any

from api.exporters.isc.text import quoted
from api.exporters.options import octets_of
from api.exporters.said import Losses, Said
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef

SURE: dict[int, dict[int, str]] = {
    4: {
        **{2: "time-offset", 3: "routers", 4: "time-servers", 6: "domain-name-servers", 7: "log-servers"},
        **{12: "host-name", 15: "domain-name", 17: "root-path", 23: "default-ip-ttl", 26: "interface-mtu"},
        **{28: "broadcast-address", 42: "ntp-servers", 44: "netbios-name-servers", 46: "netbios-node-type"},
        **{58: "dhcp-renewal-time", 59: "dhcp-rebinding-time", 60: "vendor-class-identifier"},
        **{66: "tftp-server-name", 67: "bootfile-name", 119: "domain-search"},
    },
    6: {23: "dhcp6.name-servers", 24: "dhcp6.domain-search"},
}
SPACES = {4: "", 6: "dhcp6."}


class OptionWriter:
    """`used`: codes that need a definition."""

    def __init__(self, losses: Losses, family: int, own: Iterable[OptionDef]) -> None:
        self.losses = losses
        self.family = family
        self.own = [each for each in own if each.family == family]
        self.used: set[int] = set()

    def name(self, code: int) -> str:
        sure = SURE[self.family].get(code)
        if sure is None:
            self.used.add(code)
        return sure or f"{SPACES[self.family]}option-{code}"

    def definitions(self) -> list[str]:
        return [
            f"option {SPACES[self.family]}option-{code} code {code} = string;" for code in sorted(self.used)
        ]

    def all(self, entries: Iterable[Said]) -> list[str]:
        return [made for each in entries for made in self.option(each)]

    def option(self, said: Said) -> list[str]:
        if said.fields.get("family", self.family) != self.family:
            return []
        for name, why in (
            ("vendor_class", "is for clients of this vendor alone: make a class for them"),
            ("never_send", "dhcpd cannot withhold what a wider scope has"),
        ):
            if said.fields.get(name):
                self.losses.whole(said, why)
                return []
        made = self.lines(said.take("code"), said.take("payload"))
        said.take("family")
        if len(made) > 1:
            self.losses.tell(f"{said.what}: {len(made)} of them", "dhcpd sends the last one only")
        if said.take("always_send"):
            self.losses.tell(f"{said.what}: always_send", "dhcpd sends what a client asks for")
        return made

    def line(self, code: int, payload: Mapping[str, Any]) -> str:
        """Return the line of an option that is not `repeated`."""
        (line,) = self.lines(code, payload)
        return line

    def lines(self, code: int, payload: Mapping[str, Any]) -> list[str]:
        """Return one, or one for each option that the payload becomes."""
        definition = registry.resolve(self.family, code, None, self.own)
        values = [self.value(definition, payload, each) for each in octets_of(definition, payload)]
        return [f"option {self.name(code)} {value};" for value in values]

    def value(self, definition: OptionDef, payload: Mapping[str, Any], octets: bytes) -> str:
        (shape, value), *_ = payload.items()
        if definition.code not in SURE[self.family] or shape == "hex":
            return octets.hex(":") if len(octets) > 1 else quoted(octets)
        if shape == "string":
            return quoted(value.encode())
        if shape == "names":
            return ", ".join(quoted(each.encode()) for each in value)
        return ", ".join(map(str, value if isinstance(value, list) else [value]))
