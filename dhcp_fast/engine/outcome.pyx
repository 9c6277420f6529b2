"""What follows a write: the cache learns the row, the client its answer, the address its next turn.

Rows come back from our own statements, from other servers by the feed, from the first load, and from the second look
at a refused row; all go through `learn` or `on_won`, and an older version never replaces a newer one (engine rules 8,
15, 17).
"""

from dhcp_fast.alloc.circuits cimport Circuit, circuit_of, lease_off_circuit, lease_on_circuit
from dhcp_fast.alloc.leaseop cimport (
    OP_BIND, OP_DECLINE, OP_EXPIRE, OP_QUARANTINE, OP_RELEASE, OP_RENEW, OP_REVOKE, LeaseOp)
from dhcp_fast.alloc.leases cimport (
    LEASE_ACTIVE, LEASE_DECLINED, LEASE_RELEASED, NO_LEASE, UNTOLD, WIDE, Lease, Span, lease_add, lease_at,
    lease_find, lease_hi, lease_lo, lease_make, lease_of_client, lease_set_client, next_of_client, wheel_put,
    wheel_take)
from dhcp_fast.alloc.offers cimport NO_OFFER
from dhcp_fast.engine.actions cimport read_packet
from dhcp_fast.engine.answer cimport address_reply, answer_nak
from dhcp_fast.alloc.pools cimport space_covers, take_address
from dhcp_fast.engine.choose cimport end_offer, forget_offers, runs, settle
from dhcp_fast.engine.identify cimport identify
from dhcp_fast.engine.locate cimport find_subnet
from dhcp_fast.engine.messages cimport on_message
from dhcp_fast.engine.plan cimport next_on_wire, span_of, subnet_by_no, subnet_of_lease
from dhcp_fast.engine.queue cimport enqueue, slot_at, slot_take
from dhcp_fast.engine.samples cimport (
    NOTICE_DECLINED, NOTICE_LOST_RACE, NOTICE_NO_BINDING, NOTICE_NONE, NOTICE_NOT_ALLOWED, NOTICE_REVOKED)
from dhcp_fast.engine.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_INIT_REBOOT, EXCHANGE_NONE, EXCHANGE_REBINDING, EXCHANGE_SELECTING, EXCHANGE_WITHDRAWN,
    NO_SLOT, SLOTS)
from dhcp_fast.engine.state cimport (
    ACTION_DONE, ACTION_REPLY, REASON_NO_REPLY_ADDRESS, REASON_NONE, REASON_OVERTAKEN, REASON_REFUSED_ROW,
    REASON_UNKNOWN_BINDING, Client, clock_in_doubt, database_now, drop, notice)
from dhcp_fast.wire.packet4 cimport FAULT_NONE
from libc.string cimport memcpy, memset

cdef enum:
    MICROSECONDS = 1000000
    MOST_LAPSES = 16384         # a call
    OTHER_ADDRESSES = 3         # how often a client that got no OFFER is given another address
    EXPIRY_RETRY = 30           # seconds until an unwritten expiry is looked at again
    EXPIRING = SLOTS // 4       # slots in use from which expiries wait, so that packets find one


cdef inline int64_t countable(int64_t microseconds) noexcept nogil:
    """Seconds are 32 bits here, which end in 2136; what is later, PostgreSQL's infinity too, counts as that."""
    return min(max(microseconds, 0), <int64_t>0xFFFFFFFF * MICROSECONDS)


