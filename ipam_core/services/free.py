"""The next free address of a subnet, when the caller names none.

The subnet is locked by its fence, so two callers cannot be given the same one. Nothing is enumerated: the
database looks at what is taken in windows and finds the first gap, which costs the same in a /24 and in a /64.
What a DHCP server may be giving to a client just now is settled when the transaction ends (see write_batch).

Addresses outside pools come first, so that static objects do not eat what DHCP lives on; there the subnet remembers
from where on it is worth looking, so one that is nearly full costs what an empty one does.
"""

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.values import Address, Network
from ipam_core.services.entity.entity import Write

SQL = queries.load("free")


async def next_free(write: Write) -> Address:
    """Return the address that a new object shall have, in or outside the pools. Raises Conflict where none is free."""
    parent = write.parent
    assert parent.row is not None
    first, last = usable_ends(parent.cidr)
    for look in (SQL.next_free_outside, SQL.next_free_anywhere):
        found: Address | None = await look(
            write.connection,
            tenant_no=parent.tenant_no,
            subnet_no=parent.subnet_no,
            first=first,
            last=last,
            gateway=parent.row["gateway"],
        )
        if found is not None:
            write.batch.claim(write, found, must=True)
            return found
    raise Conflict(
        f"the subnet {parent.cidr} has no free address", {"field": "ip", "subnet_id": str(parent.row["id"])}
    )


def usable_ends(cidr: Network) -> tuple[Address, Address]:
    """Return the lowest and highest address that a host may bear (see model.subnet.usable)."""
    if cidr.version == 6:
        # The subnet-router anycast address (RFC 4291 2.6.1) is legal to ask for, but not to be given unasked.
        return cidr[min(1, cidr.num_addresses - 1)], cidr.broadcast_address
    if cidr.prefixlen > 30:
        return cidr.network_address, cidr.broadcast_address
    return cidr.network_address + 1, cidr.broadcast_address - 1
