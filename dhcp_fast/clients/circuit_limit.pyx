"""Leases and grants of a circuit against the limit; see the .pxd."""

from dhcp_fast.leases.circuits cimport (
    NO_CIRCUIT, circuit_drop, circuit_name, circuit_of, circuit_relay, circuit_take)
from dhcp_fast.leases.lease_operation cimport OP_BIND
from dhcp_fast.leases.lease_table cimport COUNTED, NO_LEASE, Lease, first_of_client, lease_at


cdef bint has_room(const State* state, uint32_t circuit, uint32_t more) noexcept nogil:
    """Return whether there is room for one lease, after `more` others that are not counted yet.

    A circuit without references (NO_CIRCUIT) is empty.
    """
    cdef uint64_t taken = more
    if circuit != NO_CIRCUIT:
        taken += state.circuits.at[circuit].active + state.circuits.at[circuit].pending
    return taken < state.circuits.limit


cdef uint32_t leases_on(const State* state, uint64_t identity, uint32_t parts_hash, uint32_t circuit) noexcept nogil:
    """Return how many run under this identity and, where one is given, with this pair of hardware address and client
    id."""
    cdef uint32_t index = first_of_client(state.leases, identity)
    cdef uint32_t count = 0
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if (lease.client == identity and lease.flags & COUNTED and circuit_of(&state.circuits, index) == circuit
                and (not parts_hash or lease.client_parts_hash == parts_hash)):
            count += 1
        index = lease.client_next
    return count


cdef void count_pending(State* state, Slot* slot) noexcept nogil:
    """Count a queued grant on its circuit before the next packet is decided."""
    if slot.op.kind != OP_BIND or not slot.op.circuit:
        return
    slot.circuit = circuit_take(
        &state.circuits, circuit_relay(&slot.op), circuit_name(&slot.op, slot.op.ia_type))
    if slot.circuit != NO_CIRCUIT:
        state.circuits.at[slot.circuit].pending += 1


cdef void forget_pending(State* state, Slot* slot) noexcept nogil:
    """Forget a pending grant when its outcome is known, and counted if it won."""
    if slot.circuit != NO_CIRCUIT:
        state.circuits.at[slot.circuit].pending -= 1
        circuit_drop(&state.circuits, slot.circuit)
        slot.circuit = NO_CIRCUIT
