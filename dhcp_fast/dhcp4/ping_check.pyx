"""Is somebody there already? The ping check before an offer (RFC 2131 sections 2.2 and 3.1, step 2).

A subnet may ask for it. Then a DISCOVER whose address was not checked within the last minute waits in its slot, the
address being held as offered, while an echo request is out; others are served meanwhile. Nobody answers in time: the
packet is decided again and finds the address checked. Somebody answers: the address goes into quarantine by a write of
the server's own and the packet is decided again for another one. All waits are equally long, so requests end in the
order of their sequence numbers. Sockets and timers are elsewhere (engine/ping_replies.pyx, server/ping_timer.py).
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memset

from dhcp_fast.structures.siphash cimport mix, siphash
from dhcp_fast.leases.client_identity cimport BY_NOBODY
from dhcp_fast.leases.lease_operation cimport OP_QUARANTINE, LeaseOp
from dhcp_fast.leases.lease_table cimport (
    LEASE_DECLINED, NO_LEASE, Lease, lease_at, lease_find, lease_make)
from dhcp_fast.leases.offers cimport NO_OFFER, offer_find
from dhcp_fast.leases.expiry_wheel cimport wheel_put
from dhcp_fast.dhcp4.reserved cimport is_client
from dhcp_fast.state.ping_table cimport (
    MEMORY_SETS, MEMORY_WAYS, PINGS, UNCHECKED_NO_SOCKET, UNCHECKED_NOT_SENT, UNCHECKED_TOO_MANY,
    AskedAddress, Ping, ping_at)
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.state.occupancy cimport end_offer, mark_occupancy
from dhcp_fast.state.queue cimport enqueue, running, slot_at, slot_give, slot_take
from dhcp_fast.state.slot cimport EXCHANGE_NONE, NO_SLOT
from dhcp_fast.state.state cimport ACTION_CHECK, ACTION_REPLY, database_now, drop, notice
from dhcp_fast.state.reasons cimport NOTICE_ADDRESS_IN_USE, REASON_ADDRESSES_IN_USE, REASON_REPEATED
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.wire.cursor cimport store_u32

cdef enum:
    MICROSECONDS = 1000000
    REMEMBERED_MICROSECONDS = 60000000
    MOST_ASKED = 4          # addresses for one DISCOVER; its client asks again, and those are in quarantine then
    NOT_ASKED = -1


cdef Action check_first(State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """Return the check for an address that is held for the client: ACTION_REPLY, offer it; ACTION_CHECK, ping it first;
    or a drop."""
    cdef PingTable* table = state.pings
    cdef AskedAddress* asked
    if slot.unasked or is_own(state, client, address):
        return ACTION_REPLY
    if not table.able:
        return offer_unchecked(table, UNCHECKED_NO_SOCKET)
    asked = recall(table, client.subnet.tenant.no, address)
    if asked != NULL and not asked.pending and asked.until > state.now:
        table.remembered += slot.asked == 0     # else it was this packet's own ping
        return ACTION_REPLY
    if (asked == NULL or not asked.pending) and table.next - table.oldest == PINGS:
        return offer_unchecked(table, UNCHECKED_TOO_MANY)
    if slot.asked == MOST_ASKED:
        return drop(state, REASON_ADDRESSES_IN_USE)
    slot.op.lo = address
    return ACTION_CHECK


cdef inline Action offer_unchecked(PingTable* table, int reason) noexcept nogil:
    table.unchecked[reason] += 1
    return ACTION_REPLY


cdef bint is_own(State* state, const Client* client, uint32_t address) noexcept nogil:
    """Return whether the client's own lease is active: then an answer comes from the client itself."""
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, address)
    if index == NO_LEASE or not is_client(state, client, index):
        return False
    return lease_at(state.leases, index).reuse > database_now(state) // MICROSECONDS


# --- addresses pinged within the last minute

cdef inline AskedAddress* memory_set(PingTable* table, uint32_t tenant_no, uint32_t address) noexcept nogil:
    return table.memory[mix(<uint64_t>tenant_no << 32 | address) & (MEMORY_SETS - 1)]


