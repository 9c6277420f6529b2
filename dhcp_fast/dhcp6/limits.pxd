from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet6 cimport Ia6

cdef Reason over_rate(State* state, const Slot* slot) noexcept nogil
cdef bint is_one_too_many(State* state, const Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil

cdef inline bint circuit_is_full(State* state, const Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    """Return whether the line that the message came by has as many leases of the association's kind as it may have, and
    the association no place among them for one more."""
    return state.circuits.limit != 0 and is_one_too_many(state, slot, client, ia)
