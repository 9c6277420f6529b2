"""Reading a DHCPv4 message; `parse4` returns the fault of one that cannot be read."""

from libc.stdint cimport uint8_t, uint32_t

from dhcp_fast.wire.faults cimport Fault
from dhcp_fast.wire.view4 cimport (
    BOOTP, HEADER4, MIN_DHCP_MESSAGE, SCRATCH, Field, Packet4, forget, has, has_unread_server, ignore,
    may_select_another, note_ignored)

cdef Fault parse4(Packet4* packet, const uint8_t* data, size_t length) noexcept nogil
cdef Fault parse_bootp(Packet4* packet, Fault fault) noexcept nogil
cdef uint32_t option_u32(const Packet4* packet, uint8_t code) noexcept nogil
