"""Addresses of other workers' clients, after the database has lost its history (engine rules 21 and 26).

A worker has one bit of such a lease, which shows neither its client nor its end. If its row is
lost, no event will ever report its end. An older row of the address, whose client has released it
since, is no evidence. Any row found there might be such a one. So the bit counts until a row
written since then is read, which settles the owner of the address for the other worker too. At the
longest it counts until every lease acknowledged before must have ended. Meanwhile the other worker,
which has the lease, gives the address to its own clients as soon as it ends.
"""

from libc.stdint cimport int64_t, uint64_t

from dhcp_fast.leases.pools cimport ENDLESS, AddressSpace, doubt_foreign, next_doubted, note_foreign
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.sharing.lease_cache cimport round_down, round_up
from dhcp_fast.state.occupancy cimport mark_occupancy
from dhcp_fast.state.state cimport database_now


cdef void begin_doubts(State* state) noexcept nogil:
    """Begin the doubts: the history is lost, but new writes are safe."""
    cdef int i
    cdef Subnet4* subnet
    state.lost_at = database_now(state)
    for i in range(state.plan.subnet_count):
        subnet = state.plan.subnets[i]
        if subnet != NULL and subnet.space != NULL and subnet.space.foreign != NULL:
            doubt_foreign(subnet.space, last_end(state, subnet))
            note_end(state, subnet.space)


cdef inline uint32_t last_end(const State* state, const Subnet4* subnet) noexcept nogil:
    """Return the time by which every lease that another worker may have acknowledged is over:
    reported ones, which may be longer than the subnet's present lease time, and the last ones,
    which were not reported.
    """
    cdef uint64_t longest = <uint64_t>subnet.max_lease_time + subnet.reuse_margin
    return max(subnet.space.foreign_until, <uint32_t>min(round_up(state.lost_at) + longest, <uint64_t>ENDLESS))


cdef inline void note_end(State* state, const AddressSpace* space) noexcept nogil:
    if state.doubts_end == 0 or space.doubted_until < state.doubts_end:
        state.doubts_end = space.doubted_until


cdef int end_doubts(State* state, uint32_t now, int most) noexcept nogil:
    """Free up to `most` addresses that nobody can have any more; how many it were."""
    cdef int i, count = 0
    cdef Subnet4* subnet
    if not is_over(state, state.doubts_end, now):
        return 0
    state.doubts_end = 0
    for i in range(state.plan.subnet_count):
        subnet = state.plan.subnets[i]
        if subnet != NULL and subnet.space != NULL and subnet.space.doubted_until:
            if is_over(state, subnet.space.doubted_until, now):
                count += free_doubted(state, subnet, most - count)
            if subnet.space.doubted_until:
                note_end(state, subnet.space)
    return count


cdef inline bint is_over(const State* state, uint32_t end, uint32_t now) noexcept nogil:
    """Return whether `end` has passed, with the shift of leases that began before (`shift_of`)."""
    cdef uint32_t later = state.clock.shift if round_down(state.lost_at) <= state.clock.shifted_at else 0
    return <uint64_t>end + later <= now


cdef int free_doubted(State* state, Subnet4* subnet, int most) noexcept nogil:
    """Free at most `most` addresses in doubt, and return their number; the database may have expired rows of them."""
    cdef int count = 0
    cdef int64_t at = next_doubted(subnet.space, 0)
    while at >= 0 and count < most:
        note_foreign(subnet.space, <uint32_t>(subnet.space.base + at), 0)
        mark_occupancy(state, subnet, <uint32_t>(subnet.space.base + at))
        at = next_doubted(subnet.space, at)
        count += 1
    if at < 0:
        subnet.space.doubted_until = 0
    return count