cdef inline uint32_t round_down(int64_t microseconds) noexcept nogil:
    return <uint32_t>(countable(microseconds) // MICROSECONDS)


cdef inline uint32_t round_up(int64_t microseconds) noexcept nogil:
    return <uint32_t>((countable(microseconds) + MICROSECONDS - 1) // MICROSECONDS)


cdef inline bint grants(const LeaseOp* op) noexcept nogil:
    return op.kind == OP_BIND or op.kind == OP_RENEW


cdef void on_won(State* state, Slot* slot, const WonRow* won) noexcept nogil:
    """The slot's operation stands in the database: `won` is its row."""
    cdef LeaseOp* op = &slot.op
    cdef LeaseRow row
    state.last_notice = NOTICE_NONE
    row.tenant_no = op.tenant_no
    row.subnet_no = op.subnet_no
    row.brief = False
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
    if state.circuits.limit:
        find_circuit(state, op, &row)
    if grants(op):
        row.state = LEASE_ACTIVE
    if op.kind == OP_QUARANTINE:
        row.state = LEASE_DECLINED
    if grants(op) or row.state == LEASE_DECLINED:
        row.reuse += <int64_t>op.margin * MICROSECONDS
    if op.kind == OP_EXPIRE:
        learn_expiry(state, &row)
        return
    learn(state, &row)
    if op.kind == OP_BIND:
        offer_became_lease(state, op)
    elif op.kind == OP_DECLINE and slot.rx.length:
        notice(state, slot, NOTICE_DECLINED, <uint32_t>op.lo)
    elif op.kind == OP_REVOKE:
        notice(state, slot, NOTICE_REVOKED, <uint32_t>op.lo)
    if grants(op):      # a renewal may have revived what had expired
        release_others(state, slot)


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


cdef void offer_became_lease(State* state, const LeaseOp* op) noexcept nogil:
    """The client's offer is over, for whichever address it was."""
    cdef Subnet4* subnet = subnet_by_no(state.plan, op.subnet_no)
    if subnet != NULL:
        forget_offers(state, op.client, subnet)


cdef void release_others(State* state, Slot* slot) noexcept nogil:
    """A client that took an address gives up its others on that wire, by an operation of their own (rule 9)."""
    cdef Subnet4* entry = subnet_by_no(state.plan, slot.op.subnet_no)
    cdef Subnet4* subnet = entry
    while subnet != NULL:
        release_others_in(state, slot, subnet)
        subnet = next_on_wire(subnet, entry)


cdef void release_others_in(State* state, Slot* slot, const Subnet4* subnet) noexcept nogil:
    cdef Span span = span_of(subnet)
    cdef uint32_t index = lease_of_client(state.leases, slot.op.client, &span)
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease_lo(state.leases, lease) != slot.op.lo and lease.state == LEASE_ACTIVE:
            write_for_nobody(state, lease, OP_RELEASE, &slot.op)
        index = next_of_client(state.leases, index, &span)


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
    slot.op.version = lease.version
    slot.op.pair = lease.pair
    if owner != NULL:
        slot.op.client = owner.client
        memcpy(slot.op.key_room, owner.client_key.data, owner.client_key.length)
        slot.op.client_key.data = slot.op.key_room
        slot.op.client_key.length = owner.client_key.length
    enqueue(state.queue, index)


cdef bint learn(State* state, const LeaseRow* row) noexcept nogil:
    """Take the row into the cache unless a newer one is there. False only when memory is short."""
    cdef uint32_t index = lease_make(state.leases, row.tenant_no, row.hi, row.lo)
    cdef Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    if lease.version > row.version or lease.version == row.version and not lease.flags & UNTOLD:
        settle_lease(state, lease)
        return True
    if not take_row(state, lease, index, row):
        return False
    settle_lease(state, lease)
    return True


cdef bint learn_first(State* state, const LeaseRow* row) noexcept nogil:
    """`learn` of an address that the cache does not have; what is taken is marked afterwards."""
    cdef uint32_t index = lease_add(state.leases, row.tenant_no, row.hi, row.lo)
    return index != NO_LEASE and take_row(state, lease_at(state.leases, index), index, row)


cdef inline bint take_row(State* state, Lease* lease, uint32_t index, const LeaseRow* row) noexcept nogil:
    lease.version = row.version
    lease.expires = round_down(row.expires)
    # What was released is free as soon as that is committed: the row's moment lies before any later statement's.
    lease.reuse = round_down(row.reuse) if row.state == LEASE_RELEASED else round_up(row.reuse)
    lease.state = row.state
    lease_set_client(state.leases, index, row.client)
    if row.brief:
        lease.flags |= UNTOLD
    elif not take_facts(state, lease, index, row):
        return False
    if row.state == LEASE_ACTIVE:
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


cdef inline void settle_lease(State* state, const Lease* lease) noexcept nogil:
    """One that runs is taken, whatever else is known of its address."""
    cdef Subnet4* subnet = subnet_of_lease(state.plan, lease)
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


cdef int tick(State* state, int most) noexcept nogil:
    """Look at up to `most` entries whose time has come (rule 17); how many there were."""
    cdef int count = 0
    cdef uint32_t index, now
    if not state.clock.known or clock_in_doubt(state):
        return 0
    if state.expirer and state.queue.in_use > EXPIRING:
        return 0
    now = round_down(database_now(state) - state.clock.bound)
    while count < most:
        index = wheel_take(state.leases, now)
        if index == NO_LEASE:
            break
        count += 1
        at_its_time(state, index, now)
    return count


cdef void at_its_time(State* state, uint32_t index, uint32_t now) noexcept nogil:
    cdef Lease* lease = lease_at(state.leases, index)
    if lease.state == LEASE_ACTIVE and lease.expires >= now:
        wheel_put(state.leases, index, lease.expires + 1)   # renewed meanwhile
        return
    lease_off_circuit(&state.circuits, lease, index)
    if lease.state == LEASE_ACTIVE and state.expirer and state.now >= state.clock.paused_until:
        write_for_nobody(state, lease, OP_EXPIRE, NULL)
    if lease.reuse > now:
        wheel_put(state.leases, index, lease.reuse)
        return
    settle_lease(state, lease)
    if lease.state == LEASE_ACTIVE:
        wheel_put(state.leases, index, now + EXPIRY_RETRY)


cdef void lapse_offers(State* state) noexcept nogil:
    """Give back what was offered and not requested in time; a flood's offers over several calls."""
    cdef int count = 0
    cdef uint32_t index = state.offers.oldest
    cdef Subnet4* subnet
    while index != NO_OFFER and state.offers.at[index].expires <= state.now // 1000 and count < MOST_LAPSES:
        count += 1
        subnet = subnet_by_no(state.plan, state.offers.at[index].subnet_no)
        if subnet == NULL:
            return
        end_offer(state, subnet, index)
        index = state.offers.oldest
