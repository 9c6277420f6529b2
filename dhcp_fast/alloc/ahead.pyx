"""Asking for the memory of a lease table that will be needed soon: a table of millions of entries is in no cache of the
processor. In rounds, each for many entries before the next one, which follows what the last one asked for.
"""

from dhcp_fast.alloc.leases cimport SEGMENT, SEGMENT_BITS, Lease, address_hash, head, lease_at
from dhcp_fast.alloc.prefetch cimport prefetch

cdef enum:
    SPLIT_DEPTH = 3         # entries of a chain that are asked for before it is split


cdef Heads leases_prefetch(
        const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t client) noexcept nogil:
    """Have the memory that adding this address and this client will touch on its way: the buckets."""
    cdef Heads heads
    heads.by_address = head(table.by_address, table, address_hash(tenant_no, hi, lo))
    heads.by_client = head(table.by_client, table, client)
    prefetch(heads.by_address)
    prefetch(heads.by_client)
    return heads


cdef void leases_prefetch_entries(const LeaseTable* table, const Heads* heads) noexcept nogil:
    """When these are there: the first entries of both chains."""
    prefetch(lease_at(table, heads.by_address[0]))
    prefetch(lease_at(table, heads.by_client[0]))


cdef void leases_prefetch_next(
        const LeaseTable* table, const Heads* heads, uint32_t address, uint64_t client) noexcept nogil:
    """When these are there: the second ones, where the first ones are others'."""
    cdef const Lease* first = lease_at(table, heads.by_address[0])
    if first.address != address:
        prefetch(lease_at(table, first.address_next))
    first = lease_at(table, heads.by_client[0])
    if first.client != client:
        prefetch(lease_at(table, first.client_next))


cdef void splits_prefetch(const LeaseTable* table, uint32_t count) noexcept nogil:
    """Have what the splits for the next `count` new entries, up to MOST_AHEAD, will touch. The buckets lie behind each
    other, and two entries hang on one that is due: those before it in the row have been split and have one."""
    cdef uint32_t by_address[MOST_AHEAD]
    cdef uint32_t by_client[MOST_AHEAD]
    cdef uint32_t i, place
    cdef int _depth
    count = min(count, <uint32_t>MOST_AHEAD)
    for i in range(count):
        place = split_for(table, i)
        by_address[i] = table.by_address[place >> SEGMENT_BITS][place & (SEGMENT - 1)]
        by_client[i] = table.by_client[place >> SEGMENT_BITS][place & (SEGMENT - 1)]
        prefetch(lease_at(table, by_address[i]))
        prefetch(lease_at(table, by_client[i]))
    for _depth in range(SPLIT_DEPTH - 1):
        for i in range(count):
            by_address[i] = lease_at(table, by_address[i]).address_next
            by_client[i] = lease_at(table, by_client[i]).client_next
            prefetch(lease_at(table, by_address[i]))
            prefetch(lease_at(table, by_client[i]))


cdef inline uint32_t split_for(const LeaseTable* table, uint32_t ahead) noexcept nogil:
    """The bucket that is split for the entry that comes after `ahead` others; 0 where none is."""
    cdef uint32_t new = table.used + ahead
    if new < table.buckets:
        return 0
    return new & (table.mask >> 1) if new <= table.mask else new & table.mask
