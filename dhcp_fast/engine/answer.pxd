from libc.stdint cimport uint8_t, uint32_t

from dhcp_fast.alloc.leaseop cimport Octets
from dhcp_fast.engine.slot cimport Slot
from dhcp_fast.engine.state cimport Client, State
from dhcp_fast.wire.packet4 cimport Packet4

cdef void answer(State* state, Slot* slot, const Client* client, uint8_t message_type, uint32_t address,
                 uint32_t lease_time) noexcept nogil
cdef void answer_nak(State* state, Slot* slot, const Client* client) noexcept nogil
cdef bint address_reply(State* state, Slot* slot, bint nak) noexcept nogil
cdef Octets find_option(const Packet4* packet, const Client* client, uint32_t address, uint8_t code) noexcept nogil
