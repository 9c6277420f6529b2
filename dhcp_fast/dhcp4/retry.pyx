"""What follows a write: the cache learns the row, the client its answer, the address its next turn.

Rows come back from our own statements, from other servers by the feed, from the first load, and from the second look
at a refused row; all go through `learn` or `on_won`, and an older version never replaces a newer one (engine rules 8,
15, 17).
"""

from dhcp_fast.leases.circuits cimport Circuit, circuit_of, lease_off_circuit, lease_on_circuit
from dhcp_fast.leases.lease_operation cimport (
    OP_BIND, OP_DECLINE, OP_EXPIRE, OP_QUARANTINE, OP_RENEW, OP_REVOKE, OP_SUPERSEDE, LeaseOp)
from dhcp_fast.leases.lease_table cimport (
    HOLDING, LEASE_ACTIVE, LEASE_DECLINED, LEASE_FOREIGN, LEASE_OWN, LEASE_RELEASED, NO_LEASE, UNTOLD, WIDE,
    WRITTEN_HERE, Lease, Span, held_mark, is_held, is_unseen, lease_add, lease_at, lease_find, lease_hi, lease_lo,
    lease_make, lease_of_client, lease_set_client, next_of_client, row_version)
from dhcp_fast.dhcp4.decision cimport read_packet
from dhcp_fast.dhcp4.reply cimport address_reply, answer_nak
from dhcp_fast.leases.pools cimport space_covers, take_address
from dhcp_fast.leases.expiry_wheel cimport wheel_put
from dhcp_fast.dhcp4.allocation cimport forget_offers, runs, settle
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.dhcp4.subnet_selection cimport find_subnet
from dhcp_fast.dhcp4.messages cimport on_message, was_lost
from dhcp_fast.plan.subnets cimport next_on_wire, span_of, subnet_by_no, subnet_of_lease, subnet_of_row
from dhcp_fast.state.queue cimport enqueue, slot_at, slot_take
from dhcp_fast.state.samples cimport (
    NOTICE_DECLINED, NOTICE_LOST_RACE, NOTICE_NO_BINDING, NOTICE_NONE, NOTICE_NOT_ALLOWED, NOTICE_REVOKED)
from dhcp_fast.state.lease_ownership cimport GRACE_SECONDS, holding_of, mark_address, set_holding
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_INIT_REBOOT, EXCHANGE_NONE, EXCHANGE_REBINDING, EXCHANGE_SELECTING, EXCHANGE_WITHDRAWN,
    NO_SLOT)
from dhcp_fast.state.state cimport (
    ACTION_DONE, ACTION_REPLY, REASON_HAS_NEWER_LEASE, REASON_NO_REPLY_ADDRESS, REASON_NONE, REASON_OVERTAKEN,
    REASON_REFUSED_ROW, REASON_UNKNOWN_BINDING, Client, database_now, drop, notice)
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.wire.packet4 cimport FAULT_NONE
from libc.string cimport memcpy, memset

cdef enum:
    OTHER_ADDRESSES = 3         # how often a client that got no OFFER is given another address


cdef inline bint grants(const LeaseOp* op) noexcept nogil:
    return op.kind == OP_BIND or op.kind == OP_RENEW


cdef Action on_won(State* state, Slot* slot, const WonRow* won) noexcept nogil:
    """The slot's operation stands in the database: `won` is its row. What becomes of its packet, if it had one."""
    cdef LeaseOp* op = &slot.op
    cdef LeaseRow row
    cdef Subnet4* subnet = subnet_by_no(state.plan, op.subnet_no)
    state.last_notice = NOTICE_NONE
    row.tenant_no = op.tenant_no
    row.subnet_no = op.subnet_no
    row.brief = False
    row.written_here = True
    row.hi = op.hi
    row.lo = op.lo
    row.version = won.version
    row.client = op.client
    row.renewed = won.renewed
    row.expires = won.expires
    row.reuse = won.expires
    row.pair = op.pair
    row.facts = op.facts
    row.relay_facts = op.relay_facts
    row.state = op.kind
    row.holding = LEASE_OWN if state.share.count == 1 else holding_after(state, op)
    if state.circuits.limit:
        find_circuit(state, op, &row)
    if grants(op):
        row.state = LEASE_ACTIVE
    elif op.kind == OP_QUARANTINE:
        row.state = LEASE_DECLINED
    elif op.kind == OP_SUPERSEDE:
        row.state = LEASE_RELEASED
    if grants(op) or row.state == LEASE_DECLINED:
        row.reuse += <int64_t>op.margin * MICROSECONDS
    if op.kind == OP_EXPIRE:
        learn_expiry(state, &row)
        return ACTION_DONE
    learn(state, &row)
    if op.kind == OP_BIND:
        offer_became_lease(state, op, subnet)
    elif op.kind == OP_DECLINE and slot.rx.length:
        notice(state, slot, NOTICE_DECLINED, <uint32_t>op.lo)
    elif op.kind == OP_REVOKE:
        notice(state, slot, NOTICE_REVOKED, <uint32_t>op.lo)
    if grants(op) and release_others(state, slot, subnet):  # a renewal may have revived what had expired
        give_up(state, slot)
        return drop(state, REASON_HAS_NEWER_LEASE)
    return ACTION_REPLY


