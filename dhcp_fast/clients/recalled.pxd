from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.state.slot cimport RECALL_DONE, Slot
from dhcp_fast.wire.cursor cimport load_u16, load_u32
from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    RELAY = 4               # octets of its address
    LINE = RELAY + 2        # behind it and the length of option 82

cdef void place_recalled(Slot* slot, uint32_t relay, Field line, Field options) noexcept nogil
cdef int note_recalled(Slot* slot, uint32_t relay, bytes line, bytes options) except -1

cdef inline const uint8_t* recalled_row(const Slot* slot) noexcept nogil:
    return slot.rx.data + slot.rx.length

cdef inline Field recalled_giaddr(const Slot* slot) noexcept nogil:
    """Return the address of the relay by which the client got its lease; `data` NULL where none is recalled."""
    if slot.recall != RECALL_DONE or not slot.recalled or not load_u32(recalled_row(slot)):
        return Field(NULL, 0)
    return Field(recalled_row(slot), RELAY)

cdef inline Field recalled_line(const Slot* slot) noexcept nogil:
    """Return option 82 of the grant; of a slot that has recalled anything."""
    return Field(recalled_row(slot) + LINE, load_u16(recalled_row(slot) + RELAY))

cdef inline Field recalled_options(const Slot* slot) noexcept nogil:
    """Return the client's options (wire/client_options.pxd); of a slot that has recalled anything."""
    cdef uint16_t head = LINE + recalled_line(slot).length
    return Field(recalled_row(slot) + head, <uint16_t>(slot.recalled - head))
