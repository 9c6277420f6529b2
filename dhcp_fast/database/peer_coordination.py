"""Choice of other DHCPv6 servers that may have received the same messages
(dhcp_fast/state/rendezvous.pxd), from their rows.

Only servers that commit leases take part, because clients assigned to another server would wait in
vain. On a link only servers with an interface there take part. It is identified by an address in a
subnet of the link or, without one, by its name.
"""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv6Address
from typing import Any

from dhcp_fast.engine.configure import share_messages
from dhcp_fast.engine.engine import Engine

Interfaces = Mapping[str, Sequence[Any]]


def meet_peers(
    engine: Engine,
    mine: int,
    nodes: Iterable[Mapping[str, Any]],
    served: Interfaces,
    present: Mapping[str, int],
) -> None:
    """Set the peers of each link.

    `nodes`: rows of read_live_nodes without our own; `served`: our interfaces with their addresses;
    `present`: the number of each interface of this host.
    """
    peers = {row["no"]: row["interfaces"] for row in nodes if row["commits"]}
    links = {
        present[name]: {no for no, theirs in peers.items() if meets(engine, present[name], name, theirs)}
        for name in served
        if name in present
    }
    share_messages(engine, mine, list(peers), links)


def meets(engine: Engine, ifindex: int, name: str, theirs: Interfaces) -> bool:
    """Return whether one of these interfaces is on the wire of ours."""
    first = engine.plan.interface_subnet(ifindex)
    if first is None:
        return name in theirs
    tenant_no, *_ = engine.plan.subnets[first].span
    wire = set(engine.plan.wire_mates(first))
    for their_name, addresses in theirs.items():
        numbers = [int(IPv6Address(address)) for address in addresses]
        found = {engine.plan.address_subnet(number, tenant_no) for number in numbers} - {None}
        if found & wire or (not found and their_name == name):
            return True
    return False
