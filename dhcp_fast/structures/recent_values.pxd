from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MOST_VALUES = 1024
    LONGEST_VALUE = 255
    BUCKETS = 2048          # a power of two

cdef struct RecentValue:
    uint64_t hash
    uint64_t count          # since it was last taken
    uint16_t next           # in its bucket; 0: none
    uint16_t newer, older   # in the order in which they were seen; 0: none
    uint8_t length
    uint8_t octets[LONGEST_VALUE]

cdef struct ValueTable:
    uint32_t used
    uint16_t newest, oldest
    uint16_t buckets[BUCKETS]
    RecentValue at[MOST_VALUES + 1]     # index 0 stands for "none"

cdef class RecentValues:
    cdef ValueTable* table
    cdef object __weakref__

cdef bint count_value(
    ValueTable* table, const uint64_t* key, const uint8_t* octets, uint8_t length) noexcept nogil
