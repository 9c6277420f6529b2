from libc.stdint cimport uint8_t

from dhcp_fast.wire.faults6 cimport Fault6
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.view6 cimport IaAddress6, Packet6

cdef Fault6 read_ia6(Packet6* packet, uint8_t kind, Field value) noexcept nogil
cdef bint read_address6(Packet6* packet, IaAddress6* item, Field value) noexcept nogil
