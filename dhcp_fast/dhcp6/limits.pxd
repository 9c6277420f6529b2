from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef Reason over_rate(State* state, const Slot* slot) noexcept nogil
