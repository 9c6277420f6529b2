from libc.stdint cimport int64_t, uint32_t, uint64_t

from dhcp_fast.bench.generator.clients cimport Ack


cdef class Ledger:
    cdef Ack *log                     # in order; a record of 0 seconds is a release
    cdef Ack *bag                     # the leases that clients hold now
    cdef int64_t logged, room
    cdef int64_t held
    cdef int64_t cursor

    cdef bint record(self, const Ack *ack) noexcept nogil
    cdef Ack *next_lease(self) noexcept nogil
    cdef void take_out(self, uint64_t random, Ack *lease) noexcept nogil
    cdef void put_in(self, const Ack *lease) noexcept nogil


cdef inline uint64_t mixed(uint64_t *state) noexcept nogil:
    """Return the next number of xorshift64* (Vigna 2016); the state must not be 0."""
    cdef uint64_t x = state[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    state[0] = x
    return x * <uint64_t>2685821657736338717


cdef inline uint64_t below(uint64_t *state, uint64_t bound) noexcept nogil:
    """Return a number from 0 to `bound` - 1; the bias is under one in four thousand million."""
    return ((mixed(state) >> 32) * bound) >> 32
