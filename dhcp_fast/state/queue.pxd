from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.leases.lease_table cimport Lease, LeaseTable
from dhcp_fast.state.slot cimport KeyNode, Slot

cdef enum:
    KEY_BUCKETS = 32768
    BY_ADDRESS = 0
    BY_CLIENT = 1

# The lease statements, each with a list of its own: a batch is of one statement.
cdef enum:
    BINDS
    CHANGES
    QUARANTINES
    GRANTS
    REGISTERS
    STATEMENTS

cdef struct ReadyList:
    uint32_t first, last
    uint32_t count

cdef struct OpQueue:
    Slot* slots
    uint32_t free_first
    uint32_t fresh
    uint32_t in_use             # slots out of the free list
    uint32_t buckets[KEY_BUCKETS]
    ReadyList ready[STATEMENTS]     # by the statement that writes them
    bint cautious               # write no GRANTS: rows were there of which memory knew nothing

cdef OpQueue* queue_new() noexcept nogil
cdef void queue_free(OpQueue* queue) noexcept nogil
cdef uint32_t slot_take(OpQueue* queue) noexcept nogil
cdef void slot_give(OpQueue* queue, uint32_t index) noexcept nogil
cdef void enqueue_own(
    OpQueue* queue, const LeaseTable* leases, const Lease* lease, int kind, const LeaseOp* owner) noexcept nogil
cdef bint enqueue(OpQueue* queue, uint32_t index) noexcept nogil
cdef void line_up(OpQueue* queue, uint32_t index) noexcept nogil
cdef uint32_t take_part(OpQueue* queue, uint32_t packet) noexcept nogil
cdef void give_part(OpQueue* queue, uint32_t index) noexcept nogil
cdef void give_parts(OpQueue* queue, uint32_t packet) noexcept nogil
cdef uint32_t next_ready(OpQueue* queue, ReadyList* ready) noexcept nogil
cdef void make_ready(OpQueue* queue, uint32_t index) noexcept nogil
cdef bint waits_on_circuit(OpQueue* queue, uint64_t client, uint32_t circuit) noexcept nogil
cdef uint32_t running(OpQueue* queue, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef void finish(OpQueue* queue, uint32_t index) noexcept nogil
cdef bint is_overtaken(OpQueue* queue, const Slot* slot) noexcept nogil

cdef inline Slot* slot_at(OpQueue* queue, uint32_t index) noexcept nogil:
    return &queue.slots[index]
