"""Addresses that are not offered for a moment, the oldest first; sharing/holds.pyx gives the reason."""

from libc.stdint cimport int64_t, uint32_t

cdef enum:
    MOST_HOLDS = 4096       # the oldest gives way

cdef struct Hold:
    int64_t until           # of the boot clock, microseconds
    uint32_t subnet_no
    uint32_t address

cdef struct HoldRing:
    uint32_t first, count
    Hold at[MOST_HOLDS]
