"""The expiry wheel: leases by the second in which something is due, a list per slot, threaded
through the lease table.

It has a slot per second for a little over two hours. Later entries wait in a slot of the far half,
spread so that no second has to sort out everything, and are put again when their slot comes up. A
renewal therefore touches no wheel: the entry is looked at when its old time comes and put again.
"""

from libc.stdint cimport uint16_t, uint64_t

from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.leases.lease_table cimport (
    NO_LEASE, NOT_IN_WHEEL, WHEEL_SLOTS, Lease, Span, lease_at, lease_drop, lease_find, lease_make, lease_of_client,
    lease_set_client, leases_free, leases_new, next_of_client)


cdef void wheel_put(LeaseTable* table, uint32_t index, uint32_t due) noexcept nogil:
    """Put the entry into the slot of second `due`, or an earlier one from which it is put again; an
    entry with an earlier second stays.
    """
    cdef Lease* lease = lease_at(table, index)
    if due <= table.wheel_now:
        due = table.wheel_now + 1
    if due - table.wheel_now >= WHEEL_SLOTS:
        due = table.wheel_now + WHEEL_SLOTS // 2 + <uint32_t>(mix(index) % (WHEEL_SLOTS // 2 - 1))
    if lease.wheel_slot != NOT_IN_WHEEL:
        if second_of(table, lease.wheel_slot) <= due:
            return
        wheel_remove(table, index)
    lease.wheel_slot = <uint16_t>(due % WHEEL_SLOTS)
    lease.wheel_next = table.wheel[lease.wheel_slot]
    table.wheel[lease.wheel_slot] = index


cdef inline uint32_t second_of(const LeaseTable* table, uint16_t slot) noexcept nogil:
    """Return when the slot comes up: the wheel holds no second before the one that is being emptied."""
    return table.wheel_now + (slot - table.wheel_now) % WHEEL_SLOTS


cdef void wheel_remove(LeaseTable* table, uint32_t index) noexcept nogil:
    """Remove an entry that was shortened and leaves its slot before its time, which is rare."""
    cdef uint32_t* link = &table.wheel[lease_at(table, index).wheel_slot]
    while link[0] != index:
        link = &lease_at(table, link[0]).wheel_next
    link[0] = lease_at(table, index).wheel_next
    lease_at(table, index).wheel_slot = NOT_IN_WHEEL


cdef uint32_t wheel_take(LeaseTable* table, uint32_t now) noexcept nogil:
    """Take the next entry whose time has come, out of the wheel; NO_LEASE when none is left for `now`."""
    cdef uint32_t index
    if now > table.wheel_now + WHEEL_SLOTS:
        table.wheel_now = now - WHEEL_SLOTS     # after a long sleep every slot is due once
    while table.wheel[table.wheel_now % WHEEL_SLOTS] == NO_LEASE:
        if table.wheel_now >= now:
            return NO_LEASE
        table.wheel_now += 1
    index = table.wheel[table.wheel_now % WHEEL_SLOTS]
    table.wheel[table.wheel_now % WHEEL_SLOTS] = lease_at(table, index).wheel_next
    lease_at(table, index).wheel_slot = NOT_IN_WHEEL
    return index


cdef class Leases:
    """A lease table with its wheel, for the model test in Python; entries are named by their index."""

    cdef LeaseTable* table

    def __cinit__(self, uint32_t now=0, bint ipv6=False):
        self.table = leases_new(ipv6)
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
        """Return indexes of the client's entries in first .. last."""
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

    def drop(self, uint32_t index):
        """Drop an entry that is not in the wheel."""
        lease_drop(self.table, index)

    def __len__(self):
        return self.table.used - self.table.dropped

    @property
    def entries_made(self):
        """Return entries for which memory was taken."""
        return self.table.used
