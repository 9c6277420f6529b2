from libc.stdint cimport uint8_t, uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State

cdef void answer(State* state, Slot* slot, const Client* client, uint8_t message_type, uint32_t address,
                 uint32_t lease_time) noexcept nogil
cdef void answer_nak(State* state, Slot* slot, const Client* client) noexcept nogil
