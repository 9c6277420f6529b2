"""The lease table in memory: a cache of the database's rows, by address and by client.

Times are seconds of the database's clock since 2000-01-01 (PostgreSQL's epoch). A client is stored
as the keyed hash of its identity. The database compares the identity itself, so a collision costs a
refused write, never a wrong lease.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport HOLDS_BITS
from dhcp_fast.structures.siphash cimport mix

cdef enum:
    CHUNK_BITS = 16
    CHUNK = 65536           # entries: 4 MiB
    SEGMENT_BITS = 19
    SEGMENT = 524288        # buckets: 2 MiB
    SEGMENTS = 512
    FIRST_BUCKETS = 1024
    WHEEL_SLOTS = 8192
    NOT_IN_WHEEL = 65535

    NO_LEASE = 0        # index 0 stands for "none" in every chain

    COUNTED = 1             # among the running leases of its circuit
    WIDE = 2                # an IPv6 address
    PARTIAL = 4             # loaded in brief: renewed, expires and the three hashes are not known yet

    # The worker of a host that owns the entry (sharing/lease_ownership.pxd), among the flags.
    LEASE_OWN = 0
    LEASE_SHARED = 8        # another worker's, but its client may turn up here: kept like our own
    LEASE_FOREIGN = 16      # another worker's: forgotten as soon as nothing is to be learned from it
    HOLDING = 24            # of the flags, these
    DROPPED = 32            # no entry: its place waits for another
    WRITTEN_HERE = 64       # by this process, in the order in which its packets came
    DISPUTED = 128          # held, while the database has an older row of another client's, who gave it back since

    LEASE_ACTIVE = 97       # 'a'
    LEASE_RELEASED = 114    # 'r'
    LEASE_EXPIRED = 120     # 'x'
    LEASE_REVOKED = 118     # 'v'
    LEASE_DECLINED = 100    # 'd'
    LEASE_REGISTERED = 105  # 'i': taken until its end, and nobody's lease

# One cache line.
cdef struct Lease:
    uint64_t client         # keyed hash of client_key
    uint64_t version        # with the marks HELD and UNSEEN where the database lost its history
    uint32_t address        # IPv4; of a wide entry its place among the table's IPv6 addresses
    uint32_t tenant_no
    uint32_t renewed        # start of the lease time now running; of a foreign one: until when it is remembered
    uint32_t expires        # rounded down
    uint32_t reuse          # free to others from here, rounded up
    uint32_t client_parts_hash  # hash of hardware address and client id; of IPv6, of the DUID: 0 is nobody's
    uint32_t content_hash   # hash of subnet and client's data; a renewal with the same hash changes none
    uint32_t relay_hash     # of relay, circuit id and remote id; 0 when the row has none
    uint32_t address_next, client_next, wheel_next
    uint16_t wheel_slot     # where the entry waits, or NOT_IN_WHEEL
    uint8_t state
    uint8_t flags           # COUNTED, WIDE, PARTIAL, DROPPED, WRITTEN_HERE, DISPUTED and HOLDING

cdef struct Wide:
    uint64_t hi, lo

cdef struct LeaseTable:
    bint ipv6               # of all its addresses: a process serves one family
    Lease** chunks
    uint32_t chunk_count
    uint32_t used           # highest index that was ever in use
    uint32_t dropped        # entries of these that were dropped, a list by wheel_next
    uint32_t first_dropped
    uint32_t** by_address   # segments of bucket heads
    uint32_t** by_client
    uint32_t buckets        # so many are in use
    uint32_t mask           # of the next power of two
    Wide* wide              # the addresses of IPv6 entries
    uint32_t wide_count, wide_room
    uint32_t wheel[WHEEL_SLOTS]
    uint32_t wheel_now      # the second whose slot is being emptied

# A tenant's addresses first .. last: where a client's leases are looked for.
cdef struct Span:
    uint64_t hi, first, last
    uint32_t tenant_no

# Marks above every version of a row, so that a marked entry seems newer than any row and is
# compared twice. HELD: the entry is of another history of the database. It counts until a newer row
# is seen there, and for its client until its end. UNSEEN: no row of it has been seen there yet. The
# bits below contain the version of the old history, else the version seen, 0 if the database has no
# row.

cdef inline uint64_t held_mark() noexcept nogil:
    return <uint64_t>1 << 63

cdef inline uint64_t unseen_mark() noexcept nogil:
    return <uint64_t>1 << 62

cdef inline bint is_held(const Lease* lease) noexcept nogil:
    return lease.version >> 63

cdef inline bint is_unseen(const Lease* lease) noexcept nogil:
    return lease.version >> 62 & 1

cdef inline uint32_t held_options(const Lease* lease) noexcept nogil:
    """Return which of its client's options the row may hold, of HOLDS_BITS: all of a row that is not known in full."""
    return <uint32_t>HOLDS_BITS if lease.flags & PARTIAL else lease.content_hash & <uint32_t>HOLDS_BITS

cdef inline uint64_t row_version(const Lease* lease) noexcept nogil:
    """Return the version without its marks."""
    return lease.version & (unseen_mark() - 1)

cdef LeaseTable* leases_new(bint ipv6) noexcept nogil
cdef void leases_free(LeaseTable* table) noexcept nogil
cdef uint32_t lease_find(const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef uint32_t lease_make(LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef uint32_t lease_add(LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef void lease_drop(LeaseTable* table, uint32_t index) noexcept nogil
cdef uint32_t lease_of_client(const LeaseTable* table, uint64_t client, const Span* span) noexcept nogil
cdef uint32_t next_of_client(const LeaseTable* table, uint32_t index, const Span* span) noexcept nogil
cdef uint32_t first_of_client(const LeaseTable* table, uint64_t client) noexcept nogil
cdef uint32_t lease_at_address(
    const LeaseTable* table, uint64_t client, uint32_t tenant_no, uint64_t lo) noexcept nogil
cdef bint leases_reserve(LeaseTable* table, uint32_t count) noexcept nogil
cdef void lease_set_client(LeaseTable* table, uint32_t index, uint64_t client) noexcept nogil

cdef inline Lease* lease_at(const LeaseTable* table, uint32_t index) noexcept nogil:
    return &table.chunks[index >> CHUNK_BITS][index & (CHUNK - 1)]

cdef inline uint64_t lease_hi(const LeaseTable* table, const Lease* lease) noexcept nogil:
    return table.wide[lease.address].hi if lease.flags & WIDE else 0

cdef inline uint64_t lease_lo(const LeaseTable* table, const Lease* lease) noexcept nogil:
    return table.wide[lease.address].lo if lease.flags & WIDE else lease.address

cdef inline uint64_t address_hash(uint32_t tenant, uint64_t hi, uint64_t lo) noexcept nogil:
    return mix(lo ^ mix(hi ^ (<uint64_t>tenant << 40)))

cdef inline uint32_t* head(uint32_t** segments, const LeaseTable* table, uint64_t hash) noexcept nogil:
    """Return the bucket's first entry; a bucket that is not there yet is still part of the one half as far."""
    cdef uint32_t position = <uint32_t>hash & table.mask
    if position >= table.buckets:
        position &= table.mask >> 1
    return &segments[position >> SEGMENT_BITS][position & (SEGMENT - 1)]
