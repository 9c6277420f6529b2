"""Handling of what follows a statement for the packets that wait for it.

A row that won lets its reply go, and its client's other leases on that wire end. A row that was refused is looked at
again: the packet gets a NAK, or is decided afresh as if it came now (engine rules 8, 9).
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from dhcp_fast.clients.declines cimport note_storm, withdraw_decline
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.dhcp4.decision cimport read_packet
from dhcp_fast.dhcp4.lost_leases cimport was_lost
from dhcp_fast.dhcp4.messages cimport go_home, on_message
from dhcp_fast.dhcp4.reply cimport answer_nak
from dhcp_fast.dhcp4.reply_address cimport address_reply
from dhcp_fast.dhcp4.reserved cimport note_lost
from dhcp_fast.dhcp4.subnet_selection cimport find_subnet
from dhcp_fast.leases.lease_operation cimport (
    OP_BIND, OP_DECLINE, OP_EXPIRE, OP_RELEASE, OP_RENEW, OP_REVOKE, LeaseOp, grants)
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, Lease, Span, lease_at, lease_find, lease_lo, lease_of_client, next_of_client)
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport next_on_wire, span_of, subnet_by_no
from dhcp_fast.sharing.lease_cache cimport learn_written
from dhcp_fast.sharing.superseding cimport end_lost, give_up, leave
from dhcp_fast.state.occupancy cimport forget_offers
from dhcp_fast.state.queue cimport is_overtaken
from dhcp_fast.state.reasons cimport (
    NOTICE_ADDRESS_DECLINED, NOTICE_DECLINE_REFUSED, NOTICE_LEASE_REVOKED, NOTICE_NAK_LOST_RACE, NOTICE_NAK_NOT_ALLOWED,
    NOTICE_NAK_NO_BINDING, NOTICE_NONE, REASON_HAS_NEWER_LEASE, REASON_NONE, REASON_NO_REPLY_ADDRESS,
    REASON_OTHER_SERVER, REASON_OVERTAKEN, REASON_REFUSED_ROW, REASON_UNKNOWN_BINDING)
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_INIT_REBOOT, EXCHANGE_NONE, EXCHANGE_REBINDING, EXCHANGE_SELECTING, EXCHANGE_WITHDRAWN,
    RECALL_WANTED)
from dhcp_fast.state.state cimport ACTION_DONE, ACTION_REPLY, Client, drop, notice
from dhcp_fast.wire.faults cimport FAULT_NONE
from dhcp_fast.wire.packet4 cimport may_select_another

cdef enum:
    OTHER_ADDRESSES = 3         # how often a client that got no OFFER is given another address


cdef Action on_won(State* state, Slot* slot, const WonRow* won) noexcept nogil:
    """Learn that the slot's operation is in the database: `won` is its row.

    Decide its packet, if it had one.
    """
    cdef LeaseOp* op = &slot.op
    cdef Subnet4* subnet = subnet_by_no(state.plan, op.subnet_no)
    state.last_notice = NOTICE_NONE
    learn_written(state, op, won)
    if op.kind == OP_EXPIRE:
        return ACTION_DONE
    if op.kind == OP_BIND and subnet != NULL:
        forget_offers(state, op.client, subnet)     # it is over, for whichever address it was
    elif op.kind == OP_DECLINE and slot.rx.length:
        note_declined(state, slot, subnet)
    elif op.kind == OP_REVOKE:
        notice(state, slot, NOTICE_LEASE_REVOKED, <uint32_t>op.lo)
    if grants(op) and release_others(state, slot, subnet):  # a renewal may have revived what had expired
        give_up(state, slot)
        return drop(state, REASON_HAS_NEWER_LEASE)
    return ACTION_REPLY


cdef void note_declined(State* state, Slot* slot, const Subnet4* subnet) noexcept nogil:
    if slot.op.margin or subnet == NULL or not subnet.quarantine:
        notice(state, slot, NOTICE_ADDRESS_DECLINED, <uint32_t>slot.op.lo)
        return
    notice(state, slot, NOTICE_DECLINE_REFUSED, <uint32_t>slot.op.lo)
    note_storm(state, &slot.op)


cdef bint release_others(State* state, Slot* slot, Subnet4* entry) noexcept nogil:
    """Return a client that took an address gives up its others on that wire, by an operation of their own (rule 9).

    True: one of them is newer than its packet. A request may wait for seconds, while its client gives it up and gets
    another address elsewhere: that one counts.
    """
    cdef Subnet4* subnet = entry
    cdef bint newer = False
    while subnet != NULL:
        newer |= release_others_in(state, slot, subnet)
        subnet = next_on_wire(subnet, entry)
    return newer


cdef bint release_others_in(State* state, Slot* slot, const Subnet4* subnet) noexcept nogil:
    cdef Span span = span_of(subnet)
    cdef uint32_t index = lease_of_client(state.leases, slot.op.client, &span)
    cdef Lease* lease
    cdef bint newer = False
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease_lo(state.leases, lease) != slot.op.lo and lease.state == LEASE_ACTIVE:
            newer |= not leave(state, lease, &slot.op)
        index = next_of_client(state.leases, index, &span)
    return newer


cdef Action on_refused(State* state, Slot* slot) noexcept nogil:
    """Handle the refusal: the row refused the operation under a current configuration, and the cache knows the winner
    (rule 8)."""
    cdef Client client
    cdef int exchange = slot.exchange
    cdef bint named_version = slot.op.kind == OP_RENEW and slot.op.version != 0      # before the packet is read again
    state.lost += 1
    state.last_notice = NOTICE_NONE
    if slot.op.kind == OP_RELEASE or slot.op.kind == OP_DECLINE:
        end_lost(state, &slot.op)
    if slot.op.kind == OP_DECLINE:
        withdraw_decline(state, &slot.op)
    if exchange == EXCHANGE_NONE:       # with a packet, or the server's own
        return drop(state, REASON_REFUSED_ROW) if slot.rx.length else ACTION_DONE
    if exchange == EXCHANGE_WITHDRAWN:
        notice(state, slot, NOTICE_NAK_NOT_ALLOWED, <uint32_t>slot.op.lo)
        return ACTION_REPLY             # the NAK is written already
    if exchange == EXCHANGE_AT_ONCE:
        return decide_again(state, slot) if slot.decided < OTHER_ADDRESSES else drop(state, REASON_REFUSED_ROW)
    if slot.tenure == RECALL_WANTED or not read_again(state, slot, &client):
        return drop(state, REASON_REFUSED_ROW)
    if exchange == EXCHANGE_INIT_REBOOT or exchange == EXCHANGE_REBINDING:
        if not client.subnet.authoritative and not has_record(state, &client):
            return drop(state, REASON_UNKNOWN_BINDING)
    if slot.op.kind == OP_RENEW and was_lost(
            state, &client, lease_find(state.leases, slot.op.tenant_no, slot.op.hi, slot.op.lo)):
        return decide_again(state, slot)    # decided before that was known; it will be a bind
    note_lost(state, slot, &client)
    if named_version:
        return decide_again(state, slot)    # another server wrote it: memory answers, or it is written over
    if may_select_another(&state.packet):
        return drop(state, REASON_OTHER_SERVER)
    notice(state, slot, NOTICE_NAK_LOST_RACE if exchange == EXCHANGE_SELECTING else NOTICE_NAK_NO_BINDING,
           <uint32_t>slot.op.lo)
    answer_nak(state, slot, &client)
    return ACTION_REPLY if address_reply(state, slot, True) else drop(state, REASON_NO_REPLY_ADDRESS)


cdef bint has_record(State* state, const Client* client) noexcept nogil:
    """Return whether the client has a running lease on the wire, on whatever address."""
    cdef Subnet4* subnet = client.subnet
    while subnet != NULL:
        if has_record_in(state, client, subnet):
            return True
        subnet = next_on_wire(subnet, client.subnet)
    return False


cdef bint has_record_in(State* state, const Client* client, const Subnet4* subnet) noexcept nogil:
    cdef Span span = span_of(subnet)
    cdef uint32_t index = lease_of_client(state.leases, client.identity, &span)
    while index != NO_LEASE:
        if lease_at(state.leases, index).state == LEASE_ACTIVE:
            return True
        index = next_of_client(state.leases, index, &span)
    return False


cdef bint read_again(State* state, Slot* slot, Client* client) noexcept nogil:
    """Parse and identify the slot's packet once more, in the subnet of the address that it names; False when the
    configuration no longer serves it."""
    memset(client, 0, sizeof(Client))
    if read_packet(state, slot) != FAULT_NONE:
        return False
    return (find_subnet(state, slot, client) == REASON_NONE and identify(state, slot, client) == REASON_NONE
            and go_home(state, slot, client) == REASON_NONE)


cdef Action decide_again(State* state, Slot* slot) noexcept nogil:
    """Return the configuration was newer than the decision: take the packet as if it came now, but as old as it is. Not
    where its client has asked again since: that is next, and written behind it this one would take its address away."""
    if slot.exchange == EXCHANGE_NONE and slot.rx.length == 0:
        return ACTION_DONE
    if is_overtaken(state.queue, slot):
        return drop(state, REASON_OVERTAKEN)
    if read_packet(state, slot) != FAULT_NONE:
        return drop(state, REASON_REFUSED_ROW)
    slot.decided += 1
    state.last_notice = NOTICE_NONE
    return on_message(state, slot)


cdef Action decide_checked(State* state, Slot* slot) noexcept nogil:
    """Decide again: the DISCOVER's address was checked, or found in use and put away: what is the packet offered
    now?"""
    if read_packet(state, slot) != FAULT_NONE:
        return drop(state, REASON_OVERTAKEN)
    state.last_notice = NOTICE_NONE
    slot.asked += 1
    return on_message(state, slot)
