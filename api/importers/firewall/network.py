"""Networks of interfaces, and the subnets of a plan that lie in them."""

from collections.abc import Mapping
from ipaddress import (
    IPv4Interface,
    IPv4Network,
    IPv6Interface,
    IPv6Network,
    ip_address,
    ip_interface,
    ip_network,
)

from api.importers.networks import Networks
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Planned, Planner
from api.importers.xml_source import Element

Interface = IPv4Interface | IPv6Interface
Network = IPv4Network | IPv6Network
KEYS = {4: ("ipaddr", "subnet"), 6: ("ipaddrv6", "subnetv6")}


class Interfaces:
    """Interfaces by name, such as lan and opt1."""

    def __init__(self, element: Element) -> None:
        self.all: dict[tuple[str, int], Interface] = {}
        for name, each in element.named():
            for version, keys in KEYS.items():
                try:
                    self.all[name, version] = ip_interface("/".join(str(each.get(key)) for key in keys))
                except ValueError:
                    continue

    def of(self, name: str, version: int) -> Interface | None:
        found = self.all.get((name, version))
        return found if found is not None and found.version == version else None

    def inside(self, network: Network) -> Interface | None:
        found = (each for each in self.all.values() if each.version == network.version and each.ip in network)
        return next(found, None)


class Subnets:
    """Subnets that were made."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.networks = Networks()
        self.made: dict[Network, Planned] = {}

    def make(
        self, network: Network, line: int, fields: Fields, options: Mapping[int, Option]
    ) -> Planned | None:
        fields = {name: value for name, value in fields.items() if value not in (None, "")} | {
            "cidr": str(network)
        }
        rest = into_fields(dict(options), fields) if network.version == 4 else options
        prefix = self.planner.add("prefixes", line, {"cidr": str(network)})
        subnet = prefix and self.planner.add("subnets", line, fields, prefix)
        if subnet:
            self.networks.add(network, subnet)
            self.made[network] = subnet
            self.place(rest, subnet)
        return subnet

    def place(self, options: Mapping[int, Option], inside: Planned) -> None:
        for option in options.values():
            self.planner.add("options", option.line, option.fields, inside)


def relative(text: str, around: Network) -> str:
    """Return the address; ::1000 of DHCPv6 is an address of the interface's network."""
    address = ip_address(text)
    if around.version == 6 and int(address) < 1 << (128 - around.prefixlen):
        return str(around[int(address)])
    return str(address)


def network_of(text: str | None) -> Network | None:
    try:
        return ip_network(text or "")
    except ValueError:
        return None
