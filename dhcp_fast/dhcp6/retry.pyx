"""Handling of packets after their statement (engine rules 8, 9, 31).

The outcome of each operation is noted in its part of the packet. After the last one the answer is
sent: the prepared one or, if the database did not accept all of it, a new one.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from dhcp_fast.clients.declines cimport note_storm, withdraw_decline
from dhcp_fast.dhcp6.associations cimport holds_any, names_lease
from dhcp_fast.dhcp6.client cimport Client6, identify
from dhcp_fast.dhcp6.decision cimport note_unusual, read_packet
from dhcp_fast.dhcp6.eligibility cimport none_available
from dhcp_fast.dhcp6.holders cimport note_lost
from dhcp_fast.dhcp6.hostname cimport name_after
from dhcp_fast.dhcp6.messages cimport enter, on_message
from dhcp_fast.dhcp6.reply cimport address_reply, answer
from dhcp_fast.dhcp6.speaker cimport subnet_of_part
from dhcp_fast.dhcp6.subnet_selection cimport find_subnet
from dhcp_fast.leases.lease_operation cimport OP_BIND, OP_DECLINE, OP_RENEW, OP_REVOKE, LeaseOp, grants
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, Lease, first_of_client, lease_at, lease_hi, lease_lo)
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6
from dhcp_fast.plan.subnets6 cimport next_on_wire, pool_of_lease, subnet_by_no
from dhcp_fast.sharing.lease_cache cimport learn_written
from dhcp_fast.sharing.superseding cimport end_lost, give_up, leave
from dhcp_fast.state.occupancy6 cimport forget_offers
from dhcp_fast.state.queue cimport is_overtaken, slot_at
from dhcp_fast.state.reasons cimport (
    NOTICE_ADDRESS_DECLINED, NOTICE_DECLINE_REFUSED, NOTICE_IDENTITY_SHARED, NOTICE_LEASE_REVOKED, NOTICE_NONE,
    REASON_NONE, REASON_NO_REPLY_ADDRESS, REASON_OVERTAKEN, REASON_REFUSED_ROW)
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_ENDING, EXCHANGE_NONE, EXCHANGE_REGISTERING, EXCHANGE_RENEWING, EXCHANGE_SELECTING,
    NO_SLOT, PART_REFUSED, PART_WON, RECALL_WANTED, Part)
from dhcp_fast.state.state cimport ACTION_DONE, ACTION_OPEN, ACTION_REPLY, drop, note_shared_identity
from dhcp_fast.wire.codes6 cimport STATUS6_NOBINDING
from dhcp_fast.wire.faults6 cimport FAULT6_NONE

cdef enum:
    OTHER_LEASES = 3            # how often a client that named no lease is given another one


cdef inline Slot* packet_of(State* state, const Slot* slot) noexcept nogil:
    return slot_at(state.queue, slot.packet)


cdef Action on_won(State* state, Slot* slot, const WonRow* won) noexcept nogil:
    """Learn that the slot's operation is in the database: `won` is its row."""
    cdef LeaseOp* op = &slot.op
    cdef Subnet6* subnet = subnet_by_no(state.plan6, op.subnet_no)
    cdef Slot* whole = packet_of(state, slot)
    state.last_notice = NOTICE_NONE
    learn_written(state, op, won)
    if slot.exchange == EXCHANGE_NONE:
        return ACTION_DONE              # the server's own
    if op.kind == OP_BIND and subnet != NULL:
        forget_offers(state, op.client, subnet)
    elif op.kind == OP_DECLINE:
        note_declined(state, op, whole, subnet)
    elif op.kind == OP_REVOKE:
        note_unusual(state, whole, NOTICE_LEASE_REVOKED)
    whole.parts[slot.part].outcome = PART_WON
    if grants(op) and release_others(state, slot, whole, subnet):
        give_up(state, slot)
        refuse(whole, &whole.parts[slot.part])
    return count_down(state, whole)


