from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef void recall_options(State* state, Slot* slot, const Client6* client) noexcept nogil
cdef bint asks_row(State* state, Slot* slot, const Client6* client) noexcept nogil
