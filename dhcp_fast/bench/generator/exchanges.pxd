from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.bench.generator.clients cimport Ack, Template
from dhcp_fast.bench.generator.datagrams cimport Datagrams
from dhcp_fast.bench.generator.ledger cimport Ledger

cdef enum:
    SLOT_BITS = 17
    SLOT_MASK = 0x1FFFF


cdef enum Phase:
    IDLE
    SELECTING
    REQUESTING
    RENEWING


# Those up to REBOOT are also what one exchange begins with; of the others each chooses one of these.
cdef enum Mix:
    DORA
    DISCOVER_ONLY
    RENEW
    RELEASE
    REBOOT
    RETURN
    CHURN
    REPLACE
    MIXED


# One exchange in flight. The low SLOT_BITS of xid are the slot's number, the high ones change with each use.
cdef struct Slot:
    int64_t began
    int64_t due                       # when to send again
    Ack *lease                        # in the ledger; NULL for a new client
    uint32_t xid
    uint32_t client
    uint32_t address
    uint32_t server_id
    uint8_t phase
    uint8_t kind                      # a Mix, its first packet
    uint8_t tries


cdef struct Counters:
    int64_t started
    int64_t completed
    int64_t offers
    int64_t acks
    int64_t naks
    int64_t dropped_discovers
    int64_t dropped_requests
    int64_t retransmits
    int64_t restarts
    int64_t releases
    int64_t late
    int64_t duplicates
    int64_t foreign
    int64_t malformed
    int64_t unexpected
    int64_t in_time


# Networks one behind the other; a count of 0: the relay names none.
cdef struct Links:
    uint32_t first
    uint32_t count
    int host_bits


cdef class Exchanges:
    cdef readonly Datagrams link
    cdef readonly Ledger ledger
    cdef Template templates[5]        # the first packet of each Mix
    cdef Template selecting
    cdef Links links
    cdef Counters count
    cdef Mix mix
    cdef uint8_t seed
    cdef bint stopping
    cdef bint backoff
    cdef int64_t timeout
    cdef int64_t now
    cdef uint64_t random
    cdef uint32_t next_client

    cdef void prepare(self, Slot *slot) noexcept nogil
    cdef void choose(self, Slot *slot) noexcept nogil
    cdef bint fresh(self) noexcept nogil
    cdef void choose_holder(self, Slot *slot) noexcept nogil
    cdef void name_link(self, uint8_t *packet, const Template *form, uint32_t client, uint32_t address) noexcept nogil
    cdef void release(self, Slot *slot, const Ack *lease) noexcept nogil
    cdef void send(self, Slot *slot) noexcept nogil
    cdef int64_t delay(self, int tries) noexcept nogil
    cdef void remember(self, const Ack *record) noexcept nogil
