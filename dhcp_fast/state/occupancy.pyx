"""Taken addresses: the bits of a subnet's space, by known leases and offers.

An address is taken while it is leased, while it is offered, and while another worker's client has
it; each beginning or end of these marks the address here. Leases outside of IPv4 subnets are handed
to occupancy6.pyx.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport NO_LEASE, lease_at, lease_find
from dhcp_fast.leases.offers cimport NO_OFFER, offer_find, offer_remove
from dhcp_fast.leases.pools cimport give_back, is_foreign, is_offered, note_offered, space_covers, take_address
from dhcp_fast.plan.subnets cimport next_on_wire, subnet_of_lease


cdef void mark_occupancy(State* state, Subnet4* subnet, uint32_t address) noexcept nogil:
    """Mark the address taken or free by its lease and its offer."""
    cdef uint32_t index
    if not space_covers(subnet.space, address):
        return
    index = lease_find(state.leases, subnet.tenant.no, 0, address)
    if is_offered(subnet.space, address) or is_foreign(subnet.space, address) or (
            index != NO_LEASE and runs(state, lease_at(state.leases, index))):
        take_address(subnet.space, subnet.pools, subnet.pool_count, address)
    else:
        give_back(subnet.space, subnet.pools, subnet.pool_count, address)


cdef void mark_lease(State* state, const Lease* lease) noexcept nogil:
    """Mark the address of the lease by it, in whichever subnet that is by now."""
    mark_lease_in(state, lease, subnet_of_lease(state.plan, lease))


cdef void forget_offers(State* state, uint64_t identity, Subnet4* entry) noexcept nogil:
    """End the client's open offer on the wire of `entry`, in whichever subnet it is."""
    cdef Subnet4* subnet = entry
    cdef uint32_t index
    while subnet != NULL:
        index = offer_find(state.offers, identity, subnet.no)
        if index != NO_OFFER:
            end_offer(state, subnet, index)
        subnet = next_on_wire(subnet, entry)


cdef void end_offer(State* state, Subnet4* subnet, uint32_t index) noexcept nogil:
    cdef uint32_t address = state.offers.at[index].address
    offer_remove(state.offers, &subnet.space.offers, index)
    if space_covers(subnet.space, address):
        note_offered(subnet.space, address, False)
        mark_occupancy(state, subnet, address)


cdef void drop_offers(State* state, Subnet4* subnet) noexcept nogil:
    """Drop all offers of the subnet, before another configuration takes its place; their clients ask again."""
    while subnet.space.offers.oldest != NO_OFFER:
        end_offer(state, subnet, subnet.space.offers.oldest)
