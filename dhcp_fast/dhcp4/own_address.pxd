from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State

cdef uint32_t selected_address(State* state, Slot* slot, Client* client) noexcept nogil
