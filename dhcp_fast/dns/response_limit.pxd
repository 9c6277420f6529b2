from libc.stdint cimport int64_t, uint32_t, uint64_t

from dhcp_fast.dns.cookies cimport Client

cdef enum:
    PASS = 0
    CUT = 1                     # answer with TC: a client that is not forged repeats the query over TCP
    SILENCE = 2

cdef struct Bucket:
    uint64_t key
    int64_t full_at             # when the network has spent nothing; nanoseconds

cdef struct ResponseLimit:
    int64_t interval            # between two responses, in nanoseconds; 0: no limit
    Bucket* buckets
    uint64_t seed[2]
    uint32_t limited

cdef bint limit_init(ResponseLimit* limit, uint32_t rate) noexcept nogil
cdef int limit_response(ResponseLimit* limit, const Client* client, int64_t now) noexcept nogil
