"""A client that took a lease gives up its others, by operations of the server's own (engine rule 9)."""

from libc.stdint cimport uint32_t

from dhcp_fast.leases.circuits cimport lease_off_circuit
from dhcp_fast.leases.expiry_wheel cimport wheel_put
from dhcp_fast.leases.lease_operation cimport OP_DECLINE, OP_SUPERSEDE
from dhcp_fast.leases.lease_table cimport (
    DISPUTED, LEASE_ACTIVE, LEASE_DECLINED, LEASE_RELEASED, NO_LEASE, is_held, lease_at, lease_find, lease_hi, lease_lo,
    row_version)
from dhcp_fast.sharing.lease_cache cimport is_newer, round_up
from dhcp_fast.state.occupancy cimport mark_lease
from dhcp_fast.state.queue cimport enqueue_own
from dhcp_fast.state.state cimport database_now


cdef bint leave(State* state, Lease* lease, const LeaseOp* op) noexcept nogil:
    """Leave the lease: the client of `op`, which was just written, leaves this lease. False: the lease is newer than
    the packet, which may have waited for seconds while its client gave it up and got this one elsewhere; that
    counts."""
    if is_newer(state, lease, op.received):
        return False
    supersede(state, lease, op)
    return True


cdef void supersede(State* state, Lease* lease, const LeaseOp* owner) noexcept nogil:
    """Supersede the lease; where the database has lost it, there is nothing to write."""
    if row_version(lease):
        enqueue_own(state.queue, state.leases, lease, OP_SUPERSEDE, owner)
    if is_held(lease):
        end_held(state, lease, 0)


cdef void end_lost(State* state, const LeaseOp* op) noexcept nogil:
    """Handle a refusal: the row refused what ends the client's lease. Where it is lost, there is none that could be
    written."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    cdef Lease* lease
    if index == NO_LEASE:
        return
    lease = lease_at(state.leases, index)
    if is_held(lease) and lease.state == LEASE_ACTIVE and lease.client == op.client:
        end_held(state, lease, round_up(database_now(state)) + op.margin if op.kind == OP_DECLINE else 0)


cdef void end_held(State* state, Lease* lease, uint32_t reuse) noexcept nogil:
    """End the lease in memory alone, which no circuit counts any more; in quarantine until `reuse`, 0: free.

    An address kept by an older row of another client (DISPUTED) stays so for as long as before.
    """
    cdef uint32_t index = lease_find(
        state.leases, lease.tenant_no, lease_hi(state.leases, lease), lease_lo(state.leases, lease))
    lease.state = LEASE_DECLINED if reuse else LEASE_RELEASED
    lease.reuse = max(reuse, lease.reuse) if lease.flags & DISPUTED else reuse
    lease_off_circuit(&state.circuits, lease, index)
    if reuse:
        wheel_put(state.leases, index, lease.reuse)
    mark_lease(state, lease)


cdef void give_up(State* state, Slot* slot) noexcept nogil:
    """Release what was just written."""
    cdef uint32_t index = lease_find(state.leases, slot.op.tenant_no, slot.op.hi, slot.op.lo)
    if index != NO_LEASE:
        enqueue_own(state.queue, state.leases, lease_at(state.leases, index), OP_SUPERSEDE, &slot.op)
