from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State

cdef void recall_row(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil
