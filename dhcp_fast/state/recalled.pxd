from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.state.slot cimport RECALL_DONE, Slot
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    RELAY = 4               # octets of its address
    VENDOR = RELAY + 1      # behind it and the vendor class's length

cdef int note_recalled(Slot* slot, uint32_t relay, bytes said, bytes vendor_class) except -1

cdef inline Field recalled_giaddr(const Slot* slot) noexcept nogil:
    """The address of the relay by which the client got its lease; `data` NULL where none is recalled."""
    if slot.recall != RECALL_DONE or not slot.recalled or not load_u32(slot.rx.data + slot.rx.length):
        return Field(NULL, 0)
    return Field(slot.rx.data + slot.rx.length, RELAY)

cdef inline Field recalled_class(const Slot* slot) noexcept nogil:
    """Of a slot that has recalled anything."""
    cdef uint8_t* row = slot.rx.data + slot.rx.length
    return Field(row + VENDOR, row[RELAY])

cdef inline Field recalled_line(const Slot* slot) noexcept nogil:
    """What option 82 said; of a slot that has recalled anything."""
    cdef uint8_t* row = slot.rx.data + slot.rx.length
    cdef uint16_t head = VENDOR + row[RELAY]
    return Field(row + head, <uint16_t>(slot.recalled - head))
