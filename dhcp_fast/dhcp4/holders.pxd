"""Check of whose lease an entry is: the client's own, also by the key that it would have under the other
`match_client_id`, or its reserved one under another key of the same client."""

from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_table cimport PARTIAL, Lease, lease_at
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.tenure cimport may_take_over

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
