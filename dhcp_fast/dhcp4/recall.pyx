"""What a lease's row knows of its client, for a renewal that does not say it again.

A client in RENEWING speaks to the server itself (RFC 3046 section 2.1), so nothing tells its line then, and a class
that asks for it would lose the client; and a client need not repeat its vendor class (RFC 2131 table 5: MAY). The row
knows what the relay and the client said when the lease was granted. Where classes, reservations or options of the
tenant ask for that, such a renewal goes to the database once without a fence, under which every row refuses it; rows
that refuse are read (see database/rejected_rows.py), and the packet is decided again as if it said so itself. What the
client says in option 82 counts for nothing, as everywhere without a relay.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.dhcp4.server_id cimport came_to_us_alone
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, has_vendor_class, lease_at, lease_find)
from dhcp_fast.plan.conditions cimport suboption_of
from dhcp_fast.state.recalled cimport recalled_class, recalled_line
from dhcp_fast.state.slot cimport RECALL_DONE, RECALL_WANTED
from dhcp_fast.wire.codes cimport (
    DHCPREQUEST, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_SERVER_IDENTIFIER, OPT_VENDOR_CLASS_IDENTIFIER, RAI_CIRCUIT_ID,
    RAI_REMOTE_ID, RAI_SUBSCRIBER_ID)
from dhcp_fast.wire.packet4 cimport Field, Packet4, has


cdef void recall_row(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil:
    """Let the packet say what its row recalls, or note that the row is to be asked. `asks_line`: what a relay said
    counts."""
    cdef bint lacks_line, lacks_vendor
    if slot.recall == RECALL_DONE:
        if slot.recalled:
            repeat(&state.packet, slot)
        return
    if not is_renewal(&state.packet):
        return
    lacks_line = asks_line and comes_past_relay(state, slot)
    lacks_vendor = client.subnet.tenant.asks_vendor and not has(&state.packet, OPT_VENDOR_CLASS_IDENTIFIER)
    if (lacks_line or lacks_vendor) and renews_own(state, client) and (
            lacks_line and was_relayed(renewed(state, client))
            or lacks_vendor and has_vendor_class(renewed(state, client))):
        slot.recall = RECALL_WANTED


cdef void repeat(Packet4* packet, const Slot* slot) noexcept nogil:
    """What the packet itself says counts first."""
    cdef Field vendor_class = recalled_class(slot), said = recalled_line(slot)
    if vendor_class.length and not has(packet, OPT_VENDOR_CLASS_IDENTIFIER):
        add_option(packet, OPT_VENDOR_CLASS_IDENTIFIER, vendor_class)
    if said.length and not packet.giaddr and packet.relay_said.data == NULL:
        say(packet, said)


cdef inline void add_option(Packet4* packet, uint8_t code, Field value) noexcept nogil:
    packet.options[code] = value
    packet.present[code >> 6] |= <uint64_t>1 << (code & 63)


cdef void say(Packet4* packet, Field said) noexcept nogil:
    add_option(packet, OPT_DHCP_AGENT_OPTIONS, said)
    packet.circuit_id = suboption_of(said, RAI_CIRCUIT_ID)
    packet.remote_id = suboption_of(said, RAI_REMOTE_ID)
    packet.subscriber_id = suboption_of(said, RAI_SUBSCRIBER_ID)


cdef inline bint is_renewal(const Packet4* packet) noexcept nogil:
    return packet.message_type == DHCPREQUEST and packet.ciaddr != 0 and not has(packet, OPT_DHCP_SERVER_IDENTIFIER)


cdef bint renews_own(const State* state, const Client* client) noexcept nogil:
    """Whether it renews a lease of its own."""
    cdef const Lease* lease = renewed(state, client)
    return (lease != NULL and lease.state == LEASE_ACTIVE
            and (lease.client == client.identity or lease.client == client.other_identity))


cdef inline const Lease* renewed(const State* state, const Client* client) noexcept nogil:
    """The entry of the address that the packet renews; NULL: there is none."""
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, state.packet.ciaddr)
    return NULL if index == NO_LEASE else lease_at(state.leases, index)


cdef inline bint comes_past_relay(const State* state, const Slot* slot) noexcept nogil:
    """Whether no relay says the line, as when a client renews by unicast."""
    return state.packet.giaddr == 0 and state.packet.relay_said.data == NULL and came_to_us_alone(slot)


cdef inline bint was_relayed(const Lease* lease) noexcept nogil:
    """Whether the client got the lease by a relay, as far as is known."""
    return lease.relay_hash != 0 or lease.flags & PARTIAL != 0