cdef uint8_t holding_after(State* state, const LeaseOp* op) noexcept nogil:
    """Whose the written row is: a grant says it itself, what ends a lease leaves it as it was."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    if index != NO_LEASE and not grants(op):
        return lease_at(state.leases, index).flags & HOLDING
    return holding_of(state, &op.hw_address, &op.client_key, op.hi != 0)


cdef void find_circuit(State* state, const LeaseOp* op, LeaseRow* row) noexcept nogil:
    """The circuit that the written row tells: a grant's own; a renewal leaves what its packet does not name."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    cdef Circuit* before = &state.circuits.at[circuit_of(&state.circuits, index)]     # entry 0 of both is empty
    row.relay = op.relay if grants(op) else 0
    row.circuit = op.circuit if grants(op) else 0
    if op.kind != OP_BIND:
        row.relay = row.relay or before.relay
        row.circuit = row.circuit or before.name


cdef void learn_expiry(State* state, const LeaseRow* row) noexcept nogil:
    cdef uint32_t index = lease_find(state.leases, row.tenant_no, row.hi, row.lo)
    if index != NO_LEASE and lease_at(state.leases, index).version < row.version:
        lease_at(state.leases, index).version = row.version
        lease_at(state.leases, index).state = row.state
        lease_off_circuit(&state.circuits, lease_at(state.leases, index), index)


cdef void offer_became_lease(State* state, const LeaseOp* op, Subnet4* subnet) noexcept nogil:
    """The client's offer is over, for whichever address it was."""
    if subnet != NULL:
        forget_offers(state, op.client, subnet)


cdef bint release_others(State* state, Slot* slot, Subnet4* entry) noexcept nogil:
    """A client that took an address gives up its others on that wire, by an operation of their own (rule 9).

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
            if is_newer(state, lease, &slot.op):
                newer = True
            else:
                supersede(state, lease, &slot.op)
        index = next_of_client(state.leases, index, &span)
    return newer


cdef void supersede(State* state, Lease* lease, const LeaseOp* owner) noexcept nogil:
    """Where the database has lost the lease, there is nothing to write."""
    if row_version(lease):
        write_for_nobody(state, lease, OP_SUPERSEDE, owner)
    if is_held(lease):
        lease.state = LEASE_RELEASED
        lease.reuse = 0
        settle_lease(state, lease)


cdef bint is_newer(const State* state, const Lease* lease, const LeaseOp* op) noexcept nogil:
    """Whether another server wrote the lease after the operation's packet came; to the second, the statement is exact.

    What was written here was written in the order of the packets. A time to come is from before the database's clock
    was put back.
    """
    cdef int64_t renewed = <int64_t>lease.renewed * MICROSECONDS
    if lease.flags & (WRITTEN_HERE | UNTOLD | LEASE_FOREIGN) or not state.clock.known:
        return False
    return op.received + state.clock.offset + state.clock.bound < renewed <= database_now(state)


cdef void give_up(State* state, Slot* slot) noexcept nogil:
    """Release what was just written."""
    cdef uint32_t index = lease_find(state.leases, slot.op.tenant_no, slot.op.hi, slot.op.lo)
    if index != NO_LEASE:
        write_for_nobody(state, lease_at(state.leases, index), OP_SUPERSEDE, &slot.op)


cdef void write_for_nobody(State* state, const Lease* lease, int kind, const LeaseOp* owner) noexcept nogil:
    """An operation of the server's own; without a free slot it is left for later."""
    cdef uint32_t index = slot_take(state.queue)
    cdef Slot* slot
    if index == NO_SLOT:
        return
    slot = slot_at(state.queue, index)
    slot.exchange = EXCHANGE_NONE
    slot.rx.length = 0
    memset(&slot.op, 0, sizeof(LeaseOp))
    slot.op.kind = kind
    slot.op.tenant_no = lease.tenant_no
    slot.op.hi = lease_hi(state.leases, lease)
    slot.op.lo = lease_lo(state.leases, lease)
    slot.op.version = row_version(lease)
    slot.op.pair = lease.pair
    if owner != NULL:
        slot.op.client = owner.client
        slot.op.received = 0 if lease.flags & WRITTEN_HERE else owner.received
        memcpy(slot.op.key_room, owner.client_key.data, owner.client_key.length)
        slot.op.client_key.data = slot.op.key_room
        slot.op.client_key.length = owner.client_key.length
    enqueue(state.queue, index)


