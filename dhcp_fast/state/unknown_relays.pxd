from libc.stdint cimport uint64_t

from dhcp_fast.state.state cimport State

cdef void note_unknown_relay(State* state, uint64_t hi, uint64_t lo) noexcept nogil
