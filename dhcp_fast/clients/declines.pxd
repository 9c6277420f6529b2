from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport IPV4, LeaseOp
from dhcp_fast.leases.lease_table cimport LEASE_DECLINED, Lease
from dhcp_fast.state.state cimport State, database_now

cdef enum:
    SHUNNED_SECONDS = 3600

cdef uint32_t quarantine_of(State* state, const LeaseOp* op, uint32_t seconds) noexcept nogil
cdef void withdraw_decline(State* state, const LeaseOp* op) noexcept nogil
cdef void note_decline(
    State* state, uint64_t client, uint32_t relay_hash, uint32_t subnet_no, uint32_t at, bint refused) noexcept nogil
cdef void note_storm(State* state, const LeaseOp* op) noexcept nogil
cdef bint was_refused_lately(const State* state, uint64_t client) noexcept nogil

cdef inline bint was_refused(const State* state, uint64_t client) noexcept nogil:
    """Return whether the client declined one too many within the hour: then addresses may be kept from it."""
    return state.declines.refused != 0 and was_refused_lately(state, client)

cdef inline uint64_t decliner_of(const LeaseOp* op) noexcept nogil:
    """Return the decliner; of IPv6 the DUID, because a client makes as many associations as it likes."""
    return op.client if op.ia_type == IPV4 else op.client_parts_hash

cdef inline bint is_shunned(const State* state, const Lease* lease, uint64_t client) noexcept nogil:
    """Return whether the client declined the address within the hour, and it stayed in service for others."""
    return (lease.state == LEASE_DECLINED and lease.reuse <= lease.expires + 1
            and (lease.client == client or <uint64_t>lease.client_parts_hash == client)
            and <uint64_t>lease.expires + SHUNNED_SECONDS > <uint64_t>(database_now(state) // 1000000))
