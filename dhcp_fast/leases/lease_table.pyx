"""Lease table: 64 octets per address and two chained hash indexes; expiry_wheel.pyx is threaded through it.

Entries live in chunks that never move, so an index stays valid. The buckets grow with the entries,
one at a time (linear hashing, Litwin 1980), and each new one splits the chain of an old one. So
millions of entries never move at once, and memory grows with the number of entries. An IPv6 address
is in an array of its own, so that an IPv4 entry fits a cache line.
"""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from dhcp_fast.structures.huge_pages cimport pages_free, pages_new


cdef LeaseTable* leases_new(bint ipv6) noexcept nogil:
    cdef LeaseTable* table = <LeaseTable*>calloc(1, sizeof(LeaseTable))
    if table == NULL:
        return NULL
    table.by_address = <uint32_t**>calloc(SEGMENTS, sizeof(uint32_t*))
    table.by_client = <uint32_t**>calloc(SEGMENTS, sizeof(uint32_t*))
    if table.by_address == NULL or table.by_client == NULL or not add_segment(table, 0) or not add_chunk(table):
        leases_free(table)
        return NULL
    table.ipv6 = ipv6
    table.buckets = FIRST_BUCKETS
    table.mask = FIRST_BUCKETS - 1
    return table


cdef void leases_free(LeaseTable* table) noexcept nogil:
    cdef uint32_t i
    if table == NULL:
        return
    for i in range(table.chunk_count):
        pages_free(table.chunks[i], CHUNK * sizeof(Lease))
    free(table.chunks)
    free_segments(table.by_address)
    free_segments(table.by_client)
    free(table.wide)
    free(table)


cdef void free_segments(uint32_t** segments) noexcept nogil:
    cdef uint32_t i
    if segments == NULL:
        return
    for i in range(<uint32_t>SEGMENTS):
        pages_free(segments[i], SEGMENT * 4)
    free(segments)


cdef bint add_segment(LeaseTable* table, uint32_t index) noexcept nogil:
    """Return the first one of a small server counts as far as it is used."""
    if table.by_address[index] == NULL:
        table.by_address[index] = <uint32_t*>pages_new(SEGMENT * 4, index > 0)
    if table.by_client[index] == NULL:
        table.by_client[index] = <uint32_t*>pages_new(SEGMENT * 4, index > 0)
    return table.by_address[index] != NULL and table.by_client[index] != NULL


cdef bint add_chunk(LeaseTable* table) noexcept nogil:
    cdef Lease** chunks = <Lease**>realloc(table.chunks, (table.chunk_count + 1) * sizeof(Lease*))
    if chunks == NULL:
        return False
    table.chunks = chunks
    chunks[table.chunk_count] = <Lease*>pages_new(CHUNK * sizeof(Lease), table.chunk_count > 0)
    if chunks[table.chunk_count] == NULL:
        return False
    table.chunk_count += 1
    return True