cdef AskedAddress* recall(PingTable* table, uint32_t tenant_no, uint32_t address) noexcept nogil:
    """Return the address's entry, or NULL. One whose request is over counts as not pending."""
    cdef int way
    cdef AskedAddress* asked = memory_set(table, tenant_no, address)
    cdef Ping* ping
    for way in range(MEMORY_WAYS):
        if asked[way].until and asked[way].address == address and asked[way].tenant_no == tenant_no:
            ping = ping_at(table, asked[way].sequence)
            asked[way].pending &= ping.slot != NO_SLOT and ping.address == address and ping.tenant_no == tenant_no
            return &asked[way]
    return NULL


cdef void remember(PingTable* table, const Ping* ping, uint16_t sequence, bint pending, int64_t now) noexcept nogil:
    """Remember it in the address's own entry, else in place of the one asked longest ago, which is asked once more
    then."""
    cdef int way
    cdef AskedAddress* asked = recall(table, ping.tenant_no, ping.address)
    cdef AskedAddress* entries = memory_set(table, ping.tenant_no, ping.address)
    if asked == NULL:
        asked = entries
        for way in range(1, MEMORY_WAYS):
            if entries[way].until < asked.until:
                asked = &entries[way]
    asked.tenant_no = ping.tenant_no
    asked.address = ping.address
    asked.until = now + REMEMBERED_MICROSECONDS
    asked.sequence = sequence
    asked.pending = pending


cdef void forget(PingTable* table, const Ping* ping) noexcept nogil:
    cdef AskedAddress* asked = recall(table, ping.tenant_no, ping.address)
    if asked != NULL:
        asked.until = 0


# --- a request's life

cdef int64_t begin_ping(State* state, uint32_t index) noexcept nogil:
    """Let the slot wait for its address. The sequence number to ask with; NOT_ASKED when the address is being asked:
    then the slot waits in place of the one that did, whose client asked again or lost the address."""
    cdef PingTable* table = state.pings
    cdef Slot* slot = slot_at(state.queue, index)
    cdef uint32_t sequence = table.next
    cdef AskedAddress* asked = recall(table, slot.op.tenant_no, <uint32_t>slot.op.lo)
    cdef Ping* ping
    if asked != NULL and asked.pending:
        ping = ping_at(table, asked.sequence)
        drop(state, REASON_REPEATED)
        slot_give(state.queue, ping.slot)
        ping.slot = index
        return NOT_ASKED
    ping = ping_at(table, sequence)
    ping.slot = index
    ping.tenant_no = slot.op.tenant_no
    ping.address = <uint32_t>slot.op.lo
    ping.due = state.now + table.wait
    remember(table, ping, <uint16_t>sequence, True, state.now)
    table.next += 1
    table.sent += 1
    return sequence


cdef void cancel_ping(State* state, uint32_t sequence) noexcept nogil:
    """Cancel the request, the last one, which could not be sent: the slot is to be decided without."""
    cdef PingTable* table = state.pings
    cdef Ping* ping = ping_at(table, sequence)
    table.next -= 1
    table.sent -= 1
    table.unchecked[UNCHECKED_NOT_SENT] += 1
    slot_at(state.queue, ping.slot).unasked = True
    ping.slot = NO_SLOT
    forget(table, ping)


cdef uint32_t answered_ping(State* state, const EchoReply* reply) noexcept nogil:
    """Put the address into quarantine, because somebody has it. The slot that waited, or NO_SLOT when it is too
    late."""
    cdef PingTable* table = state.pings
    cdef Ping* ping = ping_at(table, reply.sequence)
    cdef uint32_t index = ping.slot
    if index == NO_SLOT or ping.address != reply.source:
        return NO_SLOT
    ping.slot = NO_SLOT
    forget(table, ping)
    table.in_use += 1
    quarantine(state, slot_at(state.queue, index))
    return index


cdef uint32_t lapsed_ping(State* state) noexcept nogil:
    """Return a slot whose address had its time and did not answer, or NO_SLOT."""
    cdef PingTable* table = state.pings
    cdef Ping* ping
    cdef uint32_t index
    while table.oldest != table.next:
        ping = ping_at(table, table.oldest)
        index = ping.slot
        if index != NO_SLOT and ping.due > state.now:
            return NO_SLOT
        table.oldest += 1
        if index != NO_SLOT:
            ping.slot = NO_SLOT
            remember(table, ping, 0, False, state.now)
            return index
    return NO_SLOT


