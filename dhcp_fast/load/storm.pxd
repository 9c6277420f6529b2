from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from dhcp_fast.load.clients cimport Ack, Reply, Template
from dhcp_fast.load.datagrams cimport Datagrams
from dhcp_fast.load.histogram cimport Histogram

cdef enum Phase:
    IDLE
    SELECTING
    REQUESTING
    RENEWING


cdef enum Mix:
    DORA
    DISCOVER_ONLY
    RENEW
    RELEASE


# One exchange in flight. The low 16 bits of xid are the slot's number, the high ones change with each use.
cdef struct Slot:
    int64_t began
    int64_t sent
    uint32_t xid
    uint32_t client
    uint32_t address
    uint32_t server_id
    uint8_t phase
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
    int64_t late
    int64_t duplicates
    int64_t foreign
    int64_t malformed
    int64_t unexpected
    int64_t in_time


cdef class Storm:
    cdef readonly Datagrams link
    cdef Histogram latency
    cdef Histogram offer_latency
    cdef Template templates[4]        # the first packet of each Mix
    cdef Template selecting
    cdef Slot *slots
    cdef uint32_t *free_slots
    cdef Ack *log
    cdef const Ack *held
    cdef Counters count
    cdef Mix mix
    cdef uint8_t seed
    cdef bint stopping
    cdef bint flowing                 # replies came since the last sleep
    cdef object fixed_linger
    cdef int tries
    cdef int free_count
    cdef int window
    cdef int64_t log_room
    cdef int64_t held_count
    cdef int64_t goal
    cdef int64_t timeout
    cdef int64_t patience
    cdef int64_t linger
    cdef double rate
    cdef uint32_t next_client
    cdef int64_t began, now, closes, last_reply, last_done, next_scan

    cdef void drive(self) noexcept nogil
    cdef void abandon(self) noexcept nogil
    cdef bint over(self) noexcept nogil
    cdef bint may_start(self) noexcept nogil
    cdef void start_due(self) noexcept nogil
    cdef void start_one(self) noexcept nogil
    cdef void choose_client(self, Slot *slot) noexcept nogil
    cdef void send(self, Slot *slot) noexcept nogil
    cdef void receive(self) noexcept nogil
    cdef void on_packet(self, const uint8_t *data, int length) noexcept nogil
    cdef void on_reply(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void on_offer(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void on_ack(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void remember(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void finish(self, Slot *slot) noexcept nogil
    cdef void scan(self) noexcept nogil
    cdef void retry_or_drop(self, Slot *slot) noexcept nogil
    cdef void wait(self) noexcept nogil
