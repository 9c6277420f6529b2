from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State

cdef void note_named_server(const State* state, const Slot* slot, Client* client) noexcept nogil
cdef void note_override(const State* state, Client* client) noexcept nogil
cdef uint32_t sign(const State* state, Slot* slot, const Client* client) noexcept nogil
cdef bint for_us(const State* state, const Client* client) noexcept nogil
cdef uint32_t source_of_answer(const State* state, const Slot* slot, const Client* client) noexcept nogil

cdef inline bint is_unicast(uint32_t address) noexcept nogil:
    """Whether one host may have the address (RFC 1122 section 3.2.1.3): not 0.0.0.0/8, 224.0.0.0 or above."""
    return <uint32_t>0x01000000 <= address < <uint32_t>0xE0000000

cdef inline bint came_to_us_alone(const Slot* slot) noexcept nogil:
    """Whether the datagram was sent to an address of ours, and not to everybody on a link."""
    return slot.rx.local == slot.rx.ours
