"""Placing: on which interfaces a subnet is served, and what the numbers are by which the plan knows interfaces.

Both are facts of the kernel, which change while the plan stays as it is (decisions: Interfaces).
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import NamedTuple, Protocol

Served = Mapping[str, list[IPv4Address | IPv6Address]]
Places = tuple[tuple[int, ...], tuple[int, ...]]


class Placing(NamedTuple):
    """Values that select the interfaces of a subnet."""

    network: IPv4Network | IPv6Network
    interface: str | None

    def places(self, served: Served, present: Mapping[str, int]) -> Places:
        """Return indexes of the served interfaces with an address in the subnet, and of that to which it is bound by
        name. One that is not among the `present` ones serves nobody."""
        here = {name: addresses for name, addresses in served.items() if name in present}
        bound = tuple(present[name] for name in here if name == self.interface)
        return tuple(
            present[name]
            for name, addresses in here.items()
            if name != self.interface and any(address in self.network for address in addresses)
        ), bound


class Numbers(Protocol):
    """Numbers of interfaces, by name."""

    def get(self, name: str, default: int, /) -> int: ...


class InterfaceNumbers:
    """Numbers of this host's interfaces by name, and which of them were asked for."""

    def __init__(self, present: Mapping[str, int]) -> None:
        self.present = present
        self.asked: dict[str, int] = {}

    def get(self, name: str, default: int, /) -> int:
        number = self.asked[name] = self.present.get(name, default)
        return number

    def holds_in(self, present: Mapping[str, int]) -> bool:
        """Return whether what was answered is still true."""
        return all(present.get(name, 0) == number for name, number in self.asked.items())
