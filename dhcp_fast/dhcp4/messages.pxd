from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State

cdef Action on_packet(State* state, Slot* slot) noexcept nogil
cdef Action on_message(State* state, Slot* slot) noexcept nogil
