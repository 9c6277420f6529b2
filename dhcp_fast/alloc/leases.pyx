"""Lease table: 88 bytes an address and two chained hash indexes; an expiry wheel threaded through the entries.

Entries live in chunks that never move, so an index stays valid and growth copies only the bucket heads. The wheel has
a slot a second for a little over two hours; what is due later waits in a slot of the far half, spread so that no
second has to sort out everything, and is put again when its slot comes up. A renewal therefore touches no wheel: the
entry is looked at when its old time comes and put again.
"""

from libc.stdlib cimport calloc, free, realloc

from dhcp_fast.alloc.hashing cimport mix


cdef LeaseTable* leases_new() noexcept nogil:
    cdef LeaseTable* table = <LeaseTable*>calloc(1, sizeof(LeaseTable))
    if table == NULL:
        return NULL
    table.mask = 0xFFFF
    table.by_address = <uint32_t*>calloc(table.mask + 1, 4)
    table.by_client = <uint32_t*>calloc(table.mask + 1, 4)
    if table.by_address == NULL or table.by_client == NULL or not add_chunk(table):
        leases_free(table)
        return NULL
    return table


cdef void leases_free(LeaseTable* table) noexcept nogil:
    cdef uint32_t i
    if table == NULL:
        return
    for i in range(table.chunk_count):
        free(table.chunks[i])
    free(table.chunks)
    free(table.by_address)
    free(table.by_client)
    free(table)


cdef bint add_chunk(LeaseTable* table) noexcept nogil:
    cdef Lease** chunks = <Lease**>realloc(table.chunks, (table.chunk_count + 1) * sizeof(Lease*))
    if chunks == NULL:
        return False
    table.chunks = chunks
    chunks[table.chunk_count] = <Lease*>calloc(CHUNK, sizeof(Lease))
    if chunks[table.chunk_count] == NULL:
        return False
    table.chunk_count += 1
    return True


cdef inline uint32_t address_bucket(const LeaseTable* table, uint32_t tenant, uint64_t hi, uint64_t lo) noexcept nogil:
    return <uint32_t>mix(lo ^ mix(hi ^ (<uint64_t>tenant << 40))) & table.mask


