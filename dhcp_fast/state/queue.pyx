"""Slots, and the queue of operations that wait for the database.

Of the operations on one address, and of those of one client, only the earliest is ready to be
written. The others wait for it in order of arrival (engine rule 9), so a batch never has two that
touch the same row. Each operation is in a chain for its address and one for its client: the head of
a chain is ready, `finish` lets the next one move up. An operation waits only for earlier ones, so
no circle of waits is possible.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.leases.lease_operation cimport IA_NA, IPV4, OP_BIND, OP_QUARANTINE, OP_REGISTER, OP_RENEW, LeaseOp
from dhcp_fast.leases.lease_table cimport WIDE, WRITTEN_HERE, lease_hi, lease_lo, row_version
from dhcp_fast.state.slot cimport EXCHANGE_NONE, EXCHANGE_SELECTING, NO_SLOT, SLOTS, is_part


cdef OpQueue* queue_new() noexcept nogil:
    cdef OpQueue* queue = <OpQueue*>calloc(1, sizeof(OpQueue))
    if queue == NULL:
        return NULL
    queue.slots = <Slot*>calloc(SLOTS, sizeof(Slot))
    queue.fresh = 1
    if queue.slots == NULL:
        free(queue)
        return NULL
    return queue


cdef void queue_free(OpQueue* queue) noexcept nogil:
    if queue != NULL:
        free(queue.slots)
        free(queue)


cdef uint32_t slot_take(OpQueue* queue) noexcept nogil:
    """Take a free slot, the one used last if it can be (its memory is warm); NO_SLOT when all are in use."""
    cdef uint32_t index = queue.free_first
    cdef Slot* slot
    if index != NO_SLOT:
        queue.free_first = queue.slots[index].next
    elif queue.fresh < SLOTS:
        index = queue.fresh
        queue.fresh += 1
        slot = slot_at(queue, index)
        slot.packet = index
        slot.rx.data = slot.request
        slot.tx.data = slot.reply
    else:
        return NO_SLOT
    queue.in_use += 1
    return index


cdef void slot_give(OpQueue* queue, uint32_t index) noexcept nogil:
    queue.slots[index].next = queue.free_first
    queue.free_first = index
    queue.in_use -= 1


cdef uint32_t take_part(OpQueue* queue, uint32_t packet) noexcept nogil:
    """Return a slot for one more operation of the packet; NO_SLOT when all are in use."""
    cdef uint32_t index = slot_take(queue)
    cdef Slot* slot
    if index == NO_SLOT:
        return NO_SLOT
    slot = slot_at(queue, index)
    slot.packet = packet
    slot.sibling = slot_at(queue, packet).sibling
    slot.rx.length = 0
    slot_at(queue, packet).sibling = index
    return index


cdef void give_part(OpQueue* queue, uint32_t index) noexcept nogil:
    """Give back the slot of an operation."""
    slot_at(queue, index).packet = index
    slot_at(queue, index).sibling = NO_SLOT
    slot_give(queue, index)


cdef void give_parts(OpQueue* queue, uint32_t packet) noexcept nogil:
    """Give back all further slots of a packet, none of which is under way."""
    cdef uint32_t following, index = slot_at(queue, packet).sibling
    slot_at(queue, packet).sibling = NO_SLOT
    while index != NO_SLOT:
        following = slot_at(queue, index).sibling
        give_part(queue, index)
        index = following


# A chain's node is named by its slot and which of the slot's two keys it is: 2 * slot + which.

cdef inline KeyNode* node_at(OpQueue* queue, uint32_t node) noexcept nogil:
    return &queue.slots[node >> 1].keys[node & 1]


cdef inline uint32_t* bucket_of(OpQueue* queue, uint64_t key) noexcept nogil:
    return &queue.buckets[mix(key) & (KEY_BUCKETS - 1)]


cdef uint32_t find_head(OpQueue* queue, uint64_t key) noexcept nogil:
    cdef uint32_t node = bucket_of(queue, key)[0]
    while node and node_at(queue, node).key != key:
        node = node_at(queue, node).bucket_next
    return node


cdef inline uint64_t address_key(uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the key. Keys of addresses are odd, those of clients even."""
    return mix(lo ^ mix(hi ^ (<uint64_t>tenant_no << 40))) | 1


