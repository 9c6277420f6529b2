"""The circuits of leases: a growing hash table whose entries live while something refers to them.

The circuit of a lease entry is stored beside the lease table, because most servers set no limit. It
is known by index, so a count never depends on unique hashes. The entry refers to its circuit in
every state, because a late renewal without a relay revives a lease on the circuit of its row. It is
counted only while the lease is active. Each change of a lease goes through `lease_on_circuit`, its
end by time through `lease_off_circuit`.
"""

from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.leases.lease_table cimport COUNTED, LEASE_ACTIVE, LEASE_EXPIRED

cdef enum:
    FIRST_ROOM = 1024


cdef bint circuits_init(CircuitTable* table, uint32_t limit) noexcept nogil:
    """Return False when memory is short; without a limit nothing is kept."""
    memset(table, 0, sizeof(CircuitTable))
    table.limit = limit
    if limit == 0:
        return True
    if not grow(table):
        return False
    memset(table.at, 0, sizeof(Circuit))    # index 0, "none", may be read
    return True


cdef void circuits_clear(CircuitTable* table) noexcept nogil:
    free(table.at)
    free(table.buckets)
    free(table.of_lease)
    table.at = NULL
    table.buckets = NULL
    table.of_lease = NULL
    table.lease_room = 0


cdef bint grow(CircuitTable* table) noexcept nogil:
    """Grow to twice the room; entries keep their index."""
    cdef uint32_t i, room = table.room * 2 if table.room else FIRST_ROOM
    cdef uint32_t* buckets = <uint32_t*>calloc(room, sizeof(uint32_t))
    cdef Circuit* at = <Circuit*>realloc(table.at, room * sizeof(Circuit))
    if at != NULL:
        table.at = at
    if at == NULL or buckets == NULL:
        free(buckets)
        return False
    free(table.buckets)
    table.buckets = buckets
    table.room = room
    for i in range(1, table.used + 1):
        link_in(table, i)
    return True


cdef inline uint32_t* bucket_of(const CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil:
    return &table.buckets[mix(name ^ mix(relay)) & (table.room - 1)]


cdef inline void link_in(CircuitTable* table, uint32_t index) noexcept nogil:
    cdef uint32_t* bucket = bucket_of(table, table.at[index].relay, table.at[index].name)
    table.at[index].next = bucket[0]
    bucket[0] = index


cdef uint32_t circuit_find(const CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil:
    cdef uint32_t index = bucket_of(table, relay, name)[0]
    while index != NO_CIRCUIT and (table.at[index].name != name or table.at[index].relay != relay):
        index = table.at[index].next
    return index


cdef uint32_t circuit_take(CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil:
    """Return one more reference to the circuit, which is made if it was not there; NO_CIRCUIT when memory is short."""
    cdef uint32_t index = circuit_find(table, relay, name)
    if index == NO_CIRCUIT:
        index = make(table, relay, name)
    if index != NO_CIRCUIT:
        table.at[index].held += 1
    return index


cdef uint32_t make(CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil:
    cdef uint32_t index = table.free_list
    if index != NO_CIRCUIT:
        table.free_list = table.at[index].next
    else:
        # Only a table without holes grows, so that every entry up to `used` belongs into a bucket.
        if table.used + 1 == table.room and not grow(table):
            return NO_CIRCUIT
        table.used += 1
        index = table.used
    memset(&table.at[index], 0, sizeof(Circuit))
    table.at[index].relay = relay
    table.at[index].name = name
    link_in(table, index)
    return index


cdef void circuit_drop(CircuitTable* table, uint32_t index) noexcept nogil:
    """Drop one reference; the last one frees the entry."""
    cdef Circuit* circuit = &table.at[index]
    cdef uint32_t* link
    circuit.held -= 1
    if circuit.held:
        return
    link = bucket_of(table, circuit.relay, circuit.name)
    while link[0] != index:
        link = &table.at[link[0]].next
    link[0] = circuit.next
    circuit.next = table.free_list
    table.free_list = index


cdef bint lease_on_circuit(
        CircuitTable* table, Lease* lease, uint32_t index, uint64_t relay, uint64_t name) noexcept nogil:
    """Note that the lease, in the state that it now has, is of this circuit (0, 0: of none). False when memory is
    short."""
    cdef uint32_t before
    if index >= table.lease_room and not make_room(table, index):
        return False
    before = table.of_lease[index]
    lease_off_circuit(table, lease, index)
    table.of_lease[index] = circuit_take(table, relay, name) if relay or name else <uint32_t>NO_CIRCUIT
    if before != NO_CIRCUIT:
        circuit_drop(table, before)
    if table.of_lease[index] != NO_CIRCUIT and lease.state == LEASE_ACTIVE:
        lease.flags |= COUNTED
        table.at[table.of_lease[index]].active += 1
    return True


cdef bint make_room(CircuitTable* table, uint32_t index) noexcept nogil:
    cdef uint32_t room = max(index + 1, table.lease_room * 2)
    cdef uint32_t* of_lease = <uint32_t*>realloc(table.of_lease, <size_t>room * sizeof(uint32_t))
    if of_lease == NULL:
        return False
    memset(of_lease + table.lease_room, 0, (room - table.lease_room) * sizeof(uint32_t))
    table.of_lease = of_lease
    table.lease_room = room
    return True


cdef void lease_off_circuit(CircuitTable* table, Lease* lease, uint32_t index) noexcept nogil:
    """Note that the lease no longer runs; its circuit is kept."""
    if lease.flags & COUNTED:
        lease.flags &= ~COUNTED
        table.at[table.of_lease[index]].active -= 1


cdef void forget_circuit(CircuitTable* table, Lease* lease, uint32_t index) noexcept nogil:
    """Forget the circuit of a dropped entry; the one that takes its place is of no circuit."""
    lease_off_circuit(table, lease, index)
    if index < table.lease_room and table.of_lease[index] != NO_CIRCUIT:
        circuit_drop(table, table.of_lease[index])
        table.of_lease[index] = NO_CIRCUIT


cdef class Circuits:
    """A table and 256 lease entries, shown to Python for the model test."""

    cdef CircuitTable table
    cdef Lease leases[256]

    def __cinit__(self, uint32_t limit):
        memset(self.leases, 0, sizeof(self.leases))
        if not circuits_init(&self.table, limit):
            raise MemoryError

    def __dealloc__(self):
        circuits_clear(&self.table)

    def write(self, uint8_t address, uint64_t relay, uint64_t name, bint active):
        self.leases[address].state = LEASE_ACTIVE if active else LEASE_EXPIRED
        if not lease_on_circuit(&self.table, &self.leases[address], address, relay, name):
            raise MemoryError

    def end(self, uint8_t address):
        lease_off_circuit(&self.table, &self.leases[address], address)

    def forget(self, uint8_t address):
        forget_circuit(&self.table, &self.leases[address], address)

    def take(self, uint64_t relay, uint64_t name):
        return circuit_take(&self.table, relay, name)

    def drop(self, uint32_t index):
        circuit_drop(&self.table, index)

    def active(self, uint64_t relay, uint64_t name):
        """Return leases that run on the circuit; None when nothing refers to it."""
        cdef uint32_t index = circuit_find(&self.table, relay, name)
        return None if index == NO_CIRCUIT else self.table.at[index].active

    def __len__(self):
        """Return the number of circuits that something refers to."""
        cdef uint32_t i, count = 0
        for i in range(1, self.table.used + 1):
            count += self.table.at[i].held != 0
        return count
