from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport RECALL_DONE, Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    RELAY = 4               # octets of its address

cdef void recall_row(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil
cdef int note_recalled(Slot* slot, uint32_t relay, bytes said, bytes vendor_class) except -1

cdef inline Field recalled_giaddr(const Slot* slot) noexcept nogil:
    """The address of the relay by which the client got its lease; `data` NULL where none is recalled."""
    if slot.recall != RECALL_DONE or not slot.recalled or not load_u32(slot.rx.data + slot.rx.length):
        return Field(NULL, 0)
    return Field(slot.rx.data + slot.rx.length, RELAY)
