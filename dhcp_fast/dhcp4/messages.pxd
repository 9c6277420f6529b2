from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State

cdef Action on_packet(State* state, Slot* slot) noexcept nogil
cdef Action on_message(State* state, Slot* slot) noexcept nogil
cdef bint was_lost(const State* state, const Client* client, uint32_t index) noexcept nogil
