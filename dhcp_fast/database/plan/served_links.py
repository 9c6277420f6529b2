"""Choice of where a question's packet comes in, as far as the servers that are alive have said (the column `interfaces`
of node).

The question names an interface by its name or by an address of it. Which subnets are on its wire follows from its
addresses, and these only the server's machine knows; each server writes them beside its heartbeat.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address
from typing import NamedTuple

from asyncpg import Connection

from ipam_core.db import queries
from ipam_core.model.explain import Question

# Server identifier of an explanation where no address is known (RFC 5737).
SOMEWHERE = IPv4Address("192.0.2.67")
UNSERVED = "no running DHCP server serves the interface {} (dhcp4_interfaces); explained as if one did"
SEVERAL = "several servers have an interface {} on different networks: use its address instead"

Interface = tuple[str, tuple[IPv4Address, ...]]


class Wire(NamedTuple):
    """The interface's names and addresses; none behind a relay. `is_known`: a live server serves it."""

    names: tuple[str, ...] = ()
    addresses: tuple[IPv4Address, ...] = ()
    is_known: bool = False
    notes: tuple[str, ...] = ()

    @property
    def server(self) -> IPv4Address:
        """Server identifier on the link: a broadcast is received at the interface's first address."""
        return self.addresses[0] if self.is_known else SOMEWHERE

    def is_in(self, network: IPv4Network | IPv6Network) -> bool:
        return any(address in network for address in self.addresses)


async def find_wire(connection: Connection, question: Question) -> Wire:
    if question.interface is None:
        return Wire()
    rows = [row["interfaces"] async for row in queries.load("explain").read_interfaces(connection)]
    address = interface_address(question.interface)
    found = [
        (name, addresses)
        for name, addresses in served(rows)
        if address in addresses or name == question.interface
    ]
    if not found:
        unserved = UNSERVED.format(question.interface)
        return Wire(
            () if address else (question.interface,), (address,) if address else (), False, (unserved,)
        )
    notes = (SEVERAL.format(question.interface),) if len({each for _, each in found}) > 1 else ()
    name, addresses = found[0]
    return Wire((name,), addresses, bool(addresses), notes)


def served(rows: Iterable[dict[str, list[str]]]) -> Iterator[Interface]:
    for interfaces in rows:
        for name, addresses in interfaces.items():
            yield name, tuple(map(IPv4Address, addresses))


def interface_address(interface: str) -> IPv4Address | None:
    try:
        address = ip_address(interface)
    except ValueError:
        return None
    return address if isinstance(address, IPv4Address) else None
