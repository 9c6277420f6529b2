"""What the row of a lease says of its client, behind the request in the packet's slot; see dhcp4/recall.pyx.

It is the address of the relay (4 octets; 0: there was none), the length of the vendor class, the vendor class as its
option is, and what option 82 said.
"""

from libc.string cimport memcpy

from dhcp_fast.net.datagram cimport RECEIVE_BUFFER
from dhcp_fast.wire.cursor cimport store_u32


cdef int note_recalled(Slot* slot, uint32_t relay, bytes said, bytes vendor_class) except -1:
    """What the row says: the relay's address (0: there was none), its option 82, and the client's vendor class, at most
    255 octets."""
    cdef uint8_t* into = slot.rx.data + slot.rx.length
    cdef size_t length = VENDOR + len(vendor_class) + len(said)
    slot.recall = RECALL_DONE
    slot.recalled = 0
    if (relay or vendor_class) and slot.rx.length + length <= RECEIVE_BUFFER:
        store_u32(into, relay)
        into[RELAY] = <uint8_t>len(vendor_class)
        memcpy(into + VENDOR, <const char*>vendor_class, len(vendor_class))
        memcpy(into + VENDOR + len(vendor_class), <const char*>said, len(said))
        slot.recalled = <uint16_t>length
    return 0
