from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State

cdef Action on_registration(State* state, Slot* slot, const Client6* client) noexcept nogil
