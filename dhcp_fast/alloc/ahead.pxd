from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.alloc.leases cimport LeaseTable

cdef enum:
    MOST_AHEAD = 64

# The buckets of an address and of a client, for as long as none is added.
cdef struct Heads:
    const uint32_t* by_address
    const uint32_t* by_client

cdef Heads leases_prefetch(
    const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t client) noexcept nogil
cdef void leases_prefetch_entries(const LeaseTable* table, const Heads* heads) noexcept nogil
cdef void leases_prefetch_next(
    const LeaseTable* table, const Heads* heads, uint32_t address, uint64_t client) noexcept nogil
cdef void splits_prefetch(const LeaseTable* table, uint32_t count) noexcept nogil
