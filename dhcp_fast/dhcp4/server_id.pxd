from libc.stdint cimport uint32_t

from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.state.own_addresses cimport is_own_address
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.codes cimport OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.view4 cimport has

cdef uint32_t address_on_link(
    const State* state, const Slot* slot, const Subnet4* subnet, uint32_t named) noexcept nogil

cdef inline bint is_unicast(uint32_t address) noexcept nogil:
    """Return whether one host may have the address (RFC 1122 section 3.2.1.3): not 0.0.0.0/8, 224.0.0.0 or above."""
    return <uint32_t>0x01000000 <= address < <uint32_t>0xE0000000

cdef inline bint came_to_us_alone(const Slot* slot) noexcept nogil:
    """Return whether the datagram was sent to an address of ours, and not to everybody on a link."""
    return slot.rx.local == slot.rx.ours

cdef inline uint32_t server_named(const State* state) noexcept nogil:
    """Return the value of option 54, which was sent."""
    return load_u32(state.packet.options[<int>OPT_DHCP_SERVER_IDENTIFIER].data)

cdef inline void note_named_server(const State* state, const Slot* slot, Client* client) noexcept nogil:
    """Note the address of ours that the client names, if it does: an OFFER may have contained any."""
    cdef uint32_t named
    if has(&state.packet, OPT_DHCP_SERVER_IDENTIFIER):
        named = server_named(state)
        if named and (named == slot.rx.ours or is_own_address(&state.own, 0, named)):
            client.named_id = named

cdef inline void note_override(const State* state, Client* client) noexcept nogil:
    """Note the name that the relay requests (RFC 5107 section 4). An address that no client can send to counts as not
    sent."""
    cdef uint32_t wanted
    if state.packet.server_override.data != NULL:
        wanted = load_u32(state.packet.server_override.data)
        if is_unicast(wanted):
            client.override_id = wanted

cdef inline bint for_us(const State* state, const Client* client) noexcept nogil:
    """Return whether the client names no server or this one, by whichever address or as its relay has it called."""
    if not has(&state.packet, OPT_DHCP_SERVER_IDENTIFIER) or client.named_id:
        return True
    return client.override_id and client.override_id == server_named(state)

cdef inline uint32_t source_of_answer(const State* state, const Slot* slot, const Client* client) noexcept nogil:
    """Return the source address; 0: the packet was broadcast on a link where we have no address."""
    if state.packet.giaddr or came_to_us_alone(slot):
        return slot.rx.ours
    return address_on_link(state, slot, client.subnet, client.named_id)

cdef inline uint32_t sign(const State* state, Slot* slot, const Client* client) noexcept nogil:
    """Put option 54, and note in it the address of ours that the reply leaves from."""
    slot.tx.local = source_of_answer(state, slot, client)
    if client.override_id:
        return client.override_id
    return client.named_id if client.named_id else slot.tx.local
