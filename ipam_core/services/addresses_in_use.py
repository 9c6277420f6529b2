"""Addresses that machines visibly use, which no pool gives (decisions: Never leased).

The DHCP servers note their own addresses and those of relays whose packets came by; triggers note the relays that the
plan names (db/schema/functions/addresses_in_use.sql).
"""

from collections.abc import Iterable, Sequence

from ipam_core.db import queries
from ipam_core.model.values import Address, Network
from ipam_core.services.entity.entity import Connection

SQL = queries.load("address_in_use")

MOST_RELAYS = 8
"""Of a subnet, beside those that the plan names."""
MOST_ADDRESSES = 1024
"""Of a server."""


async def note_server(
    connection: Connection, node_no: int, addresses: Iterable[Address], trusted: Iterable[Network]
) -> None:
    """Note what a server calls its own, and the hosts among the networks of its setting trusted_relays."""
    hosts = [network[0] for network in trusted if network.num_addresses == 1]
    own = sorted((a for a in addresses if is_usable(a)), key=lambda a: (a.version, int(a)))
    await SQL.note_addresses(connection, node_no=node_no, addresses=own[:MOST_ADDRESSES], relays=hosts)


def is_usable(address: Address) -> bool:
    """Return whether the address means the same host on more than one link."""
    return not (
        address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified
    )


async def note_relays(connection: Connection, seen: Sequence[tuple[int, Address, int]]) -> None:
    """Note trusted relays by subnet, own address and packets since the last note; of each subnet the busiest
    MOST_RELAYS remain."""
    subnets, addresses, packets = ([*column] for column in zip(*seen, strict=True))
    given = {"subnets": subnets, "addresses": addresses, "packets": packets}
    async with connection.transaction():
        await SQL.hold_notes(connection)
        await SQL.note_packets(connection, **given)
        await SQL.note_relays(connection, **given, most=MOST_RELAYS)


async def forget(connection: Connection) -> None:
    """Forget silent relays and servers."""
    await SQL.forget_relays(connection)
    await SQL.forget_nodes(connection)
    await SQL.forget_touches(connection)


async def judge(connection: Connection, *, all_of_them: bool) -> None:
    """Judge which of the addresses clients hold: of those that may have changed, or of all of them."""
    await SQL.judge_leases(connection, all_of_them=all_of_them)