cdef void note_declined(State* state, const LeaseOp* op, const Slot* whole, const Subnet6* subnet) noexcept nogil:
    if op.margin or subnet == NULL or not subnet.quarantine:
        note_unusual(state, whole, NOTICE_ADDRESS_DECLINED)
        return
    note_unusual(state, whole, NOTICE_DECLINE_REFUSED)
    note_storm(state, op)


cdef bint release_others(State* state, const Slot* slot, const Slot* whole, const Subnet6* entry) noexcept nogil:
    """Release leases: of the association's other leases on that wire those end that the message neither names nor gets
    (rule 9). True: one of them is newer than the packet."""
    cdef uint32_t following, index = first_of_client(state.leases, slot.op.client)
    cdef Lease* lease
    cdef bint newer = False
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        following = lease.client_next
        if (lease.client == slot.op.client and lease.tenant_no == slot.op.tenant_no and lease.state == LEASE_ACTIVE
                and not is_named(state, whole, lease) and is_of_wire(state, lease, entry)):
            newer |= not leave(state, lease, &slot.op)
        index = following
    return newer


cdef bint is_named(const State* state, const Slot* whole, const Lease* lease) noexcept nogil:
    cdef int i
    for i in range(whole.part_count):
        if (whole.parts[i].hi == lease_hi(state.leases, lease) and whole.parts[i].lo == lease_lo(state.leases, lease)
                and not whole.parts[i].status):
            return True
    return False


cdef bint is_of_wire(const State* state, const Lease* lease, const Subnet6* entry) noexcept nogil:
    """Return whether the lease is of the wire, also one that no pool has any more."""
    cdef const Pool6* pool = pool_of_lease(
        state.plan6, lease.tenant_no, lease_hi(state.leases, lease), lease_lo(state.leases, lease))
    cdef const Subnet6* subnet = entry
    if pool == NULL:
        return True
    while subnet != NULL:
        if subnet == pool.subnet:
            return True
        subnet = next_on_wire(subnet, entry)
    return False


cdef Action count_down(State* state, Slot* whole) noexcept nogil:
    """Count down, because one of the packet's operations is over. With the last one its answer leaves."""
    whole.parts_open -= 1
    if whole.parts_open:
        return ACTION_OPEN
    if whole.abandoned:
        return ACTION_DONE
    return answer_again(state, whole) if is_changed(whole) else ACTION_REPLY


cdef bint is_changed(const Slot* whole) noexcept nogil:
    """Return whether the database did not accept all of the answer."""
    cdef int i
    for i in range(whole.part_count):
        if whole.parts[i].outcome == PART_REFUSED:
            return True
    return False


cdef Action answer_again(State* state, Slot* whole) noexcept nogil:
    """Write the answer again from the outcome of the parts, all of which is known now.

    An association that releases a foreign lease beside one of its own gets no status for it
    (section 18.3.7).
    """
    cdef Client6 client
    cdef int i
    cdef Part* part
    if read_packet(state, whole) != FAULT6_NONE or not know_again(state, whole, &client):
        return drop(state, REASON_REFUSED_ROW)
    for i in range(whole.part_count):
        part = &whole.parts[i]
        if part.outcome == PART_REFUSED and whole.exchange == EXCHANGE_ENDING and (
                gave_back(whole, part.ia) or holds_any(state, &client, &state.message6.packet.ias[part.ia])):
            part.status = 0
        if part.valid:
            name_after(state, whole, &client, subnet_of_part(state, &client, part), part.hi, part.lo)
    answer(state, whole, &client)
    return ACTION_REPLY if address_reply(state, whole) else drop(state, REASON_NO_REPLY_ADDRESS)


cdef bint gave_back(const Slot* whole, int ia) noexcept nogil:
    """Return whether one of the leases that the association ends was its own."""
    cdef int i
    for i in range(whole.part_count):
        if whole.parts[i].ia == ia and whole.parts[i].outcome == PART_WON:
            return True
    return False


cdef bint know_again(State* state, Slot* whole, Client6* client) noexcept nogil:
    """Return the packet's sender once more, its parts as they are; False when the configuration no longer serves it."""
    cdef uint8_t count = whole.part_count
    cdef int status = whole.status
    cdef bint served = enter(state, whole, client) == REASON_NONE
    whole.part_count = count
    whole.status = status
    return served


