"""Recall of options that a client and its relay sent earlier, for a message without them.

A client in RENEWING sends to the server itself (RFC 3046 section 2.1), so no relay identifies its
line and a class with that condition would lose the client. A client also need not repeat the
options that describe it (RFC 2131 table 5: MAY). A missing option keeps its last value:

* A REQUEST that selects our offer has the options of its DISCOVER, which memory holds for as long as the offer
  (clients/remembered.pxd).
* Any other REQUEST, and an INFORM, have what the row of the client's running lease holds. Where classes, reservations
  or options of the tenant ask for that, the message goes to the database once without a fence, under which every row
  refuses it; rows that refuse are read (database/leases/rejected_rows.py), and the packet is decided again as if it
  had the options itself. A DISCOVER asks no row: the client begins anew.

Option 82 of the client itself counts for nothing, as everywhere without a relay.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.clients.recalled cimport place_recalled, recalled_line, recalled_options
from dhcp_fast.clients.remembered cimport begin_remembered, find_remembered
from dhcp_fast.clients.tenure cimport LATEST_LOOK
from dhcp_fast.dhcp4.kept_options cimport put_options
from dhcp_fast.dhcp4.server_id cimport came_to_us_alone
from dhcp_fast.leases.lease_operation cimport HOLDS_OTHERS, HOLDS_VENDOR_CLASS
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, held_options, lease_at, lease_find)
from dhcp_fast.plan.compiled cimport Subnet4, Tenant
from dhcp_fast.plan.conditions cimport suboption_of
from dhcp_fast.plan.subnets cimport subnet_on_wire
from dhcp_fast.state.slot cimport RECALL_DONE, RECALL_WANTED
from dhcp_fast.state.state cimport REMEMBERED_ROOM, Remembered
from dhcp_fast.wire.client_options cimport next_option
from dhcp_fast.wire.codes cimport (
    DHCPINFORM, DHCPREQUEST, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_SERVER_IDENTIFIER,
    OPT_VENDOR_CLASS_IDENTIFIER, RAI_CIRCUIT_ID, RAI_REMOTE_ID, RAI_SUBSCRIBER_ID)
from dhcp_fast.wire.cursor cimport Cursor, cursor
from dhcp_fast.wire.packet4 cimport Field, Packet4, has


cdef void recall_missing(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil:
    """Do what recall_row is for, once it may be needed."""
    cdef const Packet4* packet = &state.packet
    cdef uint32_t lacks
    if slot.recall == RECALL_DONE:
        if slot.recalled:
            repeat(&state.packet, slot)
        return
    if packet.message_type != DHCPREQUEST and packet.message_type != DHCPINFORM:
        return
    lacks = lacking(packet, client.subnet.tenant)
    asks_line = asks_line and is_renewal(packet) and comes_past_relay(state, slot)
    if lacks or asks_line:
        if not (is_selecting(packet) and recall_offered(state, slot, client)) and (
                slot.decided < LATEST_LOOK and may_hold(state, client, lacks, asks_line)):
            slot.recall = RECALL_WANTED


cdef inline uint32_t lacking(const Packet4* packet, const Tenant* tenant) noexcept nogil:
    """Return what the packet lacks of all that is asked for, of HOLDS_BITS."""
    cdef uint64_t first = tenant.kept.words[0] & ~packet.present[0]
    cdef uint32_t lacks = HOLDS_VENDOR_CLASS if first >> OPT_VENDOR_CLASS_IDENTIFIER & 1 else 0
    if tenant.keeps_others and lacks_others(packet, tenant):
        lacks |= <uint32_t>HOLDS_OTHERS
    return lacks


cdef bint lacks_others(const Packet4* packet, const Tenant* tenant) noexcept nogil:
    """Return whether it lacks one beside its vendor class."""
    cdef uint64_t vendor = <uint64_t>1 << OPT_VENDOR_CLASS_IDENTIFIER
    cdef uint64_t found = tenant.kept.words[0] & ~packet.present[0] & ~vendor
    found |= tenant.kept.words[1] & ~packet.present[1] | tenant.kept.words[2] & ~packet.present[2]
    return (found | tenant.kept.words[3] & ~packet.present[3]) != 0


# --- from the DISCOVER

cdef void remember_options(State* state, const Client* client) noexcept nogil:
    cdef Remembered* its = begin_remembered(state, client.identity)
    its.length = put_options(&state.packet, &client.subnet.tenant.kept, its.options, REMEMBERED_ROOM)


cdef bint recall_offered(State* state, Slot* slot, const Client* client) noexcept nogil:
    """Return whether the client's DISCOVER is remembered; the packet has its options then."""
    cdef const Remembered* its = find_remembered(state, client.identity)
    if its == NULL:
        return False
    place_recalled(slot, 0, Field(NULL, 0), Field(&its.options[0], its.length))
    if slot.recalled:
        repeat(&state.packet, slot)
    return True


# --- from the row

cdef bint may_hold(const State* state, const Client* client, uint32_t lacks, bint lacks_line) noexcept nogil:
    """Return whether the row of the address may contain the missing options.

    If memory has no active lease of the client there, another server may have granted one; a
    message that only asks, or selects an offer, is not worth the look then.
    """
    cdef const Packet4* packet = &state.packet
    cdef uint32_t address = named_address(packet)
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, address)
    cdef const Lease* lease
    if packet.message_type == DHCPINFORM and state.away:
        return False
    if index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease.state == LEASE_ACTIVE and (
                lease.client == client.identity or lease.client == client.other_identity):
            return lacks & held_options(lease) or lacks_line and was_relayed(lease)
    return packet.message_type == DHCPREQUEST and not is_selecting(packet) and is_on_wire(client, address)


cdef bint is_on_wire(const Client* client, uint32_t address) noexcept nogil:
    cdef const Subnet4* subnet = subnet_on_wire(client.subnet, address)
    return subnet.network <= address <= subnet.last


# --- into the packet

cdef void repeat(Packet4* packet, const Slot* slot) noexcept nogil:
    """Add the remembered options; options of the packet itself have precedence."""
    cdef Field value, said = recalled_line(slot)
    cdef Field options = recalled_options(slot)
    cdef Cursor c = cursor(options.data, options.length)
    cdef uint16_t code
    while next_option(&c, &code, &value):
        if code < 256 and not has(packet, <uint8_t>code):
            add_option(packet, <uint8_t>code, value)
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


cdef inline bint is_selecting(const Packet4* packet) noexcept nogil:
    return has(packet, OPT_DHCP_SERVER_IDENTIFIER)


cdef inline bint is_renewal(const Packet4* packet) noexcept nogil:
    return packet.message_type == DHCPREQUEST and packet.ciaddr != 0 and not is_selecting(packet)


cdef inline bint comes_past_relay(const State* state, const Slot* slot) noexcept nogil:
    """Return whether no relay identifies the line, as when a client renews by unicast."""
    return state.packet.giaddr == 0 and state.packet.relay_said.data == NULL and came_to_us_alone(slot)


cdef inline bint was_relayed(const Lease* lease) noexcept nogil:
    """Return whether the client got the lease by a relay, as far as is known."""
    return lease.relay_hash != 0 or lease.flags & PARTIAL != 0
