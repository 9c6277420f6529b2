from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.reasons cimport Reason

cdef Reason over_rate(State* state) noexcept nogil
cdef bint is_one_too_many(State* state, const Slot* slot, const Client* client) noexcept nogil

cdef bint is_crowded(State* state, const Client* client) noexcept nogil
cdef void note_exhausted(const Client* client) noexcept nogil

cdef inline bint circuit_is_full(State* state, const Slot* slot, const Client* client) noexcept nogil:
    """Return whether the line that the packet came by has its leases already, and this client is none of theirs."""
    return state.circuits.limit != 0 and is_one_too_many(state, slot, client)

cdef inline bint under_pressure(State* state, const Client* client) noexcept nogil:
    """Return whether the client's pools are so full that leases are given for the shortest time."""
    return state.adaptive_percent != 0 and is_crowded(state, client)
