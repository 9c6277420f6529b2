"""The next free address of a subnet, for who leaves it to us.

The subnet is locked by its fence, so two callers cannot be given the same one. Nothing is enumerated: the
database looks at what is taken in windows and finds the first gap, which costs the same in a /24 and in a /64.
What a DHCP server may be giving to a client just now is settled when the transaction ends (see batches).

Addresses outside pools come first, so that static objects do not eat what DHCP lives on; there the subnet remembers
from where on it is worth looking, so one that is nearly full costs what an empty one does.
"""

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.values import Address, Network
from ipam_core.services.entity.entity import Change

SQL = queries.load("free")


async def next_free(change: Change) -> Address:
    place = change.place
    assert place.row is not None
    first, last = usable_ends(place.cidr)
    for look in (SQL.next_free_outside, SQL.next_free_anywhere):
        found: Address | None = await look(
            change.connection,
            tenant_no=place.tenant_no,
            subnet_no=place.subnet_no,
            first=first,
            last=last,
            gateway=place.row["gateway"],
        )
        if found is not None:
            change.batch.claim(change, found, must=True)
            return found
    raise Conflict(f"no address of {place.cidr} is free", {"field": "ip", "subnet_id": str(place.row["id"])})


def usable_ends(cidr: Network) -> tuple[Address, Address]:
    """The lowest and highest address that a host may bear (see model.subnet.usable)."""
    if cidr.version == 6:
        # The subnet-router anycast address (RFC 4291 2.6.1) is legal to ask for, but not to be given unasked.
        return cidr[min(1, cidr.num_addresses - 1)], cidr.broadcast_address
    if cidr.prefixlen > 30:
        return cidr.network_address, cidr.broadcast_address
    return cidr.network_address + 1, cidr.broadcast_address - 1