cdef uint32_t running(OpQueue* queue, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the slot whose operation on the address is the earliest unfinished one, or NO_SLOT."""
    return find_head(queue, address_key(tenant_no, hi, lo)) >> 1


cdef bint waits_on_circuit(OpQueue* queue, uint64_t client, uint32_t circuit) noexcept nogil:
    """Return whether a grant of the client is under way that counts for the circuit."""
    cdef uint32_t node = find_head(queue, client & ~<uint64_t>1)
    while node:
        if queue.slots[node >> 1].circuit == circuit:
            return True
        node = node_at(queue, node).next_waiter
    return False


cdef void enqueue_own(
        OpQueue* queue, const LeaseTable* leases, const Lease* lease, int kind, const LeaseOp* owner) noexcept nogil:
    """Queue an operation of the server's own on the lease, for the client of `owner` (NULL: nobody's); without a free
    slot it is left for later."""
    cdef uint32_t index = slot_take(queue)
    cdef Slot* slot
    if index == NO_SLOT:
        return
    slot = slot_at(queue, index)
    slot.exchange = EXCHANGE_NONE
    slot.rx.length = 0
    memset(&slot.op, 0, sizeof(LeaseOp))
    slot.op.kind = kind
    slot.op.ia_type = IA_NA if lease.flags & WIDE else IPV4     # for the family; the row's other data stays
    slot.op.tenant_no = lease.tenant_no
    slot.op.hi = lease_hi(leases, lease)
    slot.op.lo = lease_lo(leases, lease)
    slot.op.version = row_version(lease)
    slot.op.client_parts_hash = lease.client_parts_hash
    if owner != NULL:
        slot.op.client = owner.client
        slot.op.received = 0 if lease.flags & WRITTEN_HERE else owner.received
        memcpy(slot.op.key_room, owner.client_key.data, owner.client_key.length)
        slot.op.client_key.data = slot.op.key_room
        slot.op.client_key.length = owner.client_key.length
    enqueue(queue, index)


cdef bint enqueue(OpQueue* queue, uint32_t index) noexcept nogil:
    """Queue the slot's operation. False, and nothing done: the same request of the client waits already."""
    cdef Slot* slot = slot_at(queue, index)
    cdef uint64_t client = slot.op.client & ~<uint64_t>1
    if client and is_repeated(queue, find_head(queue, client), slot):
        return False
    line_up(queue, index)
    return True


cdef void line_up(OpQueue* queue, uint32_t index) noexcept nogil:
    """Put the operation behind those of its address and of its client, if there are any."""
    cdef Slot* slot = slot_at(queue, index)
    cdef uint64_t address = address_key(slot.op.tenant_no, slot.op.hi, slot.op.lo)
    cdef uint64_t client = slot.op.client & ~<uint64_t>1
    slot.waits = 0
    chain(queue, index, BY_ADDRESS, address)
    if client:
        chain(queue, index, BY_CLIENT, client)
    else:
        slot.keys[BY_CLIENT].key = 0
    if slot.waits == 0:
        make_ready(queue, index)


cdef bint is_repeated(OpQueue* queue, uint32_t head, const Slot* slot) noexcept nogil:
    """Return whether the client's last operation under way is this one, sent again."""
    cdef Slot* last
    if not head:
        return False
    last = &queue.slots[node_at(queue, head).last_waiter >> 1]
    return (last.exchange and last.exchange == slot.exchange and last.xid == slot.xid
            and last.op.kind == slot.op.kind and last.op.lo == slot.op.lo and last.op.hi == slot.op.hi)


cdef void chain(OpQueue* queue, uint32_t index, int which, uint64_t key) noexcept nogil:
    cdef uint32_t node = 2 * index + which
    cdef uint32_t head = find_head(queue, key)
    cdef uint32_t* bucket
    cdef KeyNode* mine = node_at(queue, node)
    mine.key = key
    mine.next_waiter = 0
    if head:
        node_at(queue, node_at(queue, head).last_waiter).next_waiter = node
        node_at(queue, head).last_waiter = node
        queue.slots[index].waits += 1
        return
    bucket = bucket_of(queue, key)
    mine.last_waiter = node
    mine.bucket_next = bucket[0]
    bucket[0] = node


cdef inline int statement_of(const OpQueue* queue, const LeaseOp* op) noexcept nogil:
    if op.kind == OP_BIND:
        return GRANTS if op.unheld and not queue.cautious else BINDS
    if op.kind == OP_REGISTER:
        return REGISTERS
    return QUARANTINES if op.kind == OP_QUARANTINE else CHANGES


cdef void make_ready(OpQueue* queue, uint32_t index) noexcept nogil:
    cdef ReadyList* ready = &queue.ready[statement_of(queue, &queue.slots[index].op)]
    queue.slots[index].next = NO_SLOT
    if ready.last != NO_SLOT:
        queue.slots[ready.last].next = index
    else:
        ready.first = index
    ready.last = index
    ready.count += 1


