"""Choice of a client's name: its reservation's, its option 81 (RFC 4702) or its option 12.

The name is sanitized into the slot, because the operation may outlive the packet's buffer and the
configuration; it becomes the name of the lease row. If the subnet updates DNS, a client with option
81 gets its name in DNS as the answer (decisions: Client names in DNS), also stored in its row, and
the flags of the updates. A client that sends neither option keeps the name of its lease.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memchr, memcpy

from dhcp_fast.clients.naming cimport (
    Name, begin_generated, confine, is_replaced, is_whole, name_octet, put_number, qualify, read_ascii, read_labels,
    stored_flags, unmade_flags, update_flags, write_labels)
from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_operation cimport FQDN_PLANNED, Octets
from dhcp_fast.plan.compiled cimport NAME_WHEN_NOT_PRESENT, Naming
from dhcp_fast.wire.codes cimport DHCPDISCOVER, OPT_FQDN, OPT_HOST_NAME
from dhcp_fast.wire.packet4 cimport Field, Packet4, has
from dhcp_fast.wire.reply4 cimport put_option

cdef enum:
    WIRE_FORM = 4           # flag E
    NO_UPDATE = 8           # N
    HEADING = 3             # flags and two response codes
    RCODE = 255             # section 2.2: the value that a server sends
    ADDRESS_TEXT = 16       # -255-255-255-255


cdef void note_host_name(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """Note the name of a client that has, or is to have, `address`, into the slot and its operation."""
    cdef const Packet4* packet = &state.packet
    cdef const Naming* naming = &client.subnet.naming
    cdef Name name
    cdef bint asked
    name.text = slot.host_name
    name.length = 0
    name.whole = False
    slot.op.fqdn_flags = 0
    asked = has(packet, OPT_FQDN)
    if asked:
        read_fqdn(&name, &packet.options[OPT_FQDN])
        slot.op.fqdn_flags = stored_flags(packet.options[OPT_FQDN].data[0], NO_UPDATE)
        if naming.ddns:
            choose_name(&name, naming, &state.blocked_names, address)
        else:
            slot.op.fqdn_flags |= unmade_flags(&name)
    if client.reservation != NULL and client.reservation.hostname.data != NULL:
        name.length = min(client.reservation.hostname.length, <uint16_t>255)
        memcpy(name.text, client.reservation.hostname.data, name.length)
        slot.op.fqdn_flags = FQDN_PLANNED
        name.whole = memchr(name.text, b'.', name.length) != NULL
    elif not name.length and has(packet, OPT_HOST_NAME):
        read_host_name(&name, &packet.options[OPT_HOST_NAME])
        if asked and naming.ddns:
            confine(&name, naming, &state.blocked_names)
    if asked and name.length and not name.whole and naming.ddns:
        qualify(&name, &naming.domain)
    slot.op.hostname.data = name.text if name.length else NULL
    slot.op.hostname.length = name.length


cdef void name_anew(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """Name the client by an address that was found after its packet was looked at."""
    note_host_name(state, slot, client, address)
    note_hashes(state.hash_key, &slot.op)


cdef void name_by_subnet(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """Set the name by the settings of the subnet in which the client's address lies, on a shared network."""
    if client.subnet.next_on_wire != NULL and has(&state.packet, OPT_FQDN):
        name_anew(state, slot, client, address)


cdef void choose_name(Name* name, const Naming* naming, const Octets* blocked, uint32_t address) noexcept nogil:
    """Choose the name of a client that sends option 81; empty: it has no name that it may have."""
    if is_replaced(name, naming):
        generate_name(name, naming, address)
        return
    confine(name, naming, blocked)
    if not name.length and naming.replace == NAME_WHEN_NOT_PRESENT:
        generate_name(name, naming, address)


cdef void read_host_name(Name* name, const Field* field) noexcept nogil:
    """Read option 12 (RFC 2132 section 3.14), with '-' for each character that a host name does not have."""
    cdef uint16_t i, length = min(field.length, <uint16_t>255)
    while length and field.data[length - 1] == 0:      # some clients send the C string's end too
        length -= 1
    for i in range(length):
        name.text[i] = name_octet(field.data[i])
    name.length = length
    name.whole = memchr(name.text, b'.', length) != NULL


cdef void read_fqdn(Name* name, const Field* field) noexcept nogil:
    """Read the name (RFC 4702 section 2.3) in either encoding, which is well-formed."""
    if field.data[0] & WIRE_FORM:
        read_labels(name, field.data + HEADING, <uint16_t>(field.length - HEADING))
    else:
        read_ascii(name, field.data + HEADING, <uint16_t>(field.length - HEADING))


cdef void generate_name(Name* name, const Naming* naming, uint32_t address) noexcept nogil:
    cdef int shift
    begin_generated(name, naming, ADDRESS_TEXT)
    for shift in range(24, -8, -8):
        name.text[name.length] = b'-'
        name.length += 1
        put_number(name, (address >> shift) & 0xFF, 10)


# --- the answer

cdef void put_fqdn(Reply4* reply, const State* state, Slot* slot, const Client* client,
                   uint32_t address) noexcept nogil:
    """Put (RFC 4702 section 4) option 81 in the answer to a client that sent it, and only then (section 3.1), in the
    encoding that the client used."""
    cdef uint8_t value[HEADING + 257]
    cdef uint16_t length = slot.op.hostname.length
    cdef const Packet4* packet = &state.packet
    cdef const Field* asked = &packet.options[OPT_FQDN]
    if packet.message_type == DHCPDISCOVER:     # only now is the address known that the name may be made of
        note_host_name(state, slot, client, address)
        length = slot.op.hostname.length
    value[0] = asked.data[0] & WIRE_FORM | update_flags(
        &client.subnet.naming, asked.data[0], NO_UPDATE, slot.op.fqdn_flags & FQDN_PLANNED, is_whole(&slot.op.hostname))
    value[1] = RCODE
    value[2] = RCODE
    if asked.data[0] & WIRE_FORM:
        length = write_labels(value + HEADING, slot.op.hostname.data, length)
    elif length:
        memcpy(value + HEADING, slot.op.hostname.data, length)
        if is_whole(&slot.op.hostname):         # section 2.3.1: a complete name ends with a dot
            value[HEADING + length] = b'.'
            length += 1
    put_option(reply, OPT_FQDN, value, <uint16_t>(HEADING + length))
