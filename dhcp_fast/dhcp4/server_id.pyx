"""Which of our addresses an answer names in option 54, and from which one it leaves (RFC 2131 section 4.1; decisions:
Server identifier and source address).

What came to an address of ours, from a relay or a client, is answered from there. What was broadcast on a link is
answered from the interface's address in the client's subnet, else from its first global one. Option 54 names that
source, unless the relay says what clients are to name (RFC 5107), or the client names another address of ours.
"""

from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.state.own_addresses cimport OwnAddress, addresses_on, is_own_address
from dhcp_fast.wire.codes cimport OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport has, option_u32

cdef enum:
    GLOBAL = 0      # scope, rtnetlink(7)


cdef void note_named_server(const State* state, const Slot* slot, Client* client) noexcept nogil:
    """The address of ours that the client names, if it does: an OFFER may have told it any."""
    cdef uint32_t named
    if has(&state.packet, OPT_DHCP_SERVER_IDENTIFIER):
        named = option_u32(&state.packet, OPT_DHCP_SERVER_IDENTIFIER)
        if named and (named == slot.rx.ours or is_own_address(&state.own, 0, named)):
            client.named_id = named


cdef void note_override(const State* state, Client* client) noexcept nogil:
    """What the relay wants to be named (RFC 5107 section 4). An address that no client can send to counts as not sent.
    """
    cdef uint32_t wanted
    if state.packet.server_override.data != NULL:
        wanted = load_u32(state.packet.server_override.data)
        if is_unicast(wanted):
            client.override_id = wanted


cdef bint for_us(const State* state, const Client* client) noexcept nogil:
    """The client names no server or this one, by whichever address or as its relay has it called."""
    if not has(&state.packet, OPT_DHCP_SERVER_IDENTIFIER) or client.named_id:
        return True
    return client.override_id and client.override_id == option_u32(&state.packet, OPT_DHCP_SERVER_IDENTIFIER)


cdef uint32_t sign(const State* state, Slot* slot, const Client* client) noexcept nogil:
    """Option 54, and the address of ours that the reply leaves from, noted in it."""
    slot.tx.local = source_of_answer(state, slot, client)
    if client.override_id:
        return client.override_id
    return client.named_id if client.named_id else slot.tx.local


cdef uint32_t source_of_answer(const State* state, const Slot* slot, const Client* client) noexcept nogil:
    """0: the packet was broadcast on a link where we have no address."""
    if state.packet.giaddr or came_to_us_alone(slot):
        return slot.rx.ours
    return address_on_link(state, slot, client.subnet, client.named_id)


cdef uint32_t address_on_link(
        const State* state, const Slot* slot, const Subnet4* subnet, uint32_t named) noexcept nogil:
    """Of the interface: the address that the client names, else the first in its subnet, the first global one, the
    first. The kernel's choice counts where it is in the subnet, since it is never out of date, and for an engine that
    was told no addresses."""
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
