"""Limit of the rate of each sender: token buckets in fixed memory, for any number of senders.

A bucket is the moment until which it is busy. Each packet moves that moment on by the interval
between two packets. A packet that would move it further than the burst ahead of now is refused (the
virtual scheduling form of the token bucket, ITU-T I.371 annex A). An unused bucket becomes full by
itself, so nothing is ever cleared.

A keyed hash of the sender picks one cell in each of two rows, and the freer of the two counts. A
sender is limited by others only if both of its cells are busy with theirs; with the cells here, a
thousand flooding clients do that to one client in four thousand. Invented senders spread over all
cells and fill none.
"""

from libc.stdlib cimport calloc, free


cdef bint limit_init(RateLimit* limit, int rate, uint64_t cells) noexcept nogil:
    """Set up the limit. `rate` packets a second, 0 for no limit; `cells` a row, a power of two. False when memory is
    short."""
    limit_clear(limit)
    if rate <= 0:
        return True
    limit.busy_until = <int64_t*>calloc(ROWS * cells, sizeof(int64_t))
    if limit.busy_until == NULL:
        return False
    limit.mask = cells - 1
    limit.interval = max(1000000 // rate, 1)
    return True


cdef void limit_lend(RateLimit* limit, int64_t* memory) noexcept nogil:
    """Count in this memory from now on, which others count in too; without a limit, nothing."""
    if limit.interval:
        free(limit.busy_until)
        limit.busy_until = memory
        limit.lent = True


cdef void limit_clear(RateLimit* limit) noexcept nogil:
    if not limit.lent:
        free(limit.busy_until)
    limit.lent = False
    limit.busy_until = NULL
    limit.interval = 0


cdef bint admits(RateLimit* limit, uint64_t sender, int64_t now) noexcept nogil:
    """Return whether the sender (a keyed hash) may send one more packet at `now`, in microseconds; if so, it is
    counted."""
    cdef int64_t* first = &limit.busy_until[sender & limit.mask]
    cdef int64_t* second = &limit.busy_until[limit.mask + 1 + ((sender >> 32) & limit.mask)]
    cdef int64_t busy_until = max(min(first[0], second[0]), now) + limit.interval
    if busy_until - now > BURST_SECONDS * 1000000:
        return False
    first[0] = max(first[0], busy_until)
    second[0] = max(second[0], busy_until)
    return True


cdef class Rates:
    """A limit, for the model test in Python."""

    cdef RateLimit limit

    def __cinit__(self, int rate, uint64_t cells):
        if not limit_init(&self.limit, rate, cells):
            raise MemoryError

    def __dealloc__(self):
        limit_clear(&self.limit)

    def admits(self, uint64_t sender, int64_t now):
        return admits(&self.limit, sender, now)
