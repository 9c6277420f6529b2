"""Limit of the leases of one circuit's clients (RFC 3046 section 7); leases/circuits.pxd defines a circuit.

Active leases and pending grants count together. The choice of clients that keep their place is in
dhcp4/limits.pyx and dhcp6/limits.pyx.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef bint has_room(const State* state, uint32_t circuit, uint32_t more) noexcept nogil
cdef uint32_t leases_on(const State* state, uint64_t identity, uint32_t parts_hash, uint32_t circuit) noexcept nogil
cdef void count_pending(State* state, Slot* slot) noexcept nogil
cdef void forget_pending(State* state, Slot* slot) noexcept nogil
