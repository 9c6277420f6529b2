from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State

cdef uint32_t early_renewal(State* state, const Slot* slot, const Client* client, uint32_t index) noexcept nogil
