from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State

cdef Action on_packet(State* state, Slot* slot) noexcept nogil
cdef Action on_message(State* state, Slot* slot) noexcept nogil
cdef Reason enter(State* state, Slot* slot, Client6* client) noexcept nogil
