"""Reading a DHCPv6 client's message; `parse6` returns the fault of one that cannot be read."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.wire.cursor cimport Cursor
from dhcp_fast.wire.faults6 cimport Fault6
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.view6 cimport (
    ADDRESS6, HEADER6, MAX_IAS, MAX_IA_ADDRESSES, Ia6, IaAddress6, Packet6, consumed6, cut_code6, has6, ignore6, keep6,
    next_option6, next_piece6, note_ignored)

cdef Cursor instances6(const Packet6* packet, uint8_t code) noexcept nogil
cdef Fault6 parse6(Packet6* packet, const uint8_t* data, size_t length) noexcept nogil
cdef Fault6 check6(const Packet6* packet) noexcept nogil
cdef bint names_another_server(const Packet6* packet, Field server_id) noexcept nogil
cdef bint asks6(const Packet6* packet, uint16_t code) noexcept nogil
cdef Field option6(const Packet6* packet, uint16_t code) noexcept nogil
cdef Field option_in(Field options, uint16_t wanted) noexcept nogil
cdef bint next_instance6(Cursor* c, uint8_t code, Field* value) noexcept nogil
cdef Field vendor_part6(const Packet6* packet, uint8_t code, uint32_t enterprise) noexcept nogil
cdef uint16_t elapsed6(const Packet6* packet) noexcept nogil
cdef bint is_well_formed6(uint8_t code, Field value) noexcept nogil
