"""Leases of a client: its own, also under the key of the other `match_client_id`, and its reserved
one under another key (clients/tenure.pxd).
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.clients.tenure cimport may_take_over
from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.leases.lease_table cimport PARTIAL, Lease, lease_at
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State

cdef bint must_look_up(State* state, Slot* slot, Client* client) noexcept nogil
cdef Action look_up(State* state, Slot* slot, Client* client) noexcept nogil
cdef uint64_t version_to_end(const State* state, const Client* client, uint32_t address) noexcept nogil
cdef bint starts_anew(State* state, const Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef bint is_shared(const State* state, const LeaseOp* op, uint32_t index) noexcept nogil
cdef void note_sharing(State* state, Slot* slot) noexcept nogil
cdef void note_lost(State* state, Slot* slot, const Client* client) noexcept nogil

cdef inline bint is_client(const State* state, const Client* client, uint32_t index) noexcept nogil:
    """Return whether the entry is the client's: under its identity, or with both of its parts under the other one."""
    cdef Lease* lease = lease_at(state.leases, index)
    if lease.client == client.identity:
        return True
    if client.other_identity == 0 or lease.client != client.other_identity:
        return False
    return lease.client_parts_hash == client.client_parts_hash or lease.flags & PARTIAL    # then the database will say

cdef inline bint takes_over(const State* state, const Client* client, const Lease* lease) noexcept nogil:
    """Return whether the lease of another key is at the client's reserved address, and its client has the reservation
    too."""
    return (client.reservation != NULL and client.reservation.address == lease.address
            and may_take_over(state, &client.reservation.tenure, lease))
