"""The expiry wheel: leases by the second in which something is due, a list a slot, threaded through the lease table.

It has a slot a second for a little over two hours; what is due later waits in a slot of the far half, spread so
that no second has to sort out everything, and is put again when its slot comes up. A renewal therefore touches no
wheel: the entry is looked at when its old time comes and put again.
"""

from libc.stdint cimport uint16_t

from dhcp_fast.alloc.hashing cimport mix
from dhcp_fast.alloc.leases cimport NO_LEASE, NOT_IN_WHEEL, WHEEL_SLOTS, Lease, lease_at


cdef void wheel_put(LeaseTable* table, uint32_t index, uint32_t due) noexcept nogil:
    """Have the entry come up at second `due`, or earlier to be put again; one with an earlier second stays."""
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
    """When the slot comes up: the wheel holds no second before the one that is being emptied."""
    return table.wheel_now + (slot - table.wheel_now) % WHEEL_SLOTS


cdef void wheel_remove(LeaseTable* table, uint32_t index) noexcept nogil:
    """Rare: only a lease that was shortened leaves its slot before its time."""
    cdef uint32_t* link = &table.wheel[lease_at(table, index).wheel_slot]
    while link[0] != index:
        link = &lease_at(table, link[0]).wheel_next
    link[0] = lease_at(table, index).wheel_next
    lease_at(table, index).wheel_slot = NOT_IN_WHEEL


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
    lease_at(table, index).wheel_slot = NOT_IN_WHEEL
    return index
