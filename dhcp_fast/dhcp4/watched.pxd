from libc.stdint cimport uint8_t, uint16_t

from dhcp_fast.state.trace_entry cimport Wanted

cdef bint is_watched(const Wanted* wanted, const uint8_t* packet, uint16_t length) noexcept nogil
