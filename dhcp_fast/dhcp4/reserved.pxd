"""The reserved address of a client, where the lease is under another key (state/tenure.pxd)."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State

cdef bint must_look_up(State* state, Slot* slot, Client* client) noexcept nogil
cdef Action look_up(State* state, Slot* slot, Client* client) noexcept nogil
cdef uint64_t version_to_end(const State* state, const Client* client, uint32_t address) noexcept nogil
cdef bint starts_anew(State* state, const Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef bint is_shared(const State* state, const LeaseOp* op, uint32_t index) noexcept nogil
cdef void note_sharing(State* state, Slot* slot) noexcept nogil
cdef void note_lost(State* state, Slot* slot, const Client* client) noexcept nogil
