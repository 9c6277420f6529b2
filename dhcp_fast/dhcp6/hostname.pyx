"""Choice of a client's name: its reservation's or its option 39 (RFC 4704).

The name is sanitized into the slot, because operations may outlive the packet's buffer and the
configuration. The lease rows of the message contain it, each by the settings of its subnet. A
client that sends the option and requests it gets the same name, or its name in DNS if that is
updated (decisions: Client names in DNS), with the flags of the updates. A message without the
option leaves the names of leases as they are.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memchr, memcpy

from dhcp_fast.clients.naming cimport (
    LONGEST_WIRE, Name, begin_generated, confine, is_replaced, is_whole, put_number, qualify, read_labels, stored_flags,
    unmade_flags, update_flags, write_labels)
from dhcp_fast.dhcp6.speaker cimport first_lease
from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_operation cimport FQDN_PLANNED, Octets
from dhcp_fast.plan.compiled cimport NAME_WHEN_NOT_PRESENT, Naming
from dhcp_fast.state.slot cimport HOST_NAME, Part
from dhcp_fast.wire.codes6 cimport OPT6_CLIENT_FQDN
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport asks6, has6
from dhcp_fast.wire.reply6 cimport put_option6

cdef enum:
    NO_UPDATE = 4           # flag N (section 4.1)
    FLAGS = 1               # octets of them
    ADDRESS_TEXT = 40       # -ffff-ffff-ffff-ffff-ffff-ffff-ffff-ffff


# Name of a client, in the room that the caller provided.
cdef struct HostName:
    Octets text             # `data` NULL: none
    uint8_t flags           # as stored with the lease


cdef void note_host_name(State* state, Slot* slot, const Client6* client, const Subnet6* subnet, uint64_t hi,
                         uint64_t lo) noexcept nogil:
    """Write the name of a client that is to have this lease of the subnet into the slot's operation; 0, 0: none is
    known yet, and a name that is made of it waits."""
    cdef HostName told = name_of(state, client, &subnet.naming, hi, lo, slot.host_name)
    slot.op.hostname = told.text
    slot.op.fqdn_flags = told.flags
    slot.named_in = subnet.no


cdef HostName name_of(State* state, const Client6* client, const Naming* naming, uint64_t hi, uint64_t lo,
                      uint8_t* room) noexcept nogil:
    cdef Name name
    cdef HostName told
    cdef bint asked
    begin(&name, room)
    told.flags = 0
    asked = has6(&state.message6.packet, OPT6_CLIENT_FQDN)
    if asked:
        read_fqdn(&name, state.message6.packet.options[<int>OPT6_CLIENT_FQDN])
        told.flags = stored_flags(state.message6.packet.options[<int>OPT6_CLIENT_FQDN].data[0], NO_UPDATE)
        if naming.ddns:
            choose_name(&name, naming, &state.blocked_names, hi, lo)
        else:
            told.flags |= unmade_flags(&name)
    if client.reservation != NULL and client.reservation.hostname.data != NULL:
        name.length = min(client.reservation.hostname.length, <uint16_t>255)
        memcpy(name.text, client.reservation.hostname.data, name.length)
        told.flags = FQDN_PLANNED
        name.whole = memchr(name.text, b'.', name.length) != NULL
    if asked and name.length and not name.whole and naming.ddns:
        qualify(&name, &naming.domain)
    told.text.data = name.text if name.length else NULL
    told.text.length = name.length
    return told


cdef void choose_name(
        Name* name, const Naming* naming, const Octets* blocked, uint64_t hi, uint64_t lo) noexcept nogil:
    """Choose the name of a client that sends the option; empty: it has no name that it may have, or none yet."""
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


cdef void name_after(State* state, Slot* slot, const Client6* client, const Subnet6* subnet, uint64_t hi,
                     uint64_t lo) noexcept nogil:
    """Name the slot's operation anew now that its lease is known: by the lease's subnet, and perhaps by its address."""
    if not has6(&state.message6.packet, OPT6_CLIENT_FQDN) or (
            slot.op.hostname.data != NULL and slot.named_in == subnet.no):
        return
    note_host_name(state, slot, client, subnet, hi, lo)
    note_hashes(state.hash_key, &slot.op)


cdef void read_fqdn(Name* name, Field field) noexcept nogil:
    """Read an option that is well-formed (section 4)."""
    read_labels(name, field.data + FLAGS, <uint16_t>(field.length - FLAGS))


cdef void generate_name(Name* name, const Naming* naming, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int shift
    begin_generated(name, naming, ADDRESS_TEXT)
    for shift in range(112, -16, -16):
        name.text[name.length] = b'-'
        name.length += 1
        put_number(name, ((hi if shift >= 64 else lo) >> (shift & 63)) & 0xFFFF, 16)


cdef void put_fqdn(Reply6* reply, State* state, const Slot* slot, const Client6* client,
                   const Subnet6* subnet) noexcept nogil:
    """Put the name (section 6) to a client that sent the option, and asks for it by option 6; the name that it has in
    the subnet."""
    cdef uint8_t value[FLAGS + LONGEST_WIRE]
    cdef uint8_t room[HOST_NAME]
    cdef Field asked = state.message6.packet.options[<int>OPT6_CLIENT_FQDN]
    cdef HostName told = HostName(slot.op.hostname, slot.op.fqdn_flags)
    cdef const Part* first
    cdef uint16_t length
    if not has6(&state.message6.packet, OPT6_CLIENT_FQDN) or not asks6(&state.message6.packet, OPT6_CLIENT_FQDN):
        return
    if slot.named_in != subnet.no:      # the operation is of a later lease, in another subnet
        first = first_lease(slot)
        told = name_of(state, client, &subnet.naming, first.hi if first != NULL else 0,
                       first.lo if first != NULL else 0, room)
    value[0] = update_flags(
        &subnet.naming, asked.data[0], NO_UPDATE, told.flags & FQDN_PLANNED, is_whole(&told.text))
    length = write_labels(value + FLAGS, told.text.data, told.text.length)
    put_option6(reply, OPT6_CLIENT_FQDN, value, <uint16_t>(FLAGS + length))
