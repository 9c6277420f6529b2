"""Limit of the responses per network: a forged source must not be flooded by our answers.

Networks are counted, not addresses (IPv4 /24, IPv6 /56), because an attacker can forge any address
of a network. A network may have a burst of two seconds' worth. Above that, every second response is
truncated and the others are dropped: a real resolver returns over TCP or with a cookie, which are
not limited. The table has a fixed size; of the possible places of a network the one that was idle
longest is reused.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc

from dhcp_fast.structures.siphash cimport siphash

cdef enum:
    BUCKETS = 65536
    PLACES = 4
    SECOND = 1000000000
    BURST_SECONDS = 2
    OCTETS4 = 3                 # of the network's address
    OCTETS6 = 7


cdef bint limit_init(ResponseLimit* limit, uint32_t rate) noexcept nogil:
    """Set up the limit. `rate`: responses a second, 0: no limit; the seed is set. False when memory is short."""
    limit.interval = SECOND // rate if rate else 0
    limit.limited = 0
    limit.buckets = <Bucket*>calloc(BUCKETS, sizeof(Bucket)) if rate else NULL
    return limit.buckets != NULL or not rate


cdef int limit_response(ResponseLimit* limit, const Client* client, int64_t now) noexcept nogil:
    """Return PASS, CUT or SILENCE; a response that does not PASS is not counted against the network."""
    cdef Bucket* bucket
    if limit.interval == 0:
        return PASS
    bucket = bucket_of(limit, client)
    if bucket.full_at + limit.interval - now <= BURST_SECONDS * <int64_t>SECOND:
        bucket.full_at = max(bucket.full_at, now) + limit.interval
        return PASS
    limit.limited += 1
    return CUT if limit.limited & 1 else SILENCE


cdef Bucket* bucket_of(ResponseLimit* limit, const Client* client) noexcept nogil:
    cdef uint64_t key = siphash(limit.seed, client.address, OCTETS4 if client.length == 4 else OCTETS6)
    cdef Bucket* first = &limit.buckets[key & (BUCKETS - 1) & ~<uint64_t>(PLACES - 1)]
    cdef Bucket* oldest = first
    cdef int i
    for i in range(PLACES):
        if first[i].key == key:
            return &first[i]
        if first[i].full_at < oldest.full_at:
            oldest = &first[i]
    oldest.key = key
    oldest.full_at = 0
    return oldest
