"""Other holders of a lease: other associations of the message, and other clients by what memory knows."""

from dhcp_fast.clients.tenure cimport is_unknown, may_take_over, note_rival
from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.dhcp6.eligibility cimport is_same, named, reserved_lease
from dhcp_fast.leases.lease_table cimport (
    DISPUTED, LEASE_ACTIVE, LEASE_DECLINED, NO_LEASE, PARTIAL, Lease, lease_at, lease_find)
from dhcp_fast.plan.compiled cimport Holder6, Tenure
from dhcp_fast.state.state cimport runs
from dhcp_fast.wire.codes6 cimport OPT6_IA_NA, OPT6_IA_PD
from dhcp_fast.wire.packet6 cimport Ia6


cdef bint is_in_message(const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].hi == hi and slot.parts[i].lo == lo and slot.parts[i].valid:
            return True
    return False


cdef bint is_lost(const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return whether the answer takes the lease from an association, which gets it back in place of itself only if it
    is reserved."""
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].hi == hi and slot.parts[i].lo == lo and slot.parts[i].lost:
            return True
    return False


cdef bint held_by_other(
        State* state, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t identity) noexcept nogil:
    """Return whether memory shows another association's lease, reuse margin or quarantine there, or
    the database reported one for a lease that memory has as this one's.
    """
    cdef uint32_t index = lease_find(state.leases, tenant_no, hi, lo)
    cdef Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return runs(state, lease) and (
        lease.state == LEASE_DECLINED or lease.flags & DISPUTED or lease.client != identity)


cdef Tenure* tenure_of(const Client6* client, uint16_t ia_type) noexcept nogil:
    return &client.reservation.tenure if ia_type == OPT6_IA_NA else &client.reservation.prefix_tenure


cdef bint takes_over(const State* state, const Slot* slot, const Client6* client, const Ia6* ia, uint64_t identity,
                     const Candidate* lease) noexcept nogil:
    """Return whether the lease is the client's reserved one, under another key, of a client that has the reservation
    too (clients/tenure.pxd); no association of the message loses it to another one."""
    cdef uint32_t index
    if not is_reserved(client, ia.kind, lease) or is_for_another(state, slot, ia, lease):
        return False
    index = lease_find(state.leases, client.reserved_in.tenant.no, lease.hi, lease.lo)
    return (index != NO_LEASE and lease_at(state.leases, index).client != identity
            and may_take_over(state, tenure_of(client, ia.kind), lease_at(state.leases, index)))


cdef bint takes_over_machine(const State* state, const Slot* slot, const Client6* client, const Ia6* ia,
                             uint64_t identity, const Candidate* lease) noexcept nogil:
    """Return the same of a client that has another lease: it leaves that for the reserved one of another DUID, not for
    that of another association of its own."""
    cdef uint32_t index = lease_find(state.leases, client.reserved_in.tenant.no, lease.hi, lease.lo)
    return (index != NO_LEASE and not lease_at(state.leases, index).flags & PARTIAL
            and lease_at(state.leases, index).client_parts_hash != slot.op.client_parts_hash
            and takes_over(state, slot, client, ia, identity, lease))


cdef inline bint is_reserved(const Client6* client, uint16_t ia_type, const Candidate* lease) noexcept nogil:
    cdef Candidate reserved
    return reserved_lease(client, ia_type, &reserved) and is_same(&reserved, lease)


cdef bint must_look_up(State* state, Slot* slot, const Client6* client, const Ia6* ia, Candidate* found) noexcept nogil:
    """Return whether the row of the reserved lease, `found`, is to say whose it is, before the message is decided."""
    cdef uint32_t index
    cdef const Lease* lease
    if not reserved_lease(client, ia.kind, found):
        return False
    index = lease_find(state.leases, client.reserved_in.tenant.no, found.hi, found.lo)
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return (is_unknown(state, slot, tenure_of(client, ia.kind), lease) and runs(state, lease)
            and not is_in_message_of(state, client, lease))


cdef bint is_in_message_of(const State* state, const Client6* client, const Lease* lease) noexcept nogil:
    """Return whether an association of the message has the lease."""
    cdef int i
    cdef const Ia6* ia
    for i in range(state.message6.packet.ia_count):
        ia = &state.message6.packet.ias[i]
        if association_of(state, client, ia.kind, ia.iaid) == lease.client:
            return True
    return False


cdef bint note_lost(const State* state, const Client6* client, const LeaseOp* op) noexcept nogil:
    """Return the row refused the renewal of the reserved lease. Whether another client has it, which only one with the
    reservation's identity gets: then both are alive."""
    cdef Candidate lease = Candidate(op.hi, op.lo, op.association.prefix_length, NULL, NULL)
    cdef uint32_t index
    if client.reservation == NULL or not is_reserved(client, op.ia_type, &lease):
        return False
    index = lease_find(state.leases, client.reserved_in.tenant.no, op.hi, op.lo)
    if (index == NO_LEASE or lease_at(state.leases, index).state != LEASE_ACTIVE
            or lease_at(state.leases, index).client == op.client):
        return False
    note_rival(state, tenure_of(client, op.ia_type))
    return True


cdef bint is_held_in_part(State* state, const Slot* slot, const Client6* client, uint16_t ia_type) noexcept nogil:
    """Return whether other clients have active leases in or around the reserved prefix, by the plan
    as it was read, unless their end is known. Later ones have not been given.
    """
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
    """Return whether another association of the message has got the lease, or names it."""
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
