"""Renewals that change nothing are answered from memory, while most of the lease is left (engine rule 18)."""

from libc.stdint cimport int64_t

from dhcp_fast.leases.lease_operation cimport INFINITE_LIFETIME, NAME_BITS, UNNAMED_BITS, is_unnamed
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, lease_at
from dhcp_fast.sharing.lease_cache cimport MICROSECONDS, NEVER, content_hash_in
from dhcp_fast.state.state cimport clock_in_doubt, database_now

cdef enum:
    FRESH_MICROSECONDS = 2000000    # so old may be what is known of others' writes and of the plan


cdef uint32_t early_renewal(
        State* state, const LeaseOp* op, uint64_t client, uint32_t subnet_no, uint32_t lease_time, double threshold,
        uint32_t index) noexcept nogil:
    """Return seconds left of the client's durable lease, if a renewal this early, for `lease_time`,
    needs no write; else 0. The operation's data of client and relay must be in the lease already.
    """
    cdef Lease* lease
    cdef int64_t now
    cdef uint32_t span
    if index == NO_LEASE or not is_fresh(state):
        return 0
    lease = lease_at(state.leases, index)
    if (lease.state != LEASE_ACTIVE or lease.client != client or lease.flags & PARTIAL
            or lease.client_parts_hash != op.client_parts_hash
            or (lease.content_hash ^ content_hash_in(op.content_hash, subnet_no)) & compared_bits(op)
            or lease.expires <= lease.renewed):
        return 0
    if op.relay_hash and op.relay_hash != lease.relay_hash:
        return 0
    now = database_now(state) + state.clock.bound
    span = INFINITE_LIFETIME if lease.expires == NEVER else lease.expires - lease.renewed
    if span != lease_time or now // MICROSECONDS < lease.renewed:
        return 0
    if <double>(now // MICROSECONDS - lease.renewed) >= span * threshold:
        return 0
    if span == INFINITE_LIFETIME:
        return INFINITE_LIFETIME
    return <uint32_t>(lease.expires - now // MICROSECONDS - 1)


cdef inline uint32_t compared_bits(const LeaseOp* op) noexcept nogil:
    """Return the bits of content_hash to compare: a packet without a name would keep that of the
    row, and any vendor class may renew.
    """
    return UNNAMED_BITS if is_unnamed(op) else NAME_BITS << 16 | UNNAMED_BITS


cdef inline bint is_fresh(const State* state) noexcept nogil:
    return (state.clock.known and not clock_in_doubt(state)
            and state.now - state.feed_read < FRESH_MICROSECONDS and state.now - state.plan_read < FRESH_MICROSECONDS)
