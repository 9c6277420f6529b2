from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State

cdef bint wants_rapid_commit(const State* state, const Client* client) noexcept nogil
cdef Action bind_at_once(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil
cdef Action on_bootp(State* state, Slot* slot, Client* client) noexcept nogil
