"""Latencies in log-linear buckets: recording is an increment in C, a percentile is within 1.6 % of the truth.

Values are nanoseconds. A bucket's representative is its middle, but never more than the largest value seen.
"""

from libc.string cimport memset


cdef int64_t middle_of(int index) noexcept nogil:
    cdef int shift
    cdef int64_t low
    if index < 2 * SUB_BUCKETS:
        return index
    shift = (index >> SUB_BITS) - 1
    low = <int64_t>(index - (shift << SUB_BITS)) << shift
    return low + (<int64_t>1 << shift) // 2


cdef class Histogram:

    def __cinit__(self):
        self.clear()

    def clear(self):
        memset(self.counts, 0, sizeof(self.counts))
        self.worst = 0

    def add(self, int64_t value):
        """Add one value from Python; the storm records in C."""
        self.record(value)

    @property
    def count(self):
        cdef int index
        cdef int64_t total = 0
        for index in range(BUCKETS):
            total += self.counts[index]
        return total

    @property
    def maximum(self):
        return self.worst

    def percentile(self, double percent):
        """Return the nanoseconds that `percent` of the values do not exceed (nearest rank); 0 without values."""
        cdef int index
        cdef int64_t seen = 0
        cdef double rank = self.count * percent / 100.0
        for index in range(BUCKETS):
            seen += self.counts[index]
            if seen >= rank and seen > 0:
                return min(middle_of(index), self.worst)
        return 0