cdef void refuse(const Slot* whole, Part* part) noexcept nogil:
    """Refuse, because the database did not take it.

    The status of its association depends on its other leases: reply.pyx decides.
    """
    part.outcome = PART_REFUSED
    part.valid = part.preferred = 0
    if whole.exchange == EXCHANGE_SELECTING or whole.exchange == EXCHANGE_AT_ONCE:
        part.status = none_available(part.ia_type)
    else:
        part.status = STATUS6_NOBINDING


cdef Action on_refused(State* state, Slot* slot) noexcept nogil:
    """Handle the refusal: the row refused the operation under a current configuration, and the cache knows the winner
    (rule 8)."""
    cdef Slot* whole = packet_of(state, slot)
    state.lost += 1
    state.last_notice = NOTICE_NONE
    if slot.exchange == EXCHANGE_NONE:
        return ACTION_DONE
    if whole.tenure == RECALL_WANTED:
        whole.abandoned = True
        drop(state, REASON_REFUSED_ROW)
        return count_down(state, whole)
    if slot.exchange == EXCHANGE_ENDING:
        end_lost(state, &slot.op)
    if slot.op.kind == OP_RENEW and slot.exchange == EXCHANGE_RENEWING:
        note_rival(state, whole, &slot.op)
    if slot.op.kind == OP_DECLINE:
        withdraw_decline(state, &slot.op)
    if gets_another(state, slot, whole):
        return decide_again(state, slot)
    if slot.exchange == EXCHANGE_REGISTERING:
        return count_down(state, whole)     # another lease has the address; the host's message is confirmed
    refuse(whole, &whole.parts[slot.part])
    return count_down(state, whole)


cdef void note_rival(State* state, Slot* whole, const LeaseOp* op) noexcept nogil:
    """Note the renewal of a reserved lease that another client has taken over (holders.pyx)."""
    cdef Client6 client
    memset(&client, 0, sizeof(client))
    if read_packet(state, whole) == FAULT6_NONE and find_subnet(state, whole, &client) == REASON_NONE:
        identify(state, whole, &client)
        if note_lost(state, &client, op):
            note_unusual(state, whole, NOTICE_IDENTITY_SHARED)
            note_shared_identity(state, op, op.subnet_no)


cdef bint gets_another(State* state, const Slot* slot, Slot* whole) noexcept nogil:
    """Return whether the client named no lease, so that another will do as well; of a message with several operations
    its client asks again."""
    if not is_alone(slot, whole) or whole.decided >= OTHER_LEASES or read_packet(state, whole) != FAULT6_NONE:
        return False
    if slot.exchange == EXCHANGE_AT_ONCE:
        return True
    return slot.op.kind == OP_BIND and not names_lease(state, &state.message6.packet.ias[whole.parts[slot.part].ia])


cdef inline bint is_alone(const Slot* slot, const Slot* whole) noexcept nogil:
    """Return whether the operation is its packet's only one."""
    return slot == whole and whole.parts_open == 1 and whole.sibling == NO_SLOT


cdef Action decide_again(State* state, Slot* slot) noexcept nogil:
    """Decide the packet again, because the configuration was newer than the decision; its age remains.

    A packet with several operations is not answered, because some may be written by now: its client
    retries.
    """
    cdef Slot* whole = packet_of(state, slot)
    if slot.exchange == EXCHANGE_NONE:
        return ACTION_DONE
    if not is_alone(slot, whole):
        if not whole.abandoned:
            drop(state, REASON_OVERTAKEN)
        whole.abandoned = True
        return count_down(state, whole)
    whole.parts_open = 0
    if is_overtaken(state.queue, slot):
        return drop(state, REASON_OVERTAKEN)
    if read_packet(state, whole) != FAULT6_NONE:
        return drop(state, REASON_REFUSED_ROW)
    whole.decided += 1
    state.last_notice = NOTICE_NONE
    return on_message(state, whole)
