from libc.stdint cimport int64_t, uint64_t

cdef enum:
    ROWS = 2
    BURST_SECONDS = 4

# How many packets a second each of very many senders may send.
cdef struct RateLimit:
    int64_t interval        # microseconds that a packet takes from its sender's allowance; 0: no limit
    uint64_t mask           # of one row
    int64_t* busy_until     # ROWS rows of moments
    bint lent               # they are another's memory

cdef bint limit_init(RateLimit* limit, int rate, uint64_t cells) noexcept nogil
cdef void limit_lend(RateLimit* limit, int64_t* memory) noexcept nogil
cdef void limit_clear(RateLimit* limit) noexcept nogil
cdef bint admits(RateLimit* limit, uint64_t sender, int64_t now) noexcept nogil
