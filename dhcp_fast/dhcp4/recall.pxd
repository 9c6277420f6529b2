from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport RECALL_DONE, Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    RELAY = 4               # octets of its address

cdef void recall_relay(State* state, Slot* slot, const Client* client) noexcept nogil
cdef int note_recalled(Slot* slot, uint32_t relay, bytes said) except -1

cdef inline Field recalled_giaddr(const Slot* slot) noexcept nogil:
    """The address of the relay by which the client got its lease; `data` NULL where none is recalled."""
    if slot.recall != RECALL_DONE or not slot.recalled:
        return Field(NULL, 0)
    return Field(slot.rx.data + slot.rx.length, RELAY)
