"""The bit that an address has in place of its lease's entry; see the .pxd."""

from dhcp_fast.leases.pools cimport has_row, is_doubted, is_foreign, note_foreign, space_covers
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport subnet_of_lease, subnet_on_wire


cdef bint mark_address(State* state, const Lease* lease, uint32_t until, bint settled) noexcept nogil:
    """Mark the address as leased to a client of another worker until then, or (0) as free. False if
    memory is short.

    For an address in doubt, only a row that settles its owner counts, or one that is active longer
    than the doubt.
    """
    cdef Subnet4* subnet = subnet_of_lease(state.plan, lease)
    if subnet == NULL or not space_covers(subnet.space, lease.address):
        return True
    if is_doubted(subnet.space, lease.address) and not settled and until <= subnet.space.doubted_until:
        return True
    return note_foreign(subnet.space, lease.address, until)


cdef bint has_foreign_lease(const Client* client, uint32_t address) noexcept nogil:
    """Return whether another worker's client has the address, in any subnet of the client's link."""
    cdef Subnet4* subnet = subnet_on_wire(client.subnet, address)
    return subnet.space != NULL and space_covers(subnet.space, address) and is_foreign(subnet.space, address)


cdef bint has_doubted_lease(const Client* client, uint32_t address) noexcept nogil:
    """Return whether another worker's client may have it, whatever rows exist (engine rule 26)."""
    cdef Subnet4* subnet = subnet_on_wire(client.subnet, address)
    return subnet.space != NULL and space_covers(subnet.space, address) and is_doubted(subnet.space, address)


cdef bint has_foreign_row(const Client* client, uint32_t address) noexcept nogil:
    """Return whether another worker's row of the address was seen, in any state."""
    cdef Subnet4* subnet = subnet_on_wire(client.subnet, address)
    return subnet.space != NULL and space_covers(subnet.space, address) and has_row(subnet.space, address)
