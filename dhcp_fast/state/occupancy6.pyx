"""Taken addresses and delegated prefixes: the bits of a pool's space, by known leases and offers.

As occupancy.pyx does for IPv4, but an address space is a pool's, its bits are the pool's indices,
and an offer names pool and index. A pool without a bitmap has no bits: a search there uses the
lease table.
"""

from libc.stdint cimport int64_t

from dhcp_fast.leases.lease_table cimport NO_LEASE, lease_at, lease_find, lease_hi, lease_lo
from dhcp_fast.leases.offers cimport NO_OFFER, offer_find, offer_remove
from dhcp_fast.leases.pools cimport give_back, is_offered, note_offered, take_address
from dhcp_fast.plan.compiled6 cimport NO_INDEX, address_at, index_of
from dhcp_fast.plan.subnets6 cimport next_on_wire, pool_by_no, pool_of_lease
from dhcp_fast.state.state cimport runs


cdef void mark_occupancy(State* state, Pool6* pool, uint32_t index) noexcept nogil:
    """Mark the index of a pool with a bitmap taken or free by its lease and its offer."""
    cdef uint64_t hi, lo
    cdef uint32_t lease
    address_at(pool, index, &hi, &lo)
    lease = lease_find(state.leases, pool.subnet.tenant.no, hi, lo)
    if is_offered(pool.space, index) or lease != NO_LEASE and runs(state, lease_at(state.leases, lease)):
        take_address(pool.space, &pool.indices, 1, index)
    else:
        give_back(pool.space, &pool.indices, 1, index)


cdef void mark_range(State* state, Pool6* pool, uint64_t first, uint64_t most) noexcept nogil:
    """Mark at most `most` indices from `first` on, where nobody has counted yet."""
    cdef uint64_t index
    for index in range(first, min(first + most, pool.size)):
        mark_occupancy(state, pool, <uint32_t>index)


cdef void mark_lease(State* state, const Lease* lease) noexcept nogil:
    """Mark by the lease the address or prefix that it is of, in whichever pool that lies by now."""
    cdef uint64_t hi = lease_hi(state.leases, lease), lo = lease_lo(state.leases, lease)
    cdef Pool6* pool = pool_of_lease(state.plan6, lease.tenant_no, hi, lo)
    cdef int64_t index
    if pool == NULL or pool.hashed:
        return
    index = index_of(pool, hi, lo)
    if index == NO_INDEX:
        return
    if runs(state, lease):
        take_address(pool.space, &pool.indices, 1, <uint32_t>index)
    else:
        mark_occupancy(state, pool, <uint32_t>index)


cdef void end_offer(State* state, Pool6* pool, uint32_t offer) noexcept nogil:
    cdef uint32_t index = state.offers.at[offer].address
    offer_remove(state.offers, &pool.space.offers, offer)
    note_offered(pool.space, index, False)
    mark_occupancy(state, pool, index)


cdef void drop_offers(State* state, Subnet6* subnet) noexcept nogil:
    """Drop all offers of the subnet, before another configuration takes its place; their clients ask again."""
    cdef int i
    cdef Pool6* pool
    for i in range(subnet.pool_count):
        pool = &subnet.pools[i]
        while not pool.hashed and pool.space.offers.oldest != NO_OFFER:
            end_offer(state, pool, pool.space.offers.oldest)


cdef void forget_offers(State* state, uint64_t identity, const Subnet6* entry) noexcept nogil:
    """End the client's open offers on the wire of `entry`, in whichever pools they are."""
    cdef const Subnet6* subnet = entry
    cdef uint32_t offer
    cdef int i
    while subnet != NULL:
        for i in range(subnet.pool_count):
            offer = offer_find(state.offers, identity, subnet.pools[i].no)
            if offer != NO_OFFER:
                end_offer(state, &subnet.pools[i], offer)
        subnet = next_on_wire(subnet, entry)


cdef bint lapse_offer(State* state, uint32_t offer) noexcept nogil:
    """End the offer, whose time is over. False when its pool is not known."""
    cdef Pool6* pool = pool_by_no(state.plan6, state.offers.at[offer].subnet_no)
    if pool == NULL:
        return False
    end_offer(state, pool, offer)
    return True
