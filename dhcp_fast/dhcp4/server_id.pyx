"""Choice of the server identifier (option 54) and the source address of an answer (RFC 2131 section
4.1; decisions: Server identifier and source address).

A packet to an address of ours, from a relay or a client, is answered from there. A broadcast on a
link is answered from the interface's address in the client's subnet, else from its first global
one. Option 54 contains that source, unless the relay overrides it (RFC 5107), or the client names
another address of ours.
"""

from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.state.own_addresses cimport OwnAddress, addresses_on

cdef enum:
    GLOBAL = 0      # scope, rtnetlink(7)


cdef uint32_t address_on_link(
        const State* state, const Slot* slot, const Subnet4* subnet, uint32_t named) noexcept nogil:
    """Return the interface's address that the client names, else the first in its subnet, the first
    global one, the first. The kernel's choice counts if it is in the subnet, because it is never
    out of date, and for an engine without known addresses.
    """
    cdef int i, count
    cdef const OwnAddress* own = addresses_on(&state.own, slot.rx.ifindex, &count)
    cdef uint32_t chosen = 0
    cdef int rank, best = 0
    if state.own.count == 0 or count and not named and is_in(subnet, slot.rx.ours):
        return slot.rx.ours
    for i in range(count):
        rank = rank_of(&own[i], subnet, named)
        if rank > best:
            chosen = <uint32_t>own[i].lo
            best = rank
    return chosen


cdef inline int rank_of(const OwnAddress* own, const Subnet4* subnet, uint32_t named) noexcept nogil:
    if own.lo == named:
        return 4
    if is_in(subnet, <uint32_t>own.lo):
        return 3
    return 2 if own.scope == GLOBAL else 1


cdef inline bint is_in(const Subnet4* subnet, uint32_t address) noexcept nogil:
    return subnet != NULL and subnet.network <= address <= subnet.last
