"""What a client is called: its reservation's name or its option 39 (RFC 4704).

The name is sanitised into the packet's slot, because operations may outlive the packet's buffer and the configuration;
all lease rows of the message have it. A client that sends the option and asks for it is told the same name, where DNS
is updated the one that it gets there (decisions: Client names in DNS), and by the flags who updates DNS. A message
without the option leaves the names of leases as they are.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memchr, memcpy

from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_operation cimport FQDN_PLANNED, Octets
from dhcp_fast.plan.compiled cimport NAME_WHEN_NOT_PRESENT, Naming
from dhcp_fast.state.naming cimport (
    LONGEST_WIRE, Name, begin_generated, confine, is_replaced, is_whole, put_number, qualify, read_labels, stored_flags,
    update_flags, write_labels)
from dhcp_fast.wire.codes6 cimport OPT6_CLIENT_FQDN
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport asks6, has6
from dhcp_fast.wire.reply6 cimport put_option6

cdef enum:
    NO_UPDATE = 4           # flag N (section 4.1)
    FLAGS = 1               # octets of them
    ADDRESS_TEXT = 40       # -ffff-ffff-ffff-ffff-ffff-ffff-ffff-ffff


cdef void note_host_name(State* state, Slot* slot, const Client6* client, uint64_t hi, uint64_t lo) noexcept nogil:
    """The name of a client that is to have this lease, into the packet's operation; 0, 0: none is known yet, and a name
    that is made of it waits."""
    cdef Name name
    cdef const Naming* naming = &client.subnet.naming
    cdef bint asked
    begin(&name, slot.host_name)
    asked = has6(&state.message6.packet, OPT6_CLIENT_FQDN)
    slot.op.fqdn_flags = 0
    if asked:
        read_fqdn(&name, state.message6.packet.options[<int>OPT6_CLIENT_FQDN])
        slot.op.fqdn_flags = stored_flags(state.message6.packet.options[<int>OPT6_CLIENT_FQDN].data[0], NO_UPDATE)
    if asked and naming.ddns:
        choose_name(&name, naming, &state.blocked_names, hi, lo)
    if client.reservation != NULL and client.reservation.hostname.data != NULL:
        name.length = min(client.reservation.hostname.length, <uint16_t>255)
        memcpy(name.text, client.reservation.hostname.data, name.length)
        slot.op.fqdn_flags = FQDN_PLANNED
        name.whole = memchr(name.text, b'.', name.length) != NULL
    if asked and name.length and not name.whole and naming.ddns:
        qualify(&name, &naming.domain)
    slot.op.hostname.data = name.text if name.length else NULL
    slot.op.hostname.length = name.length


cdef void choose_name(
        Name* name, const Naming* naming, const Octets* blocked, uint64_t hi, uint64_t lo) noexcept nogil:
    """What a client that sends the option is called; empty: it has no name that it may have, or none yet."""
    if not is_replaced(name, naming):
        confine(name, naming, blocked)
        if name.length or naming.replace != NAME_WHEN_NOT_PRESENT:
            return
    name.length = 0
    if hi or lo:
        generate_name(name, naming, hi, lo)


cdef inline void begin(Name* name, uint8_t* text) noexcept nogil:
    name.text = text
    name.length = 0
    name.whole = False


cdef void name_after(State* state, Slot* slot, const Client6* client, uint64_t hi, uint64_t lo) noexcept nogil:
    """The name that is made of an address, now that there is one; the first of the message's leases gives it."""
    if slot.op.hostname.data != NULL or not has6(&state.message6.packet, OPT6_CLIENT_FQDN):
        return
    note_host_name(state, slot, client, hi, lo)
    note_hashes(state.hash_key, &slot.op)


cdef void read_fqdn(Name* name, Field field) noexcept nogil:
    """Section 4, of an option that is well-formed."""
    read_labels(name, field.data + FLAGS, <uint16_t>(field.length - FLAGS))


cdef void generate_name(Name* name, const Naming* naming, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int shift
    begin_generated(name, naming, ADDRESS_TEXT)
    for shift in range(112, -16, -16):
        name.text[name.length] = b'-'
        name.length += 1
        put_number(name, ((hi if shift >= 64 else lo) >> (shift & 63)) & 0xFFFF, 16)


cdef void put_fqdn(Reply6* reply, const State* state, const Slot* slot, const Client6* client) noexcept nogil:
    """Section 6: to a client that sent the option, and asks for it by option 6."""
    cdef uint8_t value[FLAGS + LONGEST_WIRE]
    cdef Field asked = state.message6.packet.options[<int>OPT6_CLIENT_FQDN]
    cdef uint16_t length
    if not has6(&state.message6.packet, OPT6_CLIENT_FQDN) or not asks6(&state.message6.packet, OPT6_CLIENT_FQDN):
        return
    value[0] = update_flags(
        &client.subnet.naming, asked.data[0], NO_UPDATE, slot.op.fqdn_flags & FQDN_PLANNED, is_whole(&slot.op.hostname))
    length = write_labels(value + FLAGS, slot.op.hostname.data, slot.op.hostname.length)
    put_option6(reply, OPT6_CLIENT_FQDN, value, <uint16_t>(FLAGS + length))
