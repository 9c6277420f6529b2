"""What a client was given, in one shape, whichever program says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

Routes = frozenset[tuple[IPv4Network, IPv4Address]]


@dataclass(frozen=True)
class Lease:
    """A lease as its client tells it; what the client does not tell is empty."""

    address: IPv4Interface
    routers: tuple[IPv4Address, ...]
    dns: tuple[IPv4Address, ...]
    lease_seconds: int
    server_id: IPv4Address
    domain: str = ""
    search: tuple[str, ...] = ()
    ntp: tuple[IPv4Address, ...] = ()
    mtu: int | None = None
    hostname: str = ""
    routes: Routes = frozenset()


def read_lease(said: Mapping[str, str]) -> Lease:
    """A lease from a client's own words; without address, mask, lifetime or server it is none."""
    return Lease(
        address=IPv4Interface(f"{said['address']}/{said['mask']}"),
        routers=addresses(said["routers"]),
        dns=addresses(said["dns"]),
        lease_seconds=int(said["lease"]),
        server_id=IPv4Address(said["server"]),
        domain=said["domain"],
        search=tuple(name.rstrip(".") for name in said["search"].split()),
        ntp=addresses(said["ntp"]),
        mtu=int(said["mtu"]) if said["mtu"] else None,
        hostname=said["hostname"],
        routes=read_routes(said["routes"].split()),
    )


def addresses(text: str) -> tuple[IPv4Address, ...]:
    return tuple(map(IPv4Address, text.split()))


def read_routes(words: list[str]) -> Routes:
    """Option 121 as pairs "10.9.0.0/16 192.0.2.9", or as the bare octets of RFC 3442 in decimal."""
    if any("/" in word for word in words):
        return frozenset(zip(map(IPv4Network, words[::2]), map(IPv4Address, words[1::2]), strict=True))
    found, octets = set(), bytes(map(int, words))
    while octets:
        used = (octets[0] + 7) // 8
        destination = octets[1 : 1 + used].ljust(4, b"\0")
        router = octets[1 + used : 5 + used]
        found.add((IPv4Network((destination, octets[0])), IPv4Address(router)))
        octets = octets[5 + used :]
    return frozenset(found)
