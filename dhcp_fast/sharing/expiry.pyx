"""Expiry of leases and quarantines, of offers, and of knowledge about other workers' leases (engine rule 17).
"""

from libc.stdint cimport uint64_t

from dhcp_fast.leases.circuits cimport forget_circuit, lease_off_circuit
from dhcp_fast.leases.expiry_wheel cimport wheel_put, wheel_take
from dhcp_fast.leases.lease_operation cimport OP_EXPIRE
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, LEASE_EXPIRED, LEASE_FOREIGN, LEASE_OWN, LEASE_SHARED, NO_LEASE, WIDE, Lease, is_held, lease_at,
    lease_drop)
from dhcp_fast.leases.offers cimport NO_OFFER
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.sharing.foreign_doubts cimport end_doubts
from dhcp_fast.sharing.lease_cache cimport round_down, second_behind
from dhcp_fast.sharing.lease_ownership cimport set_holding
from dhcp_fast.state.occupancy cimport end_offer, mark_lease
from dhcp_fast.state.occupancy6 cimport lapse_offer as lapse_offer6
from dhcp_fast.state.queue cimport enqueue_own
from dhcp_fast.state.slot cimport SLOTS
from dhcp_fast.state.state cimport clock_in_doubt, database_now, forgotten_at, shift_of

cdef enum:
    MOST_LAPSES = 16384         # a call
    EXPIRY_RETRY = 30           # seconds until an unwritten expiry is looked at again
    EXPIRING = SLOTS // 4       # slots in use from which expiries wait, so that packets find one


cdef int tick(State* state, int most) noexcept nogil:
    """Look at up to `most` entries whose time has come (rule 17); how many there were."""
    cdef int count = 0
    cdef uint32_t index, now
    if not state.clock.known or clock_in_doubt(state):
        return 0
    if state.expirer and state.queue.in_use > EXPIRING:
        return 0
    now = round_down(database_now(state) - state.clock.bound)
    if state.doubts_end:
        count = end_doubts(state, now, most)
    while count < most:
        index = wheel_take(state.leases, now)
        if index == NO_LEASE:
            break
        count += 1
        at_its_time(state, index, now)
    return count


cdef void at_its_time(State* state, uint32_t index, uint32_t now) noexcept nogil:
    cdef Lease* lease = lease_at(state.leases, index)
    cdef uint32_t later
    if lease.flags & LEASE_FOREIGN:
        look_at_foreign(state, index, now)
        return
    later = shift_of(state, lease)
    if lease.state == LEASE_ACTIVE and <uint64_t>lease.expires + later >= now:
        wheel_put(state.leases, index, second_behind(lease.expires, later + 1))     # renewed meanwhile, or held back
        return
    if is_held(lease):
        lease.state = LEASE_EXPIRED     # the database knows no row of it that could expire
    lease_off_circuit(&state.circuits, lease, index)
    if (lease.state == LEASE_ACTIVE and not lease.flags & LEASE_SHARED and state.expirer
            and state.now >= state.clock.paused_until):
        enqueue_own(state.queue, state.leases, lease, OP_EXPIRE, NULL)
    if <uint64_t>lease.reuse + later > now:
        wheel_put(state.leases, index, second_behind(lease.reuse, later))
        return
    mark_lease(state, lease)
    if lease.state == LEASE_ACTIVE:
        wheel_put(state.leases, index, now + EXPIRY_RETRY)
    elif lease.flags & WIDE and state.freed_seconds:
        forget_in_time(state, index, now)


cdef void forget_in_time(State* state, uint32_t index, uint32_t now) noexcept nogil:
    """Forget an IPv6 lease that ended: the addresses of a /64 are too many to keep all past ones.

    If the database still has the row, a grant that takes it for new is refused and retried like any
    other (bind).
    """
    cdef Lease* lease = lease_at(state.leases, index)
    if forgotten_at(state, lease) > now:
        wheel_put(state.leases, index, forgotten_at(state, lease))
        return
    forget_circuit(&state.circuits, lease, index)
    set_holding(state, lease, LEASE_OWN)
    lease_drop(state.leases, index)


cdef void look_at_foreign(State* state, uint32_t index, uint32_t now) noexcept nogil:
    """Forget the entry of a foreign lease when its address is settled and its grace over; its bit
    is enough (sharing/lease_ownership.pxd).
    """
    cdef Lease lease = lease_at(state.leases, index)[0]
    if lease.state != LEASE_ACTIVE and lease.reuse > now:
        wheel_put(state.leases, index, lease.reuse)
    elif lease.renewed > now:
        mark_lease(state, &lease)
        wheel_put(state.leases, index, lease.renewed)
    else:
        set_holding(state, lease_at(state.leases, index), LEASE_OWN)
        lease_drop(state.leases, index)
        mark_lease(state, &lease)


cdef void lapse_offers(State* state) noexcept nogil:
    """Give back what was offered and not requested in time; a flood's offers over several calls."""
    cdef int count = 0
    cdef uint32_t index = state.offers.oldest
    while index != NO_OFFER and state.offers.at[index].expires <= state.now // 1000 and count < MOST_LAPSES:
        count += 1
        if not (lapse_offer(state, index) if state.plan6 == NULL else lapse_offer6(state, index)):
            return
        index = state.offers.oldest


cdef bint lapse_offer(State* state, uint32_t index) noexcept nogil:
    """End an expired offer. False if its subnet is not known."""
    cdef Subnet4* subnet = subnet_by_no(state.plan, state.offers.at[index].subnet_no)
    if subnet == NULL:
        return False
    end_offer(state, subnet, index)
    return True