cdef uint32_t next_ready(OpQueue* queue, ReadyList* ready) noexcept nogil:
    """Return the operation that has been ready longest, out of its list; it still holds its keys."""
    cdef uint32_t index = ready.first
    if index == NO_SLOT:
        return NO_SLOT
    ready.first = queue.slots[index].next
    if ready.first == NO_SLOT:
        ready.last = NO_SLOT
    ready.count -= 1
    return index


cdef void finish(OpQueue* queue, uint32_t index) noexcept nogil:
    """Finish the slot's operation: the next one of its address and of its client moves up."""
    release_key(queue, index, BY_ADDRESS)
    if queue.slots[index].keys[BY_CLIENT].key:
        release_key(queue, index, BY_CLIENT)


cdef bint is_overtaken(OpQueue* queue, const Slot* slot) noexcept nogil:
    """Return whether a later packet of the client waited behind the slot's operation, which `finish` has just ended."""
    cdef uint32_t node = slot.keys[BY_CLIENT].next_waiter if slot.keys[BY_CLIENT].key else 0
    while node:
        if queue.slots[queue.slots[node >> 1].packet].rx.length:
            return True
        node = node_at(queue, node).next_waiter
    return False


cdef void release_key(OpQueue* queue, uint32_t index, int which) noexcept nogil:
    cdef uint32_t node = 2 * index + which
    cdef KeyNode* mine = node_at(queue, node)
    cdef uint32_t* link = bucket_of(queue, mine.key)
    cdef uint32_t heir = mine.next_waiter
    while link[0] != node:
        link = &node_at(queue, link[0]).bucket_next
    if not heir:
        link[0] = mine.bucket_next
        return
    node_at(queue, heir).bucket_next = mine.bucket_next
    node_at(queue, heir).last_waiter = mine.last_waiter
    link[0] = heir
    queue.slots[heir >> 1].waits -= 1
    if queue.slots[heir >> 1].waits == 0:
        make_ready(queue, heir >> 1)


cdef class Operations:
    """A queue, for the model test in Python; operations are named by their slots."""

    cdef OpQueue* queue

    def __cinit__(self):
        self.queue = queue_new()
        if self.queue == NULL:
            raise MemoryError

    def __dealloc__(self):
        queue_free(self.queue)

    def put(self, uint64_t address, uint64_t client, bint bind=True, uint32_t xid=0):
        """Return the slot; 0 when all are in use or the same request waits already."""
        cdef uint32_t index = slot_take(self.queue)
        cdef Slot* slot
        if index == NO_SLOT:
            return NO_SLOT
        slot = slot_at(self.queue, index)
        slot.op.tenant_no = 1
        slot.op.hi = 0
        slot.op.lo = address
        slot.op.client = client
        slot.op.kind = OP_BIND if bind else OP_RENEW
        slot.xid = xid
        slot.exchange = EXCHANGE_SELECTING if xid else EXCHANGE_NONE
        if enqueue(self.queue, index):
            return index
        slot_give(self.queue, index)
        return NO_SLOT

    def put_parts(self, list addresses, uint64_t client):
        """Queue binds of one packet, each for a client of its own; their slots, the packet's first. None: no slot is
        left."""
        cdef uint32_t packet = slot_take(self.queue), index = packet
        if packet == NO_SLOT:
            return None
        found = []
        for address in addresses:
            if found:
                index = take_part(self.queue, packet)
            if index == NO_SLOT:
                give_parts(self.queue, packet)
                slot_give(self.queue, packet)
                return None
            slot_at(self.queue, index).op.tenant_no = 1
            slot_at(self.queue, index).op.hi = 0
            slot_at(self.queue, index).op.lo = address
            slot_at(self.queue, index).op.client = client + 2 * len(found)
            slot_at(self.queue, index).op.kind = OP_BIND
            slot_at(self.queue, index).op.unheld = False
            found.append(index)
        slot_at(self.queue, packet).parts_open = <uint8_t>len(found)
        for part in found:
            line_up(self.queue, part)
        return found

    def take(self, bint bind=True):
        """Return the operation that has been ready longest, or 0."""
        return next_ready(self.queue, &self.queue.ready[BINDS if bind else CHANGES])

    def again(self, uint32_t index):
        make_ready(self.queue, index)

    def finish(self, uint32_t index):
        """Finish an operation; the slots of the packet are free with the last of them."""
        cdef uint32_t packet = slot_at(self.queue, index).packet
        finish(self.queue, index)
        if is_part(slot_at(self.queue, index), index):
            slot_at(self.queue, packet).parts_open -= 1
            if slot_at(self.queue, packet).parts_open:
                return
            give_parts(self.queue, packet)
        slot_give(self.queue, packet)

    def running(self, uint64_t address):
        return running(self.queue, 1, 0, address)

    def __len__(self):
        return self.queue.in_use