cdef inline bint is_at(
        const LeaseTable* table, const Lease* lease, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    return lease_lo(table, lease) == lo and lease_hi(table, lease) == hi and lease.tenant_no == tenant_no


cdef uint32_t lease_find(const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return index of the address's entry, or NO_LEASE."""
    cdef uint32_t index = head(table.by_address, table, address_hash(tenant_no, hi, lo))[0]
    while index != NO_LEASE:
        if is_at(table, lease_at(table, index), tenant_no, hi, lo):
            return index
        index = lease_at(table, index).address_next
    return NO_LEASE


cdef uint32_t lease_make(LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return index of the address's entry, made empty when there was none; NO_LEASE when memory is short."""
    cdef uint32_t index = lease_find(table, tenant_no, hi, lo)
    return lease_add(table, tenant_no, hi, lo) if index == NO_LEASE else index


cdef uint32_t lease_add(LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the same for an address that has no entry, as the caller knows."""
    cdef uint32_t index
    cdef uint32_t* bucket
    cdef Lease* lease
    index = table.first_dropped if table.first_dropped != NO_LEASE else next_place(table)
    if index == NO_LEASE:
        return NO_LEASE
    lease = lease_at(table, index)
    if table.ipv6 and not widen(table, lease, hi, lo):
        return NO_LEASE
    if index == table.first_dropped:
        table.first_dropped = lease.wheel_next
        table.dropped -= 1
        lease.flags &= ~DROPPED
    else:
        table.used = index
    if not table.ipv6:
        lease.address = <uint32_t>lo
    lease.tenant_no = tenant_no
    lease.wheel_slot = NOT_IN_WHEEL
    bucket = head(table.by_address, table, address_hash(tenant_no, hi, lo))
    lease.address_next = bucket[0]
    bucket[0] = index
    return index


cdef inline uint32_t next_place(LeaseTable* table) noexcept nogil:
    """Return where an entry fits that never was; NO_LEASE when memory is short."""
    if table.used >= table.buckets and not split(table):
        return NO_LEASE
    if table.used + 1 == table.chunk_count << CHUNK_BITS and not add_chunk(table):
        return NO_LEASE
    return table.used + 1


cdef void lease_drop(LeaseTable* table, uint32_t index) noexcept nogil:
    """Forget an entry that is not in the wheel; its place is another's from now on, and so is that of its address."""
    cdef Lease* lease = lease_at(table, index)
    cdef uint32_t place = lease.address if table.ipv6 else 0
    cdef uint32_t* link = head(
        table.by_address, table, address_hash(lease.tenant_no, lease_hi(table, lease), lease_lo(table, lease)))
    while link[0] != index:
        link = &lease_at(table, link[0]).address_next
    link[0] = lease.address_next
    if lease.client:
        unlink_client(table, index)
    memset(lease, 0, sizeof(Lease))
    lease.flags = DROPPED | WIDE if table.ipv6 else DROPPED
    lease.address = place
    lease.wheel_next = table.first_dropped
    table.first_dropped = index
    table.dropped += 1


cdef bint widen(LeaseTable* table, Lease* lease, uint64_t hi, uint64_t lo) noexcept nogil:
    """Widen the entry to an address of IPv6; the place of one that was dropped has kept its room."""
    cdef uint32_t room = table.wide_room * 2 if table.wide_room else 1024
    cdef Wide* wide
    if lease.flags & WIDE:
        table.wide[lease.address] = Wide(hi, lo)
        return True
    if table.wide_count == table.wide_room:
        wide = <Wide*>realloc(table.wide, room * sizeof(Wide))
        if wide == NULL:
            return False
        table.wide = wide
        table.wide_room = room
    table.wide[table.wide_count] = Wide(hi, lo)
    lease.flags |= WIDE
    lease.address = table.wide_count
    table.wide_count += 1
    return True


cdef bint leases_reserve(LeaseTable* table, uint32_t count) noexcept nogil:
    """Reserve buckets for so many entries at once, or all there can be, while there are none: then nothing is split as
    they come."""
    while table.used == 0 and table.buckets < min(count, <uint32_t>SEGMENTS * SEGMENT):
        if not add_bucket(table):
            return False
    return True


cdef bint add_bucket(LeaseTable* table) noexcept nogil:
    """Return one more, empty; False when memory is short or there are as many as an index can count."""
    cdef uint32_t position = table.buckets
    if position >> SEGMENT_BITS >= SEGMENTS or not add_segment(table, position >> SEGMENT_BITS):
        return False
    if position > table.mask:
        table.mask = table.mask * 2 + 1
    table.buckets += 1
    return True


cdef bint split(LeaseTable* table) noexcept nogil:
    """Return one more bucket in each index, with what belongs there out of the bucket half as far. Chains keep their
    order."""
    cdef uint32_t old, new = table.buckets
    if not add_bucket(table):
        return False
    old = new & (table.mask >> 1)
    split_addresses(table, old, new)
    split_clients(table, old, new)
    return True


cdef void split_addresses(LeaseTable* table, uint32_t old, uint32_t new) noexcept nogil:
    cdef uint32_t* stays = &table.by_address[old >> SEGMENT_BITS][old & (SEGMENT - 1)]
    cdef uint32_t* moves = &table.by_address[new >> SEGMENT_BITS][new & (SEGMENT - 1)]
    cdef uint32_t index = stays[0]
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if <uint32_t>address_hash(lease.tenant_no, lease_hi(table, lease), lease_lo(table, lease)) & table.mask == new:
            moves[0] = index
            moves = &lease.address_next
        else:
            stays[0] = index
            stays = &lease.address_next
        index = lease.address_next
    stays[0] = moves[0] = NO_LEASE


cdef void split_clients(LeaseTable* table, uint32_t old, uint32_t new) noexcept nogil:
    cdef uint32_t* stays = &table.by_client[old >> SEGMENT_BITS][old & (SEGMENT - 1)]
    cdef uint32_t* moves = &table.by_client[new >> SEGMENT_BITS][new & (SEGMENT - 1)]
    cdef uint32_t index = stays[0]
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if <uint32_t>lease.client & table.mask == new:
            moves[0] = index
            moves = &lease.client_next
        else:
            stays[0] = index
            stays = &lease.client_next
        index = lease.client_next
    stays[0] = moves[0] = NO_LEASE


cdef uint32_t first_of_client(const LeaseTable* table, uint64_t client) noexcept nogil:
    """Return where the client's chain begins; it may contain other clients."""
    return head(table.by_client, table, client)[0]


cdef uint32_t lease_of_client(const LeaseTable* table, uint64_t client, const Span* span) noexcept nogil:
    """Return the client's first entry in the span, in whatever state; NO_LEASE when there is none."""
    return same_client(table, first_of_client(table, client), client, span)


cdef uint32_t next_of_client(const LeaseTable* table, uint32_t index, const Span* span) noexcept nogil:
    cdef Lease* lease = lease_at(table, index)
    return same_client(table, lease.client_next, lease.client, span)


cdef uint32_t lease_at_address(
        const LeaseTable* table, uint64_t client, uint32_t tenant_no, uint64_t lo) noexcept nogil:
    """Return the client's entry for an IPv4 address of the tenant; 0: of any tenant. NO_LEASE when there is none."""
    cdef uint32_t index = first_of_client(table, client)
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if (lease.client == client and lease.address == lo and not lease.flags & WIDE
                and (not tenant_no or lease.tenant_no == tenant_no)):
            return index
        index = lease.client_next
    return NO_LEASE


cdef uint32_t same_client(const LeaseTable* table, uint32_t index, uint64_t client, const Span* span) noexcept nogil:
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if (lease.client == client and lease.tenant_no == span.tenant_no and lease_hi(table, lease) == span.hi
                and span.first <= lease_lo(table, lease) <= span.last):
            return index
        index = lease.client_next
    return NO_LEASE


cdef void lease_set_client(LeaseTable* table, uint32_t index, uint64_t client) noexcept nogil:
    """Move the entry to the client's chain."""
    cdef Lease* lease = lease_at(table, index)
    cdef uint32_t* bucket
    if lease.client == client:
        return
    if lease.client:
        unlink_client(table, index)
    lease.client = client
    bucket = head(table.by_client, table, client)
    lease.client_next = bucket[0]
    bucket[0] = index


cdef void unlink_client(LeaseTable* table, uint32_t index) noexcept nogil:
    cdef uint32_t* link = head(table.by_client, table, lease_at(table, index).client)
    while link[0] != index:
        link = &lease_at(table, link[0]).client_next
    link[0] = lease_at(table, index).client_next