cdef bint learn(State* state, const LeaseRow* row) noexcept nogil:
    """Take the row into the cache unless a newer one is there. False only when memory is short."""
    cdef uint32_t index
    cdef Lease* lease
    if row.holding == LEASE_FOREIGN and needs_no_entry(state, row):
        return learn_in_passing(state, row)
    index = lease_make(state.leases, row.tenant_no, row.hi, row.lo)
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    if (lease.version > row.version and not (is_held(lease) and gives_way(state, lease, row))
            or lease.version == row.version and not lease.flags & UNTOLD):
        settle_in(state, lease, subnet_of_row(state.plan, lease, row.subnet_no))
        return True
    if not take_row(state, lease, index, row):
        return False
    settle_in(state, lease, subnet_of_row(state.plan, lease, row.subnet_no))
    return True


cdef bint gives_way(State* state, Lease* lease, const LeaseRow* row) noexcept nogil:
    """The entry is of a history that the database has lost. What was acknowledged then and is newer than the row is
    kept for its client, unless another has the address by now."""
    cdef uint64_t known = row_version(lease)
    if row.written_here or row.version > known or row.version == known and is_unseen(lease):
        return True
    if lease.state != LEASE_ACTIVE or not runs(state, lease):
        return True
    if row.client != lease.client and round_up(row.reuse) > round_down(database_now(state)):
        return True
    lease.version = held_mark() | row.version
    return False


cdef bint learn_first(State* state, const LeaseRow* row) noexcept nogil:
    """`learn` of an address that the cache does not have; what is taken is marked afterwards."""
    cdef uint32_t index
    if row.holding == LEASE_FOREIGN and needs_no_entry(state, row):
        return learn_in_passing(state, row)
    index = lease_add(state.leases, row.tenant_no, row.hi, row.lo)
    return index != NO_LEASE and take_row(state, lease_at(state.leases, index), index, row)


cdef inline bint take_row(State* state, Lease* lease, uint32_t index, const LeaseRow* row) noexcept nogil:
    lease.version = row.version
    lease.expires = round_down(row.expires)
    # What was released is free as soon as that is committed: the row's moment lies before any later statement's.
    lease.reuse = round_down(row.reuse) if row.state == LEASE_RELEASED else round_up(row.reuse)
    lease.state = row.state
    lease.flags = lease.flags | WRITTEN_HERE if row.written_here else lease.flags & ~WRITTEN_HERE
    lease_set_client(state.leases, index, row.client)
    if row.brief:
        lease.flags |= UNTOLD
    elif not take_facts(state, lease, index, row):
        return False
    if state.share.count > 1:
        set_holding(state, lease, row.holding)
        if not mark_address(state, lease, row.holding == LEASE_FOREIGN and runs_on(state, row)):
            return False
    if row.holding == LEASE_FOREIGN:
        remember_for_a_while(state, index)
    elif row.state == LEASE_ACTIVE:
        wheel_put(state.leases, index, lease.expires + 1)   # it ends within the second `expires`
    elif lease.reuse > round_down(database_now(state)):
        wheel_put(state.leases, index, lease.reuse)
    return True


cdef inline bint take_facts(State* state, Lease* lease, uint32_t index, const LeaseRow* row) noexcept nogil:
    """What a renewal would write again, and where the lease counts."""
    lease.flags &= ~UNTOLD
    lease.renewed = round_down(row.renewed)
    lease.pair = row.pair
    lease.facts = facts_in(row.facts, row.subnet_no)
    lease.relay_facts = row.relay_facts
    if not state.circuits.limit or lease.flags & WIDE:
        return True
    return lease_on_circuit(&state.circuits, lease, index, row.relay, row.circuit)


cdef inline bint runs_on(const State* state, const LeaseRow* row) noexcept nogil:
    return row.state == LEASE_ACTIVE and round_up(row.reuse) > round_down(database_now(state))


cdef bint needs_no_entry(const State* state, const LeaseRow* row) noexcept nogil:
    """A row of a table whose address is taken until an event says otherwise, or free; and nothing newer is known."""
    if not (row.brief or state.in_bulk) or lease_find(state.leases, row.tenant_no, row.hi, row.lo) != NO_LEASE:
        return False
    return row.state == LEASE_ACTIVE or round_up(row.reuse) <= round_down(database_now(state))