cdef uint32_t lease_find(const LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Index of the address's entry, or NO_LEASE."""
    cdef uint32_t index = table.by_address[address_bucket(table, tenant_no, hi, lo)]
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if lease.lo == lo and lease.hi == hi and lease.tenant_no == tenant_no:
            return index
        index = lease.address_next
    return NO_LEASE


cdef uint32_t lease_make(LeaseTable* table, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Index of the address's entry, made empty when there was none; NO_LEASE when memory is short."""
    cdef uint32_t bucket, index = lease_find(table, tenant_no, hi, lo)
    cdef Lease* lease
    if index != NO_LEASE:
        return index
    if table.used > table.mask and not grow(table):
        return NO_LEASE
    if table.used + 1 == table.chunk_count << CHUNK_BITS and not add_chunk(table):
        return NO_LEASE
    table.used += 1
    index = table.used
    lease = lease_at(table, index)
    lease.tenant_no = tenant_no
    lease.hi = hi
    lease.lo = lo
    bucket = address_bucket(table, tenant_no, hi, lo)
    lease.address_next = table.by_address[bucket]
    table.by_address[bucket] = index
    return index


cdef bint grow(LeaseTable* table) noexcept nogil:
    """Twice the buckets; only the heads are new, the entries stay where they are."""
    cdef uint32_t i, bucket, mask = table.mask * 2 + 1
    cdef uint32_t* by_address = <uint32_t*>calloc(<size_t>mask + 1, 4)
    cdef uint32_t* by_client = <uint32_t*>calloc(<size_t>mask + 1, 4)
    cdef Lease* lease
    if by_address == NULL or by_client == NULL:
        free(by_address)
        free(by_client)
        return False
    free(table.by_address)
    free(table.by_client)
    table.by_address = by_address
    table.by_client = by_client
    table.mask = mask
    for i in range(1, table.used + 1):
        lease = lease_at(table, i)
        bucket = address_bucket(table, lease.tenant_no, lease.hi, lease.lo)
        lease.address_next = by_address[bucket]
        by_address[bucket] = i
        if lease.client:
            bucket = <uint32_t>lease.client & mask
            lease.client_next = by_client[bucket]
            by_client[bucket] = i
    return True


cdef uint32_t lease_of_client(const LeaseTable* table, uint64_t client, const Span* span) noexcept nogil:
    """The client's first entry in the span, in whatever state; NO_LEASE when there is none."""
    return same_client(table, table.by_client[<uint32_t>client & table.mask], client, span)


cdef uint32_t next_of_client(const LeaseTable* table, uint32_t index, const Span* span) noexcept nogil:
    cdef Lease* lease = lease_at(table, index)
    return same_client(table, lease.client_next, lease.client, span)


cdef uint32_t lease_at_address(const LeaseTable* table, uint64_t client, uint64_t lo) noexcept nogil:
    """The client's entry for an IPv4 address, whichever tenant's; NO_LEASE when there is none."""
    cdef uint32_t index = table.by_client[<uint32_t>client & table.mask]
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if lease.client == client and lease.lo == lo and lease.hi == 0:
            return index
        index = lease.client_next
    return NO_LEASE


cdef uint32_t same_client(const LeaseTable* table, uint32_t index, uint64_t client, const Span* span) noexcept nogil:
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(table, index)
        if (lease.client == client and lease.tenant_no == span.tenant_no and lease.hi == span.hi
                and span.first <= lease.lo <= span.last):
            return index
        index = lease.client_next
    return NO_LEASE


cdef void lease_set_client(LeaseTable* table, uint32_t index, uint64_t client) noexcept nogil:
    """Move the entry to the client's chain."""
    cdef Lease* lease = lease_at(table, index)
    cdef uint32_t bucket
    if lease.client == client:
        return
    if lease.client:
        unlink_client(table, index)
    lease.client = client
    bucket = <uint32_t>client & table.mask
    lease.client_next = table.by_client[bucket]
    table.by_client[bucket] = index


cdef void unlink_client(LeaseTable* table, uint32_t index) noexcept nogil:
    cdef uint32_t* link = &table.by_client[<uint32_t>lease_at(table, index).client & table.mask]
    while link[0] != index:
        link = &lease_at(table, link[0]).client_next
    link[0] = lease_at(table, index).client_next


cdef void wheel_put(LeaseTable* table, uint32_t index, uint32_t due) noexcept nogil:
    """Have the entry come up at second `due`, or earlier to be put again; one with an earlier second stays."""
    cdef Lease* lease = lease_at(table, index)
    if due <= table.wheel_now:
        due = table.wheel_now + 1
    if due - table.wheel_now >= WHEEL_SLOTS:
        due = table.wheel_now + WHEEL_SLOTS // 2 + <uint32_t>(mix(index) % (WHEEL_SLOTS // 2 - 1))
    if lease.wheel_due:
        if lease.wheel_due <= due:
            return
        wheel_remove(table, index)
    lease.wheel_due = due
    lease.wheel_next = table.wheel[due % WHEEL_SLOTS]
    table.wheel[due % WHEEL_SLOTS] = index


cdef void wheel_remove(LeaseTable* table, uint32_t index) noexcept nogil:
    """Rare: only a lease that was shortened leaves its slot before its time."""
    cdef uint32_t* link = &table.wheel[lease_at(table, index).wheel_due % WHEEL_SLOTS]
    while link[0] != index:
        link = &lease_at(table, link[0]).wheel_next
    link[0] = lease_at(table, index).wheel_next
    lease_at(table, index).wheel_due = 0


cdef uint32_t wheel_take(LeaseTable* table, uint32_t now) noexcept nogil:
    """The next entry whose time has come, out of the wheel; NO_LEASE when none is left for `now`."""
    cdef uint32_t index
    if now > table.wheel_now + WHEEL_SLOTS:
        table.wheel_now = now - WHEEL_SLOTS     # after a long sleep every slot is due once
    while table.wheel[table.wheel_now % WHEEL_SLOTS] == NO_LEASE:
        if table.wheel_now >= now:
            return NO_LEASE
        table.wheel_now += 1
    index = table.wheel[table.wheel_now % WHEEL_SLOTS]
    table.wheel[table.wheel_now % WHEEL_SLOTS] = lease_at(table, index).wheel_next
    lease_at(table, index).wheel_due = 0
    return index


cdef class Leases:
    """One lease table with its wheel, shown to Python for the model test; entries are named by their index."""

    cdef LeaseTable* table

    def __cinit__(self, uint32_t now=0):
        self.table = leases_new()
        if self.table == NULL:
            raise MemoryError
        self.table.wheel_now = now

    def __dealloc__(self):
        leases_free(self.table)

    def make(self, uint32_t tenant_no, uint64_t address, uint64_t client):
        cdef uint32_t index = lease_make(self.table, tenant_no, 0, address)
        if index == NO_LEASE:
            raise MemoryError
        lease_set_client(self.table, index, client)
        return index

    def find(self, uint32_t tenant_no, uint64_t address):
        return lease_find(self.table, tenant_no, 0, address)

    def of_client(self, uint64_t client, uint32_t tenant_no, uint64_t first, uint64_t last):
        """Indexes of the client's entries in first .. last."""
        cdef Span span = Span(0, first, last, tenant_no)
        cdef uint32_t index = lease_of_client(self.table, client, &span)
        found = []
        while index != NO_LEASE:
            found.append(index)
            index = next_of_client(self.table, index, &span)
        return found

    def put(self, uint32_t index, uint32_t due):
        wheel_put(self.table, index, due)

    def take(self, uint32_t now):
        return wheel_take(self.table, now)
