from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State

cdef Action on_packet(State* state, Slot* slot) noexcept nogil
cdef Action on_message(State* state, Slot* slot) noexcept nogil
cdef Reason go_home(State* state, Slot* slot, Client* client) noexcept nogil
