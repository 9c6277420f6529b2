"""Usage of the pools, as this server sees it: free bitmaps know their size, so a look costs a few
steps per pool.

An address counts as used while a lease, its reuse margin, a quarantine or an open offer holds it.
The size of a pool excludes addresses that it never allocates (excluded, reserved, assigned).
"""

from libc.stdint cimport uint64_t
from libc.string cimport memset

from dhcp_fast.leases.pools cimport Pool
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.plan.compile cimport ServedView

cdef enum:
    REFRESHED = 1000000     # microseconds in which the database has been asked whether it is really so
    STEPS = 1000


cdef inline int fullness(const Pool* pool) noexcept nogil:
    """Return the fullness in thousandths, rounded down; a pool that has no address to give is not full."""
    return <int>((pool.usable - pool.free.count) * STEPS // pool.usable) if pool.usable else 0


def is_elected(Engine engine):
    """Return whether this server writes what one server shall write (engine rule 17)."""
    return engine.state.expirer


def subnet_numbers(Engine engine):
    return list(engine.plan.subnets)


def exhausted_pools(Engine engine, list numbers):
    """Return, of these subnets, the pools in which a client found nothing, nor would now that their leases were read
    once more (rule 19)."""
    cdef ServedView view
    cdef Pool* pool
    cdef int i
    found = []
    for no in numbers:
        view = engine.plan.subnets.get(no)
        for i in range(0 if view is None else view.pool_count()):
            pool = view.pool(i)
            if pool != NULL and pool.exhausted and engine.state.now - view.space(i).refreshed >= REFRESHED:
                pool.exhausted = False
                if pool.usable and pool.free.count == 0:
                    found.append(view.use(i))
    return found


def full_ranges(Engine engine, no):
    """Return (tenant's number, first, last address as numbers) of the subnet's pools that have nothing free."""
    cdef ServedView view = engine.plan.subnets.get(no)
    cdef Pool* pool
    cdef int i
    found = []
    for i in range(0 if view is None else view.pool_count()):
        pool = view.pool(i)
        if pool != NULL and pool.usable and pool.free.count == 0:
            use = view.use(i)
            found.append((use.tenant_no, use.first, use.last))
    return found


def pools_from(Engine engine, int percent, list numbers):
    """Return, of these subnets, the pools of which at least so many percent are in use."""
    cdef ServedView view
    cdef Pool* pool
    cdef int i
    found = []
    for no in numbers:
        view = engine.plan.subnets.get(no)
        for i in range(0 if view is None else view.pool_count()):
            pool = view.pool(i)
            if (pool != NULL and pool.usable
                    and (pool.usable - pool.free.count) * 100 >= pool.usable * <uint64_t>percent):
                found.append(view.use(i))
    return found


def fullest_pools(Engine engine, int most):
    """Return at most `most` pools, no fuller one left out; in no particular order."""
    cdef uint64_t count[STEPS + 1]
    cdef uint64_t total = 0
    cdef int i, least = STEPS
    cdef ServedView view
    memset(count, 0, sizeof(count))
    for view in engine.plan.subnets.values():
        for i in range(view.pool_count()):
            if view.pool(i) != NULL:
                count[fullness(view.pool(i))] += 1
    while least > 0 and total + count[least] < <uint64_t>most:
        total += count[least]
        least -= 1
    full = uses_from(engine, least)
    full.sort(key=share, reverse=True)
    return full[:most]


cdef list uses_from(Engine engine, int least):
    """Return the pools that are as full as that."""
    cdef ServedView view
    cdef int i
    found = []
    for view in engine.plan.subnets.values():
        for i in range(view.pool_count()):
            if view.pool(i) != NULL and fullness(view.pool(i)) >= least:
                found.append(view.use(i))
    return found


def share(use):
    return use.used / use.usable if use.usable else 0


def addresses(Engine engine):
    """Return (usable, used) of all pools together, but for those of IPv6 that are not counted."""
    cdef uint64_t usable = 0, left = 0
    cdef ServedView view
    cdef int i
    for view in engine.plan.subnets.values():
        for i in range(view.pool_count()):
            if view.pool(i) != NULL:
                usable += view.pool(i).usable
                left += view.pool(i).free.count
    return usable, usable - left
