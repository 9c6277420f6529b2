"""What a relay said when a client got its lease, for a renewal that comes past the relay (RFC 3046 section 2.1).

A client in RENEWING speaks to the server itself, so nothing tells its line then, and a class that asks for it would
lose the client. The lease's row knows what the relay said. Where classes or reservations of the tenant ask for that,
such a renewal goes to the database once without a fence, under which every row refuses it; rows that refuse are read
(see database/rejected_rows.py), and the packet is decided again as if the relay had passed it on. What the client
itself says in option 82 counts for nothing, as everywhere without a relay.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy

from dhcp_fast.dhcp4.server_id cimport came_to_us_alone
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, lease_at, lease_find
from dhcp_fast.net.datagram cimport RECEIVE_BUFFER
from dhcp_fast.plan.conditions cimport suboption_of
from dhcp_fast.state.slot cimport RECALL_NONE, RECALL_WANTED
from dhcp_fast.wire.codes cimport (
    DHCPREQUEST, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_SERVER_IDENTIFIER, RAI_CIRCUIT_ID, RAI_REMOTE_ID, RAI_SUBSCRIBER_ID)
from dhcp_fast.wire.cursor cimport store_u32
from dhcp_fast.wire.packet4 cimport Packet4, has

cdef void recall_relay(State* state, Slot* slot, const Client* client) noexcept nogil:
    """Let the packet say what its row recalls, or note that the row is to be asked."""
    cdef Packet4* packet = &state.packet
    if slot.recall == RECALL_DONE:
        if slot.recalled > RELAY:
            say(packet, Field(slot.rx.data + slot.rx.length + RELAY, <uint16_t>(slot.recalled - RELAY)))
    else:
        slot.recall = RECALL_WANTED if comes_past_relay(state, slot, client) else RECALL_NONE


cdef void say(Packet4* packet, Field said) noexcept nogil:
    packet.options[<int>OPT_DHCP_AGENT_OPTIONS] = said
    packet.present[<int>OPT_DHCP_AGENT_OPTIONS >> 6] |= <uint64_t>1 << (<int>OPT_DHCP_AGENT_OPTIONS & 63)
    packet.circuit_id = suboption_of(said, RAI_CIRCUIT_ID)
    packet.remote_id = suboption_of(said, RAI_REMOTE_ID)
    packet.subscriber_id = suboption_of(said, RAI_SUBSCRIBER_ID)


cdef bint comes_past_relay(const State* state, const Slot* slot, const Client* client) noexcept nogil:
    """Whether it renews by unicast a lease of its own that it got by a relay."""
    cdef const Packet4* packet = &state.packet
    cdef uint32_t index
    cdef const Lease* lease
    if (packet.message_type != DHCPREQUEST or not packet.ciaddr or packet.giaddr or packet.relay_said.data != NULL
            or has(packet, OPT_DHCP_SERVER_IDENTIFIER) or not came_to_us_alone(slot)):
        return False
    index = lease_find(state.leases, client.subnet.tenant.no, 0, packet.ciaddr)
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return (lease.state == LEASE_ACTIVE and (lease.client == client.identity or lease.client == client.other_identity)
            and (lease.relay_hash != 0 or lease.flags & PARTIAL != 0))


cdef int note_recalled(Slot* slot, uint32_t relay, bytes said) except -1:
    """What the row says: the relay's address (0: there was none) and its option 82."""
    cdef uint8_t* into = slot.rx.data + slot.rx.length
    slot.recall = RECALL_DONE
    slot.recalled = 0
    if relay and slot.rx.length + RELAY + len(said) <= RECEIVE_BUFFER:
        store_u32(into, relay)
        memcpy(into + RELAY, <const char*>said, len(said))
        slot.recalled = <uint16_t>(RELAY + len(said))
    return 0
