from dhcp_fast.engine.slot cimport Slot
from dhcp_fast.engine.state cimport Client, Reason, State

cdef Reason over_rate(State* state) noexcept nogil
