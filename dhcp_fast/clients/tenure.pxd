"""Holder of a reserved lease: another client, or the reservation's own under another key
(decisions: Reservations).

A machine starts as PXE ROM, installer and system, each with its own client id or DUID; it may get
another card, or another machine may replace it on the line. A client that finds its reserved lease
under another key has the row read once, by an operation that every row refuses (NO_FENCE). A row
whose client has the reservation's identity too is taken over: the operation that binds names the
version that was seen, and the statement ends the lease before it.

The client in a row is kept with the reservation for as long as the row has that version. A client
that renews a lost lease is active, so two machines use one reservation at once. From the second
such renewal within an hour on, the lease stays with the client that holds it.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport DISPUTED, LEASE_ACTIVE, Lease, is_held
from dhcp_fast.plan.compiled cimport Tenure
from dhcp_fast.state.slot cimport RECALL_DONE, RECALL_NONE, Slot
from dhcp_fast.state.state cimport State, database_may_err, database_now

cdef enum:
    NO_FENCE = -1           # of an operation that is to be refused, so that its row is read
    MOST_RIVALS = 2         # renewals of what was lost, within an hour
    RIVAL_SECONDS = 3600
    LATEST_LOOK = 2         # decisions of a packet, before which it may have the row read

cdef inline uint32_t seconds_now(const State* state) noexcept nogil:
    return <uint32_t>(database_now(state) // 1000000)

cdef inline bint are_rivals(const State* state, const Tenure* tenure) noexcept nogil:
    return tenure.rivals >= MOST_RIVALS and <uint64_t>tenure.rivals_at + RIVAL_SECONDS > seconds_now(state)

cdef inline bint is_tenancy(const Lease* lease) noexcept nogil:
    """Return whether the entry is a client's lease as the database has it."""
    return lease.state == LEASE_ACTIVE and not lease.flags & DISPUTED and not is_held(lease)

cdef inline bint may_take_over(const State* state, const Tenure* tenure, const Lease* lease) noexcept nogil:
    """Return whether the reserved lease, which is under another key, is yet the reservation's own."""
    return (tenure.same and tenure.version == lease.version and is_tenancy(lease)
            and not are_rivals(state, tenure) and not database_may_err(state))

cdef inline bint is_unknown(
        const State* state, const Slot* slot, const Tenure* tenure, const Lease* lease) noexcept nogil:
    """Return whether the row must be read for the owner of the lease."""
    return (tenure.version != lease.version and is_tenancy(lease) and slot.decided < LATEST_LOOK
            and not are_rivals(state, tenure) and not database_may_err(state))

cdef inline void settle(Slot* slot, Tenure* tenure) noexcept nogil:
    """Note what the row has said."""
    if slot.tenure == RECALL_DONE:
        slot.tenure = RECALL_NONE
        tenure.version = slot.tenure_version
        tenure.same = slot.tenure_same

cdef inline void note_rival(const State* state, Tenure* tenure) noexcept nogil:
    """Note that a client renewed the lease that another one with the reservation's identity has taken over."""
    cdef uint32_t now = seconds_now(state)
    if <uint64_t>tenure.rivals_at + RIVAL_SECONDS <= now:
        tenure.rivals = 0
    tenure.rivals = min(tenure.rivals + 1, MOST_RIVALS)
    tenure.rivals_at = now
