"""Addresses that clients select from other servers (engine rule 19).

A server reads another server's grant a quarter of a second later. On a link, or behind a relay that
sends to all servers, it receives the client's REQUEST at the same time. So it need not offer the
address to another client in the meantime. A hold is a hint: it removes the address from the free
ones, and the next mark of the address ends it.
"""

from libc.stdint cimport int64_t

from dhcp_fast.leases.hold_ring cimport MOST_HOLDS, Hold, HoldRing
from dhcp_fast.leases.pools cimport is_taken, space_covers, take_address
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.state.occupancy cimport mark_occupancy

cdef int64_t HOLD_MICROSECONDS = 1000000


cdef void hold_address(State* state, Subnet4* subnet, uint32_t address) noexcept nogil:
    cdef HoldRing* holds = state.holds
    cdef Hold* hold
    if not space_covers(subnet.space, address) or is_taken(subnet.space, address):
        return
    if holds.count == MOST_HOLDS:
        end_first(state)
    hold = &holds.at[(holds.first + holds.count) % MOST_HOLDS]
    holds.count += 1
    hold.until = state.now + HOLD_MICROSECONDS
    hold.subnet_no = subnet.no
    hold.address = address
    take_address(subnet.space, subnet.pools, subnet.pool_count, address)


cdef void lapse_holds(State* state) noexcept nogil:
    """End holds whose time is over: by now each such address is leased, or will not be."""
    while state.holds.count and state.holds.at[state.holds.first].until <= state.now:
        end_first(state)


cdef void end_first(State* state) noexcept nogil:
    cdef Hold* hold = &state.holds.at[state.holds.first]
    cdef Subnet4* subnet = subnet_by_no(state.plan, hold.subnet_no)
    state.holds.first = (state.holds.first + 1) % MOST_HOLDS
    state.holds.count -= 1
    if subnet != NULL:
        mark_occupancy(state, subnet, hold.address)
