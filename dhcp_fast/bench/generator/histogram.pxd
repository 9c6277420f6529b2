from libc.stdint cimport int64_t

cdef enum:
    SUB_BITS = 6
    SUB_BUCKETS = 64
    BUCKETS = 2240  # up to 2^40 ns, eighteen minutes


cdef extern from *:
    """
    static inline int ipam_top_bit(long long value) {
        return 63 - __builtin_clzll((unsigned long long)value);
    }
    """
    int ipam_top_bit(int64_t value) noexcept nogil


cdef inline int bucket_of(int64_t value) noexcept nogil:
    """Return the bucket: linear below 64, then 64 buckets a power of two: within 1.6 % of the value."""
    cdef int shift, index
    if value < SUB_BUCKETS:
        return <int>value if value > 0 else 0
    shift = ipam_top_bit(value) - SUB_BITS
    index = (shift << SUB_BITS) + <int>(value >> shift)
    return index if index < BUCKETS else BUCKETS - 1


cdef class Histogram:
    cdef int64_t counts[BUCKETS]
    cdef int64_t worst

    cdef inline void record(self, int64_t value) noexcept nogil:
        self.counts[bucket_of(value)] += 1
        if value > self.worst:
            self.worst = value
