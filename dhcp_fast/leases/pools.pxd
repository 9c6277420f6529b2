"""Pools with their taken and free addresses.

An address is an index here. That of IPv4 is the address itself, with a space per subnet; that of an
IPv6 pool counts from its first address or delegated prefix, with a space per pool
(plan/compiled6.pxd).

An `AddressSpace` lives as long as subnet or pool and survives configuration changes. It has a bit
per address, set while a lease or an offer holds it, and one for the offer alone. A `Pool` is made
anew with each configuration: the permitted addresses, and the hierarchical bitmap of those that are
free.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from dhcp_fast.structures.bitmap cimport Bitmap
from dhcp_fast.leases.offers cimport SubnetOffers

cdef enum:
    MAX_NODES = 64
    ANY_CLASS = -1

cdef enum:
    ENDLESS = 0xFFFFFFFF    # as a moment: when something ends that never does

# One cache line.
cdef struct AddressSpace:
    uint32_t base           # first address
    bint uncounted          # which addresses are taken is not known yet
    uint64_t size
    uint64_t* taken
    uint64_t* offered
    uint64_t* foreign       # leased to clients of other workers, and behind these bits those of `has_row`; or NULL
    SubnetOffers offers
    uint32_t foreign_until  # when the last of these leases ends that ends at all
    uint32_t doubted_until  # until when `is_doubted` applies; 0: no longer
    int64_t refreshed       # milliseconds of the boot clock of the last look in the database

cdef struct Pool:
    uint32_t no
    uint32_t start, end     # indices, inclusive
    int class_index         # into the tenant's classes, or ANY_CLASS
    bint sequential
    uint64_t* permitted
    uint64_t usable         # permitted addresses
    Bitmap* free
    bint exhausted          # a client found nothing here, and nobody has looked at that yet

# The live servers, for the hint by which each prefers other chunks of a pool; and the workers of this one, each of
# which prefers other chunks of the server's. A sequential pool has a lane for each of them all instead.
cdef struct NodeRing:
    uint64_t mine
    uint64_t others[MAX_NODES]
    int count               # others
    uint32_t worker, workers    # workers 0 or 1: alone
    uint32_t lane, lanes    # ours among all; lanes 0 or 1: alone
    uint64_t comb           # the bits 0, lanes, 2 * lanes ...

cdef AddressSpace* space_new(uint32_t base, uint64_t size) noexcept nogil
cdef void space_free(AddressSpace* space) noexcept nogil
cdef bint pool_init(Pool* pool, uint32_t start, uint32_t end) noexcept nogil
cdef void pool_clear(Pool* pool) noexcept nogil
cdef void pool_forbid(Pool* pool, uint32_t first, uint32_t last) noexcept nogil
cdef void pool_withhold(Pool* pool, uint32_t address) noexcept nogil
cdef void mark_taken(AddressSpace* space, uint32_t address) noexcept nogil
cdef void pool_open(Pool* pool, const AddressSpace* space) noexcept nogil
cdef void take_address(AddressSpace* space, Pool* pools, int count, uint32_t address) noexcept nogil
cdef void give_back(AddressSpace* space, Pool* pools, int count, uint32_t address) noexcept nogil
cdef void ring_set_lanes(NodeRing* ring) noexcept nogil
cdef int64_t pool_pick(const Pool* pool, uint64_t position, const NodeRing* ring) noexcept nogil

cdef inline bint space_covers(const AddressSpace* space, uint32_t address) noexcept nogil:
    return address >= space.base and address - space.base < space.size

cdef inline bint is_taken(const AddressSpace* space, uint32_t address) noexcept nogil:
    cdef uint32_t at = address - space.base
    return (space.taken[at >> 6] >> (at & 63)) & 1

cdef inline bint is_offered(const AddressSpace* space, uint32_t address) noexcept nogil:
    cdef uint32_t at = address - space.base
    return (space.offered[at >> 6] >> (at & 63)) & 1

cdef inline void note_offered(AddressSpace* space, uint32_t address, bint offered) noexcept nogil:
    cdef uint32_t at = address - space.base
    space.offered[at >> 6] &= ~(<uint64_t>1 << (at & 63))
    space.offered[at >> 6] |= <uint64_t>offered << (at & 63)

cdef inline bint is_foreign(const AddressSpace* space, uint32_t address) noexcept nogil:
    cdef uint32_t at = address - space.base
    return space.foreign != NULL and (space.foreign[at >> 6] >> (at & 63)) & 1

cdef inline uint64_t* rows_of(const AddressSpace* space) noexcept nogil:
    return &space.foreign[(space.size + 63) >> 6]

cdef inline bint has_row(const AddressSpace* space, uint32_t address) noexcept nogil:
    """Return whether the database has a row of another worker's client, leased or not."""
    cdef uint32_t at = address - space.base
    return space.foreign != NULL and (rows_of(space)[at >> 6] >> (at & 63)) & 1

cdef inline bint is_doubted(const AddressSpace* space, uint32_t address) noexcept nogil:
    """Return whether another worker's client has it, or had it, by a history that the database has lost."""
    return space.doubted_until and is_foreign(space, address) and not has_row(space, address)

cdef bint note_foreign(AddressSpace* space, uint32_t address, uint32_t until) noexcept nogil
cdef void doubt_foreign(AddressSpace* space, uint32_t until) noexcept nogil
cdef int64_t next_doubted(const AddressSpace* space, uint64_t first) noexcept nogil

cdef inline bint pool_covers(const Pool* pool, uint32_t address) noexcept nogil:
    return pool.start <= address <= pool.end

cdef inline bint pool_permits(const Pool* pool, uint32_t address) noexcept nogil:
    cdef uint32_t at = address - pool.start
    return (pool.permitted[at >> 6] >> (at & 63)) & 1
