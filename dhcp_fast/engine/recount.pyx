"""Recount of the taken addresses of a subnet that is new to this server, or has other bounds.

It goes address by address if that is less work than one pass over the whole lease table. Either may
take longer than a packet should wait, so it can be done in slices between packets. Until the last
slice those subnets serve no client, because an address that seems free might be leased.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.circuits cimport lease_off_circuit
from dhcp_fast.leases.lease_table cimport (
    DROPPED, LEASE_ACTIVE, LEASE_EXPIRED, NO_LEASE, PARTIAL, Lease, held_mark, is_held, is_unseen, lease_at, lease_find,
    unseen_mark)
from dhcp_fast.plan.compile cimport SubnetView
from dhcp_fast.plan.compile6 cimport SubnetView6
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.plan.subnets cimport subnet_of_lease
from dhcp_fast.sharing.foreign_doubts cimport begin_doubts
from dhcp_fast.state.occupancy cimport mark_lease, mark_occupancy
from dhcp_fast.state.occupancy6 cimport mark_range as mark_indices_of
from dhcp_fast.state.state cimport State, runs


def recount_at_once(Engine engine, numbers):
    """Count again at once, for a start, when nobody waits."""
    for _ in recounting(engine, numbers, 0xFFFFFFFF):
        pass


def doubting(Engine engine, uint32_t most):
    """Yield a generator: the database's history is another one than before, so each entry counts only until its row has
    been seen there. Each step marks `most` entries; it has to be run to its end, and `sweeping` after the rows were
    read."""
    cdef uint32_t first = 1
    begin_doubts(&engine.state)
    while first <= engine.state.leases.used:
        doubt_entries(&engine.state, first, most)
        first += most
        yield


cdef void doubt_entries(State* state, uint32_t first, uint32_t most) noexcept nogil:
    cdef uint64_t index
    cdef Lease* lease
    for index in range(first, min(<uint64_t>first + most, <uint64_t>state.leases.used + 1)):
        lease = lease_at(state.leases, <uint32_t>index)
        if not lease.flags & DROPPED:
            lease.flags |= PARTIAL       # so that nothing is answered from memory
        if not is_held(lease):
            lease.version |= held_mark() | unseen_mark()


def sweeping(Engine engine, uint32_t most):
    """Return a generator.

    Each step looks at `most` entries and yields the number of leases among them that the database
    does not know any more: those are held for their clients. Other entries that it does not know
    are over.
    """
    cdef uint32_t first = 1
    while first <= engine.state.leases.used:
        yield sweep_entries(&engine.state, first, most)
        first += most


cdef uint32_t sweep_entries(State* state, uint32_t first, uint32_t most) noexcept nogil:
    cdef uint32_t held = 0
    cdef uint64_t index
    cdef Lease* lease
    for index in range(first, min(<uint64_t>first + most, <uint64_t>state.leases.used + 1)):
        lease = lease_at(state.leases, <uint32_t>index)
        if lease.flags & DROPPED:
            continue
        if is_unseen(lease):
            sweep_entry(state, lease, <uint32_t>index)
        held += is_held(lease)
    return held


cdef void sweep_entry(State* state, Lease* lease, uint32_t index) noexcept nogil:
    """Sweep an entry, of whose address no row was seen."""
    if lease.state == LEASE_ACTIVE and runs(state, lease):
        lease.version = held_mark()
        return
    lease.version = 0
    if lease.state == LEASE_ACTIVE:
        lease.state = LEASE_EXPIRED
    lease_off_circuit(&state.circuits, lease, index)
    mark_lease(state, lease)


def is_much(Engine engine, numbers, uint32_t most):
    """Return whether more than `most` addresses or leases have to be looked at."""
    return min(size_of(engine, numbers), engine.state.leases.used) > most


def recounting(Engine engine, numbers, uint32_t most):
    """Yield a generator: each step looks at `most` addresses or leases. It has to be run to its end."""
    cdef uint64_t at
    wanted = {no for no in numbers if no in engine.plan.subnets}
    for no in wanted:
        engine.plan.subnets[no].leases_counted(False)
    if size_of(engine, wanted) < engine.state.leases.used:
        for no in wanted:
            at = 0
            while no in engine.plan.subnets and at < size_of(engine, (no,)):
                mark_range(engine, engine.plan.subnets[no], at, most)
                at += most
                yield
    else:
        at = 1
        while at <= engine.state.leases.used:
            mark_entries(&engine.state, <uint32_t>at, most)
            at += most
            yield
    for no in wanted:
        view = engine.plan.subnets.get(no)
        if view is not None:
            view.leases_counted(True)


def size_of(Engine engine, numbers):
    views = (engine.plan.subnets.get(no) for no in numbers)
    return sum(view.addresses() for view in views if view is not None)


cdef int mark_range(Engine engine, view, uint64_t first, uint32_t most) except -1:
    if engine.family == 4:
        mark_addresses(&engine.state, &(<SubnetView?>view).subnet, first, most)
    else:
        mark_indices(&engine.state, &(<SubnetView6?>view).subnet, first, most)
    return 0


cdef void mark_addresses(State* state, Subnet4* subnet, uint64_t first, uint32_t most) noexcept nogil:
    cdef uint64_t at
    for at in range(first, min(first + most, subnet.space.size)):
        if lease_find(state.leases, subnet.tenant.no, 0, subnet.network + at) != NO_LEASE:
            mark_occupancy(state, subnet, <uint32_t>(subnet.network + at))


cdef void mark_indices(State* state, Subnet6* subnet, uint64_t first, uint64_t most) noexcept nogil:
    """Mark the indices of a subnet's pools with bitmaps, one behind the other."""
    cdef int i
    cdef uint64_t size
    for i in range(subnet.pool_count):
        if subnet.pools[i].hashed:
            continue
        size = subnet.pools[i].size
        if first < size:
            mark_indices_of(state, &subnet.pools[i], first, most)
            most -= min(most, size - first)
        first -= min(first, size)


cdef void mark_entries(State* state, uint32_t first, uint32_t most) noexcept nogil:
    cdef uint64_t index
    for index in range(first, min(<uint64_t>first + most, <uint64_t>state.leases.used + 1)):
        if state.plan6 != NULL:
            mark_lease(state, lease_at(state.leases, <uint32_t>index))
        else:
            mark_entry(state, lease_at(state.leases, <uint32_t>index))


cdef inline void mark_entry(State* state, const Lease* lease) noexcept nogil:
    cdef Subnet4* subnet = subnet_of_lease(state.plan, lease)
    if subnet != NULL and subnet.space.uncounted:
        mark_occupancy(state, subnet, lease.address)
