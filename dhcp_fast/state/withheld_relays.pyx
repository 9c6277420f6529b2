"""Trusted relays whose own address lies in a pool: it is given to nobody from the first packet on (decisions: Never
leased).

The relay is counted for the next report, after which all servers read it with the plan; until then it is withheld here.
A subnet has room for so many, and an address that a client has stays with the client.
"""

from libc.stdint cimport int64_t

from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, lease_at, lease_find
from dhcp_fast.leases.pools cimport Pool, is_foreign, pool_covers, pool_permits, pool_withhold
from dhcp_fast.plan.compiled6 cimport NO_INDEX, Pool6, Range6, index_of, range_holds
from dhcp_fast.plan.subnets6 cimport is_forbidden, is_prefix_forbidden, prefix_around
from dhcp_fast.state.seen_relays cimport SeenRelay, count_relay
from dhcp_fast.structures.siphash cimport mix


cdef void see_relay(State* state, Subnet4* subnet, uint32_t giaddr) noexcept nogil:
    """Note that a packet of the relay came by; nothing is done where no pool contains its address."""
    cdef int i
    for i in range(subnet.pool_count):
        if pool_covers(&subnet.pools[i], giaddr):
            count(state, subnet.no, 0, giaddr)
            if pool_permits(&subnet.pools[i], giaddr) and subnet.relay_room:
                withhold(state, subnet, &subnet.pools[i], giaddr)
            return


cdef void withhold(State* state, Subnet4* subnet, Pool* pool, uint32_t giaddr) noexcept nogil:
    if is_foreign(subnet.space, giaddr) or is_leased(state, subnet.tenant.no, 0, giaddr):
        return
    pool_withhold(pool, giaddr)
    subnet.relay_room -= 1
    state.seen_relays.is_urgent = True


cdef void see_relay6(State* state, Subnet6* subnet, uint64_t hi, uint64_t lo) noexcept nogil:
    """Note a link-address likewise, in pools of addresses and of prefixes."""
    cdef int i
    for i in range(subnet.pool_count):
        if range_holds(&subnet.pools[i].span, hi, lo):
            count(state, subnet.no, hi, lo)
            if subnet.relay_room:
                withhold6(state, subnet, &subnet.pools[i], hi, lo)
            return


cdef void withhold6(State* state, Subnet6* subnet, Pool6* pool, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef Range6 whole = prefix_around(pool, hi, lo)
    cdef int64_t index = index_of(pool, whole.first_hi, whole.first_lo)
    if is_given_to_nobody(subnet, pool, hi, lo, index) or is_leased(
            state, subnet.tenant.no, whole.first_hi, whole.first_lo):
        return
    if not pool.hashed and index != NO_INDEX:
        pool_withhold(&pool.indices, <uint32_t>index)
    subnet.relays[subnet.relay_count] = Range6(hi, lo, hi, lo)
    subnet.relay_count += 1
    subnet.relay_room -= 1
    state.seen_relays.is_urgent = True


cdef bint is_given_to_nobody(
        const Subnet6* subnet, const Pool6* pool, uint64_t hi, uint64_t lo, int64_t index) noexcept nogil:
    if pool.shift:
        return index == NO_INDEX or is_prefix_forbidden(subnet, pool, <uint64_t>index)
    return is_forbidden(subnet, hi, lo)


cdef bint is_leased(const State* state, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef uint32_t index = lease_find(state.leases, tenant_no, hi, lo)
    return index != NO_LEASE and lease_at(state.leases, index).state == LEASE_ACTIVE


cdef void count(State* state, uint32_t subnet_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Count the value: the place is keyed, so that nobody chooses it."""
    cdef SeenRelay relay = SeenRelay(hi, lo, subnet_no, 0)
    cdef uint64_t position = mix(lo ^ mix(hi ^ state.hash_key[1] ^ subnet_no) ^ state.seen_relays.turn)
    count_relay(state.seen_relays, position, &relay)
