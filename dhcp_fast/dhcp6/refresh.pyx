"""Pools that seem exhausted: their leases are read from the database again (engine rule 19)."""

from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.plan.subnets6 cimport next_on_wire
from dhcp_fast.state.state cimport REFRESH_LIST

cdef enum:
    REFRESH_MICROSECONDS = 5000000


cdef void want_refresh(State* state, const Client6* client) noexcept nogil:
    """Request a refresh: before a pool counts as exhausted its leases are read from the database once more (engine rule
    19)."""
    cdef Subnet6* subnet = client.subnet
    while subnet != NULL:
        if is_due(state, subnet) and state.refresh_count < REFRESH_LIST:
            state.refresh[state.refresh_count] = subnet.no
            state.refresh_count += 1
        subnet = next_on_wire(subnet, client.subnet)


cdef bint is_due(const State* state, Subnet6* subnet) noexcept nogil:
    cdef int i
    cdef bint due = False
    for i in range(subnet.pool_count):
        if not subnet.pools[i].hashed:
            subnet.pools[i].indices.exhausted |= subnet.pools[i].indices.free.count == 0
            if state.now - subnet.pools[i].space.refreshed >= REFRESH_MICROSECONDS:
                subnet.pools[i].space.refreshed = state.now
                due = True
    return due
