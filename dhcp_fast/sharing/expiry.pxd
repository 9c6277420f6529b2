from libc.stdint cimport uint32_t

from dhcp_fast.state.state cimport State

cdef int tick(State* state, int most) noexcept nogil
cdef void lapse_offers(State* state) noexcept nogil
