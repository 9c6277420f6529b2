"""Place of a free address: in which pool and subnet it is, or why no client gets it."""

from collections.abc import Iterable, Iterator
from ipaddress import ip_network
from typing import Any

from api.cli.cells import local_time
from api.client import Client

Item = dict[str, Any]

POINT_TO_POINT = 31
"""Length of an IPv4 prefix from which on every address may be a host's (RFC 3021)."""


def place_of(client: Client, address: str, scope: dict[str, str], leases: Iterable[Item] = ()) -> str:
    """Return a sentence. `leases`: ended ones of the address, of which one may hold it in quarantine."""
    around = {"contains": address} | scope
    subnet = next(client.items("/subnets", **around), None)
    if subnet is None:
        prefix = next(client.items("/prefixes", **around), None)
        return f"{address} is in no subnet" + (
            f"; prefix {prefix['cidr']}" if prefix else " and in no prefix"
        )
    place = " ".join(filter(None, ("subnet", subnet["cidr"], subnet["name"])))
    told = next(states(client, address, subnet, leases), "is free, in no pool of {}")
    return f"{address} {told.format(place)}"


def states(client: Client, address: str, subnet: Item, leases: Iterable[Item]) -> Iterator[str]:
    """Yield what holds of the address, the strongest first; {} is its subnet."""
    if edge := edge_of(address, subnet["cidr"]):
        yield f"is the {edge} of {{}}"
    if address == subnet["gateway"]:
        yield "is the gateway of {}"
    for lease in leases:
        if until := lease.get("quarantined_until"):
            yield f"is in quarantine until {local_time(until)}, in {{}}"
    inside = {"contains": address, "subnet_id": subnet["id"]}
    if next(client.items("/excludes", **inside), None):
        yield "is excluded from the pools of {}"
    for pool in client.items("/pools", **inside):
        named = f"pool {pool['name']}" if pool["name"] else "a pool"
        if users := [use["used_by"] for use in pool["in_use"] if use["ip"] == address]:
            yield f"is used by a {users[0]}, so {named} of {{}} does not lease it"
        yield f"is free in {named} of {{}}" + ("" if subnet["dhcp_enabled"] else ", where DHCP is off")


def edge_of(address: str, cidr: str) -> str:
    """Return which of the addresses it is that no host may have; empty: none."""
    network = ip_network(cidr)
    if network.version == 6 or network.prefixlen >= POINT_TO_POINT:
        return ""
    edges = {
        str(network.network_address): "network address",
        str(network.broadcast_address): "broadcast address",
    }
    return edges.get(address, "")
