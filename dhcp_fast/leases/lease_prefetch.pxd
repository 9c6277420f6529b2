from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport LeaseTable

cdef enum:
    MOST_AHEAD = 64

cdef const uint32_t* prefetch_address(
    const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef const uint32_t* prefetch_client(const LeaseTable* table, uint64_t client) noexcept nogil
cdef void prefetch_first(const LeaseTable* table, const uint32_t* bucket) noexcept nogil
cdef void prefetch_second_of_address(const LeaseTable* table, const uint32_t* bucket, uint32_t address) noexcept nogil
cdef void prefetch_second_of_client(const LeaseTable* table, const uint32_t* bucket, uint64_t client) noexcept nogil
cdef void splits_prefetch(const LeaseTable* table, uint32_t count) noexcept nogil
