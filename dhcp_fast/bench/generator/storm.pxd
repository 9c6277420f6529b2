from libc.stdint cimport int64_t, uint8_t, uint32_t

from dhcp_fast.bench.generator.clients cimport Reply
from dhcp_fast.bench.generator.exchanges cimport Exchanges, Slot
from dhcp_fast.bench.generator.histogram cimport Histogram


cdef class Storm(Exchanges):
    cdef Histogram latency
    cdef Histogram offer_latency
    cdef Slot *slots
    cdef uint32_t *free_slots
    cdef bint behind                  # more exchanges are due than one turn begins
    cdef bint flowing                 # replies came since the last sleep
    cdef object fixed_linger
    cdef int tries
    cdef int free_count
    cdef int window
    cdef int64_t goal
    cdef int64_t patience
    cdef int64_t linger
    cdef double rate
    cdef int64_t began, closes, last_reply, last_done, next_scan

    cdef void drive(self) noexcept nogil
    cdef void abandon(self) noexcept nogil
    cdef bint over(self) noexcept nogil
    cdef bint may_start(self) noexcept nogil
    cdef void start_due(self) noexcept nogil
    cdef void start_one(self) noexcept nogil
    cdef void receive(self) noexcept nogil
    cdef void on_packet(self, const uint8_t *data, int length) noexcept nogil
    cdef void on_reply(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void on_offer(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void on_ack(self, Slot *slot, const Reply *reply) noexcept nogil
    cdef void on_nak(self, Slot *slot) noexcept nogil
    cdef void begin_anew(self, Slot *slot) noexcept nogil
    cdef void finish(self, Slot *slot) noexcept nogil
    cdef void scan(self) noexcept nogil
    cdef void retry_or_drop(self, Slot *slot) noexcept nogil
    cdef void wait(self) noexcept nogil
