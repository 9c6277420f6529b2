"""Check of what the configuration lets a client have: its reservation, and what the pools that are open to it
permit."""

from libc.stdint cimport int64_t, uint32_t

from dhcp_fast.dhcp6.client cimport serves
from dhcp_fast.leases.pools cimport pool_permits
from dhcp_fast.plan.compiled6 cimport NO_INDEX, index_of, range_holds
from dhcp_fast.plan.subnets6 cimport (
    is_forbidden, is_prefix_forbidden, next_on_wire, pool_of_lease, subnet_of_address)
from dhcp_fast.wire.codes6 cimport OPT6_IA_NA, OPT6_IA_PD
from dhcp_fast.wire.cursor cimport load_u64


cdef Candidate named(const IaAddress6* address) noexcept nogil:
    return Candidate(load_u64(address.address), load_u64(address.address + 8), address.length, NULL, NULL)


cdef bint reserved_lease(const Client6* client, uint16_t ia_type, Candidate* found) noexcept nogil:
    """Return the reservation's address, or its prefix."""
    if client.reservation == NULL:
        return False
    if ia_type == OPT6_IA_NA and client.reservation.has_address:
        found[0] = Candidate(client.reservation.hi, client.reservation.lo, WHOLE, client.reserved_in, NULL)
    elif ia_type == OPT6_IA_PD and client.reservation.prefix_length:
        found[0] = Candidate(client.reservation.prefix_hi, client.reservation.prefix_lo,
                             client.reservation.prefix_length, client.reserved_in, NULL)
    else:
        return False
    found.pool = pool_of(client.reserved_in, ia_type, found.hi, found.lo)
    if found.pool != NULL and index_of(found.pool, found.hi, found.lo) == NO_INDEX:
        found.pool = NULL       # it begins in the midst of one of the pool's prefixes
    return True


cdef bint may_have(const Client6* client, uint16_t ia_type, Candidate* found) noexcept nogil:
    """Return whether address or prefix may be this client's: its reservation, or out of a pool that
    is open to it. `found` then has its place.
    """
    cdef Candidate reserved
    cdef Subnet6* subnet = client.subnet
    if reserved_lease(client, ia_type, &reserved) and is_same(&reserved, found):
        found[0] = reserved
        return True
    while subnet != NULL:
        found.pool = pool_of(subnet, ia_type, found.hi, found.lo) if subnet.enabled else NULL
        if found.pool != NULL:
            found.subnet = subnet
            return serves(found.pool, client) and permits(found)
        subnet = next_on_wire(subnet, client.subnet)
    return False


cdef Pool6* pool_of(const Subnet6* subnet, uint16_t ia_type, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int i
    for i in range(subnet.pool_count):
        if subnet.pools[i].ia_type == ia_type and range_holds(&subnet.pools[i].span, hi, lo):
            return &subnet.pools[i]
    return NULL


cdef bint permits(const Candidate* found) noexcept nogil:
    """Return whether its pool gives that to anybody."""
    cdef int64_t index = index_of(found.pool, found.hi, found.lo)
    if found.prefix_length != found.pool.prefix_length:
        return False
    if found.pool.hashed:
        if found.prefix_length == WHOLE:
            return not is_forbidden(found.subnet, found.hi, found.lo)
        return index != NO_INDEX and not is_prefix_forbidden(found.subnet, found.pool, <uint64_t>index)
    return index != NO_INDEX and pool_permits(&found.pool.indices, <uint32_t>index)


cdef Subnet6* subnet_on_link(const Client6* client, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the subnet of the link that the message came by in which the address lies; NULL: it is not appropriate for
    the link (RFC 8415 section 18.3.3)."""
    cdef Subnet6* subnet = client.subnet
    while subnet != NULL:
        if range_holds(&subnet.span, hi, lo):
            return subnet
        subnet = next_on_wire(subnet, client.subnet)
    return NULL


cdef Subnet6* subnet_of(
        const State* state, const Client6* client, uint16_t ia_type, const Candidate* lease) noexcept nogil:
    """Return the subnet of a lease that the client has, perhaps of another link: by whose settings it ends; NULL: of
    none."""
    cdef const Pool6* pool
    if ia_type != OPT6_IA_PD:
        return subnet_of_address(state.plan6, lease.hi, lease.lo, client.subnet.tenant.no)
    pool = pool_of_lease(state.plan6, client.subnet.tenant.no, lease.hi, lease.lo)
    return NULL if pool == NULL else pool.subnet


cdef bint is_on_wire(const Client6* client, const Subnet6* subnet) noexcept nogil:
    cdef const Subnet6* here = client.subnet
    while here != NULL:
        if here == subnet:
            return True
        here = next_on_wire(here, client.subnet)
    return False
