from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.leases.pools cimport space_covers, take_address
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.state.occupancy6 cimport mark_lease as mark_lease6
from dhcp_fast.state.state cimport State, runs

cdef void mark_occupancy(State* state, Subnet4* subnet, uint32_t address) noexcept nogil
cdef void mark_lease(State* state, const Lease* lease) noexcept nogil
cdef void drop_offers(State* state, Subnet4* subnet) noexcept nogil
cdef void end_offer(State* state, Subnet4* subnet, uint32_t index) noexcept nogil
cdef void forget_offers(State* state, uint64_t identity, Subnet4* entry) noexcept nogil

cdef inline void mark_lease_in(State* state, const Lease* lease, Subnet4* subnet) noexcept nogil:
    """Mark the lease in the subnet of its address, NULL: none of IPv4's. One that runs is taken, whatever else is known
    of its address."""
    if subnet == NULL:
        if state.plan6 != NULL:
            mark_lease6(state, lease)
        return
    if runs(state, lease) and space_covers(subnet.space, lease.address):
        take_address(subnet.space, subnet.pools, subnet.pool_count, lease.address)
    else:
        mark_occupancy(state, subnet, lease.address)
