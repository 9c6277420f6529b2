"""Asking for the memory of a lease table that will be needed soon: a table of millions of entries is in no cache of the
processor. In rounds, each for many entries before the next one, which follows what the last one asked for.
"""

from dhcp_fast.leases.lease_table cimport SEGMENT, SEGMENT_BITS, Lease, address_hash, head, lease_at
from dhcp_fast.structures.prefetch cimport prefetch

cdef enum:
    SPLIT_DEPTH = 3         # entries of a chain that are asked for before it is split


cdef const uint32_t* prefetch_address(
        const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the address's bucket, where its chain begins; valid for as long as none is added."""
    cdef const uint32_t* bucket = head(table.by_address, table, address_hash(tenant_no, hi, lo))
    prefetch(bucket)
    return bucket


cdef const uint32_t* prefetch_client(const LeaseTable* table, uint64_t client) noexcept nogil:
    cdef const uint32_t* bucket = head(table.by_client, table, client)
    prefetch(bucket)
    return bucket


cdef void prefetch_first(const LeaseTable* table, const uint32_t* bucket) noexcept nogil:
    """Prefetch, when the bucket is there, the first entry of its chain."""
    prefetch(lease_at(table, bucket[0]))


cdef void prefetch_second_of_address(const LeaseTable* table, const uint32_t* bucket, uint32_t address) noexcept nogil:
    """Prefetch, when the first entry is there, the second one, where the first one is another's."""
    cdef const Lease* first = lease_at(table, bucket[0])
    if first.address != address:
        prefetch(lease_at(table, first.address_next))


cdef void prefetch_second_of_client(const LeaseTable* table, const uint32_t* bucket, uint64_t client) noexcept nogil:
    cdef const Lease* first = lease_at(table, bucket[0])
    if first.client != client:
        prefetch(lease_at(table, first.client_next))


cdef void splits_prefetch(const LeaseTable* table, uint32_t count) noexcept nogil:
    """Prefetch the entries that the splits for the next `count` new ones, up to MOST_AHEAD, will touch.

    The buckets are adjacent. A bucket that is due has two entries on average; those before it have
    been split and have one.
    """
    cdef uint32_t by_address[MOST_AHEAD]
    cdef uint32_t by_client[MOST_AHEAD]
    cdef uint32_t i, position
    cdef int _depth
    count = min(count, <uint32_t>MOST_AHEAD)
    for i in range(count):
        position = split_for(table, i)
        by_address[i] = table.by_address[position >> SEGMENT_BITS][position & (SEGMENT - 1)]
        by_client[i] = table.by_client[position >> SEGMENT_BITS][position & (SEGMENT - 1)]
        prefetch(lease_at(table, by_address[i]))
        prefetch(lease_at(table, by_client[i]))
    for _depth in range(SPLIT_DEPTH - 1):
        for i in range(count):
            by_address[i] = lease_at(table, by_address[i]).address_next
            by_client[i] = lease_at(table, by_client[i]).client_next
            prefetch(lease_at(table, by_address[i]))
            prefetch(lease_at(table, by_client[i]))


cdef inline uint32_t split_for(const LeaseTable* table, uint32_t ahead) noexcept nogil:
    """Return the bucket that is split for the entry that comes after `ahead` others; 0 where none is."""
    cdef uint32_t new = table.used + ahead
    if new < table.buckets:
        return 0
    return new & (table.mask >> 1) if new <= table.mask else new & table.mask
