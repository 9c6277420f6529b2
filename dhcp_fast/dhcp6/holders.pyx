"""Who else has a lease: other associations of the message, and other clients by what memory knows."""

from dhcp_fast.dhcp6.eligibility cimport is_same, named
from dhcp_fast.leases.lease_table cimport DISPUTED, LEASE_DECLINED, NO_LEASE, Lease, lease_at, lease_find
from dhcp_fast.plan.compiled cimport Holder6
from dhcp_fast.state.state cimport runs
from dhcp_fast.wire.codes6 cimport OPT6_IA_PD
from dhcp_fast.wire.packet6 cimport Ia6


cdef bint is_in_message(const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].hi == hi and slot.parts[i].lo == lo and slot.parts[i].valid:
            return True
    return False


cdef bint held_by_other(
        State* state, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t identity) noexcept nogil:
    """By what we know: another association's lease runs, or its reuse margin or a quarantine does; or the database says
    so of a lease that we know to be this one's."""
    cdef uint32_t index = lease_find(state.leases, tenant_no, hi, lo)
    cdef Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return runs(state, lease) and (
        lease.state == LEASE_DECLINED or lease.flags & DISPUTED or lease.client != identity)


cdef bint is_held_in_part(State* state, const Slot* slot, const Client6* client, uint16_t ia_type) noexcept nogil:
    """Whether other clients' leases in or around the reserved prefix run: those that stood there when the plan was
    read, as long as nothing else is known of them. Later ones have not been given."""
    cdef int i
    cdef const Holder6* holder
    cdef uint32_t index
    if ia_type != OPT6_IA_PD:
        return False
    for i in range(client.reservation.holder_count):
        holder = &client.reservation.holders[i]
        if holder.client_parts_hash == slot.op.client_parts_hash:
            continue
        index = lease_find(state.leases, client.reserved_in.tenant.no, holder.hi, holder.lo)
        if index == NO_LEASE or (
                lease_at(state.leases, index).client == holder.client and runs(state, lease_at(state.leases, index))):
            return True
    return False


cdef bint is_for_another(const State* state, const Slot* slot, const Ia6* ia, const Candidate* lease) noexcept nogil:
    """Whether another association of the message has got the lease, or names it."""
    cdef int i, at
    cdef const Ia6* other
    cdef Candidate one
    for i in range(slot.part_count):
        if slot.parts[i].hi == lease.hi and slot.parts[i].lo == lease.lo and slot.parts[i].valid:
            return &state.message6.packet.ias[slot.parts[i].ia] != ia
    for i in range(state.message6.packet.ia_count):
        other = &state.message6.packet.ias[i]
        if other == ia or other.kind != ia.kind:
            continue
        for at in range(other.first, other.first + other.count):
            one = named(&state.message6.packet.addresses[at])
            if is_same(&one, lease):
                return True
    return False
