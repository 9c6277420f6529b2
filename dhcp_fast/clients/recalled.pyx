"""Recall of what a client sent earlier, behind the request in the packet's slot; see dhcp4/recall.pyx.

It is the address of the relay of the grant (4 octets; 0: there was none), the length of its option 82 (2 octets), that
option, and the client's options (wire/client_options.pxd).
"""

from libc.string cimport memcpy

from dhcp_fast.net.datagram cimport RECEIVE_BUFFER
from dhcp_fast.wire.cursor cimport store_u16, store_u32


cdef void place_recalled(Slot* slot, uint32_t relay, Field line, Field options) noexcept nogil:
    """Take both as recalled; nothing, where the request leaves no room for them."""
    cdef uint8_t* into = slot.rx.data + slot.rx.length
    cdef size_t length = LINE + line.length + options.length
    slot.recall = RECALL_DONE
    slot.recalled = 0
    if (relay or options.length) and slot.rx.length + length <= RECEIVE_BUFFER:
        store_u32(into, relay)
        store_u16(into + RELAY, line.length)
        if line.length:
            memcpy(into + LINE, line.data, line.length)
        if options.length:
            memcpy(into + LINE + line.length, options.data, options.length)
        slot.recalled = <uint16_t>length


cdef int note_recalled(Slot* slot, uint32_t relay, bytes line, bytes options) except -1:
    """Return the same of a row (database/leases/recollection.py)."""
    place_recalled(slot, relay, Field(<const uint8_t*><const char*>line, <uint16_t>len(line)),
                   Field(<const uint8_t*><const char*>options, <uint16_t>len(options)))
    return 0
