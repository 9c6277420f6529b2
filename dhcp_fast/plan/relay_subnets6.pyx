"""Index of the subnets that name a relay's link-address in `relay_addresses`.

A link-local link-address is unique on its link only (RFC 7969 section 3.2), so several subnets may
name the same one. The source address of the relay decides between them.
"""

cdef enum:
    LINK_LOCAL = 0x3FA          # the first ten bits of a link-local address

cdef enum Claim:
    OTHER_RELAYS = 1
    ANY_RELAY
    THIS_RELAY


cdef int next_naming(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no, int after) noexcept nogil:
    """Return the place of the tenant's next subnet that names the address in relay_addresses, by number; `after` -1: of
    the first. -1: there is no more."""
    cdef int at = after + 1 if after >= 0 else relay_addresses_before(plan, hi, lo)
    cdef const RelayAddress6* here
    while at < plan.relay_address_count:
        here = &plan.relay_addresses[at]
        if here.hi != hi or here.lo != lo:
            return -1
        if here.subnet.tenant.no == tenant_no:
            return at
        at += 1
    return -1


cdef int relay_addresses_before(const PlanView6* plan, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int low = 0, high = plan.relay_address_count, middle
    cdef const RelayAddress6* here
    while low < high:
        middle = (low + high) // 2
        here = &plan.relay_addresses[middle]
        if here.hi < hi or here.hi == hi and here.lo < lo:
            low = middle + 1
        else:
            high = middle
    return low


# --- link-local link-addresses

cdef Subnet6* subnet_of_link_local(const PlanView6* plan, const LinkLocal* link, uint32_t tenant_no,
                                   bint* several) noexcept nogil:
    """Return the tenant's subnet that names the link-address.

    If there are several, return the one that also names the source address of the relay, else the
    only one that names no such address. `several` is set if neither decides.
    """
    cdef int at = next_naming(plan, link.hi, link.lo, tenant_no, -1)
    cdef Subnet6* found = NULL
    cdef Subnet6* subnet
    cdef int rank, best = 0
    several[0] = False
    while at >= 0:
        subnet = plan.relay_addresses[at].subnet
        rank = claim_of(plan, link, subnet)
        if rank > best:
            best = rank
            found = subnet
            several[0] = False
        elif rank == best and not shares_wire(subnet, found):
            several[0] = True
        at = next_naming(plan, link.hi, link.lo, tenant_no, at)
    return NULL if several[0] else found


cdef int claim_of(const PlanView6* plan, const LinkLocal* link, const Subnet6* subnet) noexcept nogil:
    """Return how well a subnet that names the link-address fits the relay: the least is that it names other relays."""
    cdef int i, claim = ANY_RELAY
    cdef const RelayAddress6* named
    for i in range(plan.relay_address_count):
        named = &plan.relay_addresses[i]
        if named.subnet != subnet or named.hi >> 54 == LINK_LOCAL:
            continue
        if named.hi == link.source_hi and named.lo == link.source_lo:
            return THIS_RELAY
        claim = OTHER_RELAYS
    return claim


cdef bint shares_wire(const Subnet6* subnet, const Subnet6* other) noexcept nogil:
    cdef const Subnet6* here = other.next_on_wire
    while here != NULL and here != other and here != subnet:
        here = here.next_on_wire
    return here == subnet
