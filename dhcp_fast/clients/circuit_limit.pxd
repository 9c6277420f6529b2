"""Count of how many leases the clients of one circuit may have (RFC 3046 section 7); leases/circuits.pxd says what a
circuit is. Leases that run and grants that are on their way count together. Which client keeps its place
dhcp4/limits.pyx and dhcp6/limits.pyx say."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef bint has_room(const State* state, uint32_t circuit, uint32_t more) noexcept nogil
cdef uint32_t leases_on(const State* state, uint64_t identity, uint32_t parts_hash, uint32_t circuit) noexcept nogil
cdef void count_pending(State* state, Slot* slot) noexcept nogil
cdef void forget_pending(State* state, Slot* slot) noexcept nogil
