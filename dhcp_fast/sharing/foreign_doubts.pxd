from libc.stdint cimport uint32_t

from dhcp_fast.state.state cimport State

cdef void begin_doubts(State* state) noexcept nogil
cdef int end_doubts(State* state, uint32_t now, int most) noexcept nogil
