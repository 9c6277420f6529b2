"""Pools of a server that knows no excludes: ranges are split around what is given to nobody."""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from api.importers.clashes import Span, rest_of
from ipam_core.model.subnet import usable

Range = tuple[IPv4Address | IPv6Address, IPv4Address | IPv6Address]


def holes(subnet: Mapping[str, Any], reserved: bool) -> list[Span]:
    """Return the unusable ranges in order: excludes, assignments, the gateway, the network's own addresses; with
    `reserved` reservations too."""
    spans = [
        tuple(int(ip_address(each[end])) for end in ("start_ip", "end_ip"))
        for each in subnet.get("excludes") or ()
    ]
    alone = [each["ip"] for each in subnet.get("assignments") or ()]
    if reserved:
        alone += [each["ip"] for each in subnet.get("reservations") or () if each.get("ip")]
    alone += [subnet["gateway"]] if subnet.get("gateway") else []
    spans += [(int(ip_address(each)),) * 2 for each in alone]
    network = ip_network(subnet["cidr"])
    ends = (network.network_address, network.broadcast_address)
    spans += [(int(each),) * 2 for each in ends if not usable(each, network)]
    return sorted((first, last) for first, last in spans)


def span(range_: Mapping[str, Any]) -> Span:
    return int(ip_address(range_["start_ip"])), int(ip_address(range_["end_ip"]))


def pieces(pool: Mapping[str, Any], left_out: Iterable[Span]) -> Iterator[Range]:
    first, last = (ip_address(pool[end]) for end in ("start_ip", "end_ip"))
    kind = first.__class__
    around = [each for each in left_out if each[0] <= int(last) and int(first) <= each[1]]
    for start, end in rest_of((int(first), int(last)), around):
        yield kind(start), kind(end)