cdef int64_t next_due(const PingTable* table) noexcept nogil:
    """Return when the oldest request's time is over, by the boot clock; 0 when none is out."""
    return table.at[table.oldest & (PINGS - 1)].due if table.oldest != table.next else 0


cdef bint still_offered(const State* state, const Slot* slot) noexcept nogil:
    """Return whether the address is still held for the client of the slot: it has not requested this or another
    server's address meanwhile, and the configuration is the same."""
    cdef uint32_t index = offer_find(state.offers, slot.op.client, slot.op.subnet_no)
    return index != NO_OFFER and state.offers.at[index].address == slot.op.lo


# --- quarantine

cdef void quarantine(State* state, const Slot* slot) noexcept nogil:
    """Quarantine the slot's address, which another device uses: it is no longer offered, and the
    database is updated.

    Do nothing if an operation on the address is in progress or a lease of it is active: then the
    database decides.
    """
    cdef Subnet4* subnet = subnet_by_no(state.plan, slot.op.subnet_no)
    cdef uint32_t address = <uint32_t>slot.op.lo
    cdef uint32_t index = lease_find(state.leases, slot.op.tenant_no, 0, address)
    cdef uint32_t offer = offer_find(state.offers, slot.op.client, slot.op.subnet_no)
    notice(state, slot, NOTICE_ADDRESS_IN_USE, address)
    if subnet == NULL or running(state.queue, slot.op.tenant_no, 0, address) != NO_SLOT:
        return
    if index != NO_LEASE and lease_at(state.leases, index).reuse > database_now(state) // MICROSECONDS:
        return
    if not write_quarantine(state, subnet, address):
        return
    hold(state, subnet, address)
    if offer != NO_OFFER and state.offers.at[offer].address == address:
        end_offer(state, subnet, offer)
    mark_occupancy(state, subnet, address)


cdef void hold(State* state, const Subnet4* subnet, uint32_t address) noexcept nogil:
    """Hold the entry: the cache has the expected result until the write is known, without a
    version, so that any row read is newer.
    """
    cdef uint32_t index = lease_make(state.leases, subnet.tenant.no, 0, address)
    cdef Lease* lease
    cdef uint32_t now = <uint32_t>(database_now(state) // MICROSECONDS)
    if index == NO_LEASE:
        return
    lease = lease_at(state.leases, index)
    lease.version = 0
    lease.state = LEASE_DECLINED
    lease.renewed = lease.expires = now
    lease.reuse = now + 1 + subnet.quarantine
    wheel_put(state.leases, index, lease.reuse)


cdef bint write_quarantine(State* state, const Subnet4* subnet, uint32_t address) noexcept nogil:
    """Return an operation of the server's own, under a client key that is nobody's; False without a free slot."""
    cdef uint32_t index = slot_take(state.queue)
    cdef Slot* slot
    cdef LeaseOp* op
    if index == NO_SLOT:
        return False
    slot = slot_at(state.queue, index)
    op = &slot.op
    memset(op, 0, sizeof(LeaseOp))
    slot.exchange = EXCHANGE_NONE
    slot.rx.length = 0
    op.kind = OP_QUARANTINE
    op.tenant_no = subnet.tenant.no
    op.subnet_no = subnet.no
    op.fence = subnet.fence
    op.lo = address
    op.margin = subnet.quarantine
    op.key_room[0] = BY_NOBODY
    store_u32(op.key_room + 1, address)
    op.client_key.data = op.key_room
    op.client_key.length = 5
    op.client = siphash(state.hash_key, op.key_room, 5)
    enqueue(state.queue, index)
    return True


UNCHECKED = ("no_socket", "too_many", "not_sent")


cdef dict ping_counters(const PingTable* table):
    return {
        "pings": table.sent,
        "pings_answered": table.in_use,
        "pings_remembered": table.remembered,
        "pings_waiting": table.next - table.oldest,
        "offers_unchecked": {UNCHECKED[i]: table.unchecked[i] for i in range(len(UNCHECKED)) if table.unchecked[i]},
    }
