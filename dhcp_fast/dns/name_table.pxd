from libc.stdint cimport uint8_t, uint64_t

cdef struct Named:
    Named* next                 # of the same slot
    uint64_t hash
    const uint8_t* name         # in wire format and lower case
    uint8_t length

cdef struct NameTable:
    Named** slots
    uint64_t mask
    uint64_t count

cdef bint table_init(NameTable* table) noexcept nogil
cdef Named* table_find(const NameTable* table, const uint8_t* name, uint8_t length) noexcept nogil
cdef void table_add(NameTable* table, Named* entry) noexcept nogil
cdef void table_remove(NameTable* table, Named* entry) noexcept nogil
