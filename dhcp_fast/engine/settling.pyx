"""Which addresses of a subnet are taken, where nobody has counted yet: it is new to this server, or has other bounds.

Address by address where that is less work than one pass over the whole lease table. Either may take longer than a
packet should wait, so it can be done in slices between packets; until the last of them nobody is served in those
subnets, for what seems free might be somebody's.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.alloc.circuits cimport lease_off_circuit
from dhcp_fast.alloc.leases cimport LEASE_EXPIRED, NO_LEASE, Lease, lease_at, lease_find
from dhcp_fast.alloc.pools cimport forget_foreign
from dhcp_fast.engine.choose cimport settle
from dhcp_fast.engine.compile cimport SubnetView
from dhcp_fast.engine.core cimport Engine
from dhcp_fast.engine.plan cimport subnet_of_lease
from dhcp_fast.engine.state cimport State
from dhcp_fast.engine.view cimport Subnet4


def settle_at_once(Engine engine, numbers):
    """For a start, when nobody waits."""
    for _ in settling(engine, numbers, 0xFFFFFFFF):
        pass


def forget_leases(Engine engine):
    """The database is another one than before: nothing that the cache holds counts any more."""
    cdef uint32_t index
    cdef Lease* lease
    cdef SubnetView view
    for index in range(1, engine.state.leases.used + 1):
        lease = lease_at(engine.state.leases, index)
        lease.version = 0
        lease.reuse = 0
        lease.state = LEASE_EXPIRED
        lease_off_circuit(&engine.state.circuits, lease, index)
    for no in engine.plan.subnets:
        view = engine.plan.subnets[no]
        forget_foreign(view.subnet.space)
    settle_at_once(engine, list(engine.plan.subnets))


def is_much(Engine engine, numbers, uint32_t most):
    """Whether more than `most` addresses or leases have to be looked at."""
    return min(size_of(engine, numbers), <uint64_t>engine.state.leases.used) > most


def settling(Engine engine, numbers, uint32_t most):
    """A generator: each step looks at `most` addresses or leases. It has to be run to its end."""
    cdef uint64_t at
    cdef SubnetView view
    wanted = {no for no in numbers if no in engine.plan.subnets}
    for no in wanted:
        view = engine.plan.subnets[no]
        view.subnet.enabled = False
        view.subnet.space.settling = True
    if size_of(engine, wanted) < engine.state.leases.used:
        for no in wanted:
            at = 0
            while no in engine.plan.subnets and at < size_of(engine, (no,)):
                view = engine.plan.subnets[no]
                settle_range(&engine.state, &view.subnet, at, most)
                at += most
                yield
    else:
        at = 1
        while at <= engine.state.leases.used:
            settle_entries(&engine.state, <uint32_t>at, most)
            at += most
            yield
    for no in wanted:
        view = engine.plan.subnets.get(no)
        if view is not None:
            view.subnet.space.settling = False
            view.subnet.enabled = view.enabled


cdef uint64_t size_of(Engine engine, object numbers) except? 0:
    cdef uint64_t total = 0
    cdef SubnetView view
    for no in numbers:
        view = engine.plan.subnets.get(no)
        if view is not None:
            total += view.subnet.space.size
    return total


cdef void settle_range(State* state, Subnet4* subnet, uint64_t first, uint32_t most) noexcept nogil:
    cdef uint64_t at
    for at in range(first, min(first + most, subnet.space.size)):
        if lease_find(state.leases, subnet.tenant.no, 0, subnet.network + at) != NO_LEASE:
            settle(state, subnet, <uint32_t>(subnet.network + at))


cdef void settle_entries(State* state, uint32_t first, uint32_t most) noexcept nogil:
    cdef uint64_t index
    cdef Subnet4* subnet
    for index in range(first, min(<uint64_t>first + most, <uint64_t>state.leases.used + 1)):
        subnet = subnet_of_lease(state.plan, lease_at(state.leases, <uint32_t>index))
        if subnet != NULL and subnet.space.settling:
            settle(state, subnet, lease_at(state.leases, <uint32_t>index).address)