cdef bint learn_in_passing(State* state, const LeaseRow* row) noexcept nogil:
    """What the row says of its address, and no more."""
    cdef Lease lease
    memset(&lease, 0, sizeof(Lease))
    lease.tenant_no = row.tenant_no
    lease.address = <uint32_t>row.lo
    if not mark_address(state, &lease, runs_on(state, row)):
        return False
    settle_lease(state, &lease)
    return True


cdef void settle_lease(State* state, const Lease* lease) noexcept nogil:
    settle_in(state, lease, subnet_of_lease(state.plan, lease))


cdef void settle_in(State* state, const Lease* lease, Subnet4* subnet) noexcept nogil:
    """One that runs is taken, whatever else is known of its address."""
    if subnet == NULL:
        return
    if runs(state, lease) and space_covers(subnet.space, lease.address):
        take_address(subnet.space, subnet.pools, subnet.pool_count, lease.address)
    else:
        settle(state, subnet, lease.address)


cdef Action on_refused(State* state, Slot* slot) noexcept nogil:
    """The row refused the operation under a current configuration, and the cache knows the winner (rule 8)."""
    cdef Client client
    cdef int exchange = slot.exchange
    state.lost += 1
    state.last_notice = NOTICE_NONE
    if exchange == EXCHANGE_NONE:       # with a packet, or the server's own
        return drop(state, REASON_REFUSED_ROW) if slot.rx.length else ACTION_DONE
    if exchange == EXCHANGE_WITHDRAWN:
        notice(state, slot, NOTICE_NOT_ALLOWED, <uint32_t>slot.op.lo)
        return ACTION_REPLY             # the NAK is written already
    if exchange == EXCHANGE_AT_ONCE:
        return decide_again(state, slot) if slot.decided < OTHER_ADDRESSES else drop(state, REASON_REFUSED_ROW)
    if not read_again(state, slot, &client):
        return drop(state, REASON_REFUSED_ROW)
    if exchange == EXCHANGE_INIT_REBOOT or exchange == EXCHANGE_REBINDING:
        if not client.subnet.authoritative and not has_record(state, &client):
            return drop(state, REASON_UNKNOWN_BINDING)
    if slot.op.kind == OP_RENEW and was_lost(
            state, &client, lease_find(state.leases, slot.op.tenant_no, slot.op.hi, slot.op.lo)):
        return decide_again(state, slot)    # decided before that was known; it will be a bind
    notice(state, slot, NOTICE_LOST_RACE if exchange == EXCHANGE_SELECTING else NOTICE_NO_BINDING,
           <uint32_t>slot.op.lo)
    answer_nak(state, slot, &client)
    return ACTION_REPLY if address_reply(state, slot, True) else drop(state, REASON_NO_REPLY_ADDRESS)


cdef bint has_record(State* state, const Client* client) noexcept nogil:
    """Whether the client has a running lease on the wire, on whatever address."""
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
    """Parse and identify the slot's packet once more; False when the configuration no longer serves it."""
    memset(client, 0, sizeof(Client))
    if read_packet(state, slot) != FAULT_NONE:
        return False
    return find_subnet(state, slot, client) == REASON_NONE and identify(state, slot, client) == REASON_NONE


cdef Action decide_again(State* state, Slot* slot) noexcept nogil:
    """The configuration was newer than the decision: take the packet as if it came now, but as old as it is."""
    if slot.exchange == EXCHANGE_NONE and slot.rx.length == 0:
        return ACTION_DONE
    if read_packet(state, slot) != FAULT_NONE:
        return drop(state, REASON_REFUSED_ROW)
    slot.decided += 1
    state.last_notice = NOTICE_NONE
    return on_message(state, slot)


cdef Action decide_checked(State* state, Slot* slot) noexcept nogil:
    """The DISCOVER's address was checked, or found in use and put away: what is the packet offered now?"""
    if read_packet(state, slot) != FAULT_NONE:
        return drop(state, REASON_OVERTAKEN)
    state.last_notice = NOTICE_NONE
    slot.asked += 1
    return on_message(state, slot)


cdef void remember_for_a_while(State* state, uint32_t index) noexcept nogil:
    """Another worker's row: its entry ends after the grace, and comes up before where its address becomes free."""
    cdef Lease* lease = lease_at(state.leases, index)
    cdef uint32_t now = round_down(database_now(state))
    lease.renewed = now + GRACE_SECONDS
    if lease.state != LEASE_ACTIVE and lease.reuse > now:
        wheel_put(state.leases, index, min(lease.reuse, lease.renewed))
    else:
        wheel_put(state.leases, index, lease.renewed)
